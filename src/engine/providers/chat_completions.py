"""OpenRouter, OpenAI, vLLM, llama.cpp and Ollama: the chat-completions wire over httpx."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace

import httpx

from ..config import ProviderSettings
from ..model.llm import Completion, RawReply, Request
from . import params
from .chat_reply import PARSER_VERSION, parse_chat
from .chat_request import chat_body
from .estimate import input_tokens
from .http import (
    CONNECTIONS,
    KEEPALIVE_S,
    ClientSet,
    base_url,
    connect_timeout,
    proxy_for,
    ssl_context,
)
from .redaction import redact_bytes
from .wire_errors import WireErrors, kept_headers, request_id
from .wire_json import encode

logging.getLogger("httpx").setLevel(logging.WARNING)  # else a line in the log for every call

DEFAULT_URLS = {
    "openrouter": "https://openrouter.ai/api/v1",
    "openai": "https://api.openai.com/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "ollama": "http://127.0.0.1:11434/v1",
}


class ChatCompletions:
    """One account at one server of this format."""

    free = False
    parser_version = PARSER_VERSION

    def __init__(
        self, name: str, settings: ProviderSettings, key: str | None, environ: Mapping[str, str]
    ) -> None:
        """Raises ConfigError for a base URL, proxy or certificate bundle that cannot be used."""
        self.name = name
        self._dialect = settings.dialect
        url = base_url(settings.base_url, DEFAULT_URLS[settings.dialect], name)
        self._url = f"{url}/chat/completions"
        self._secrets = (key,) if key else ()
        self._errors = WireErrors(name, self._secrets)
        self._headers = _headers(key)
        self._proxy, self._ssl = proxy_for(url, environ), ssl_context(environ)
        self.clients = ClientSet(self._client, httpx.AsyncClient.aclose)

    def _client(self) -> httpx.AsyncClient:
        limits = httpx.Limits(
            max_connections=CONNECTIONS,
            max_keepalive_connections=CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
        )
        return httpx.AsyncClient(
            headers=self._headers,
            limits=limits,
            verify=self._ssl,
            proxy=self._proxy,
            trust_env=False,
        )

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """One attempt, of at most `timeout_s` seconds. Raises ProviderError unless it succeeds."""
        report = params.report(self._dialect, request.model, request.params)
        content = encode(chat_body(request, self._dialect, report))
        started = time.perf_counter()
        response = await self._post(content, timeout_s)
        headers = kept_headers(response.headers)
        if not response.is_success:
            raise self._errors.http(response.status_code, headers, response.content)
        reply = RawReply(
            body=redact_bytes(response.content, self._secrets),
            latency_s=time.perf_counter() - started,
            request_id=request_id(headers),
            params=report,
            headers=headers,
        )
        return replace(reply, parsed=self.parse(reply, request))

    async def _post(self, content: bytes, timeout_s: float) -> httpx.Response:
        limits = httpx.Timeout(timeout_s, connect=connect_timeout(timeout_s))
        try:
            async with asyncio.timeout(timeout_s):
                with self.clients.lease() as client:
                    return await client.post(self._url, content=content, timeout=limits)
        except TimeoutError:
            raise self._errors.timeout(timeout_s) from None
        except (httpx.HTTPError, OSError) as error:
            raise self._errors.connection(error) from None

    def parse(self, reply: RawReply, request: Request) -> Completion:
        """The completion in a reply. Raises ProviderError where the body is no result."""
        if reply.parsed is not None:
            return reply.parsed
        return parse_chat(reply, request, self._dialect, self._errors)

    def estimate_input_tokens(self, request: Request) -> int:
        """A rough upper estimate from the request's bytes."""
        return input_tokens(request)

    async def aclose(self) -> None:
        """Close every connection."""
        await self.clients.aclose()


def _headers(key: str | None) -> dict[str, str]:
    headers = {"content-type": "application/json", "user-agent": "evoscope"}
    return {**headers, "authorization": f"Bearer {key}"} if key else headers
