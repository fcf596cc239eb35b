"""Anthropic's Messages API, through its SDK with retries off; the raw body is what we keep."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import anthropic
import httpx2

from ..config import ProviderSettings
from ..model.llm import Completion, Json, RawReply, Request
from . import params
from .anthropic_reply import PARSER_VERSION, parse_message
from .anthropic_request import EXTRA, messages_body
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

logging.getLogger("httpx2").setLevel(logging.WARNING)  # else a line in the log for every call

DEFAULT_URL = "https://api.anthropic.com"
COUNTED = ("model", "messages", "system", "thinking", "tools", "output_config", "cache_control")


class Anthropic:
    """One account at Anthropic, or at a server that speaks its format."""

    free = False
    parser_version = PARSER_VERSION

    def __init__(
        self, name: str, settings: ProviderSettings, key: str, environ: Mapping[str, str]
    ) -> None:
        """Raises ConfigError for a base URL, proxy or certificate bundle that cannot be used."""
        self.name = name
        url = settings.base_url or environ.get("ANTHROPIC_BASE_URL")
        self._url = base_url(url, DEFAULT_URL, name)
        self._key, self._secrets = key, (key,)
        self._errors = WireErrors(name, self._secrets)
        self._proxy, self._ssl = proxy_for(self._url, environ), ssl_context(environ)
        self.clients = ClientSet(self._client, anthropic.AsyncAnthropic.close)

    def _client(self) -> anthropic.AsyncAnthropic:
        limits = httpx2.Limits(
            max_connections=CONNECTIONS,
            max_keepalive_connections=CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
        )
        http = httpx2.AsyncClient(
            limits=limits, verify=self._ssl, proxy=self._proxy, trust_env=False
        )
        return anthropic.AsyncAnthropic(
            api_key=self._key,
            base_url=self._url,
            max_retries=0,
            open_telemetry=False,
            http_client=http,
        )

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """One attempt, of at most `timeout_s` seconds. Raises ProviderError unless it succeeds."""
        report = params.report("anthropic", request.model, request.params)
        body = messages_body(request, report)
        extra = {name: body.pop(name) for name in EXTRA if name in body}
        started = time.perf_counter()

        async def create(client: anthropic.AsyncAnthropic, limits: httpx2.Timeout) -> Any:
            return await client.messages.with_raw_response.create(
                **_untyped(body), extra_body=extra or None, timeout=limits
            )

        response = await self._attempt(create, timeout_s)
        headers = kept_headers(response.headers)
        reply = RawReply(
            body=redact_bytes(response.http_response.content, self._secrets),
            latency_s=time.perf_counter() - started,
            request_id=request_id(headers),
            params=report,
            headers=headers,
        )
        return replace(reply, parsed=self.parse(reply, request))

    async def count_tokens(self, request: Request, timeout_s: float) -> int:
        """The exact number of input tokens of a request. Raises ProviderError."""
        report = params.report("anthropic", request.model, request.params)
        body = messages_body(request, report)

        async def count(client: anthropic.AsyncAnthropic, limits: httpx2.Timeout) -> Any:
            kept = {name: body[name] for name in COUNTED if name in body}
            return await client.messages.count_tokens(**_untyped(kept), timeout=limits)

        tokens = (await self._attempt(count, timeout_s)).input_tokens
        if not isinstance(tokens, int):
            raise self._errors.unusable("the reply holds no token count", {})
        return tokens

    async def _attempt(
        self,
        call: Callable[[anthropic.AsyncAnthropic, httpx2.Timeout], Awaitable[Any]],
        timeout_s: float,
    ) -> Any:
        limits = httpx2.Timeout(timeout_s, connect=connect_timeout(timeout_s))
        try:
            async with asyncio.timeout(timeout_s):
                with self.clients.lease() as client:
                    return await call(client, limits)
        except TimeoutError:
            raise self._errors.timeout(timeout_s) from None
        except anthropic.APIStatusError as error:
            headers = kept_headers(error.response.headers)
            content = error.response.content
            raise self._errors.http(error.status_code, headers, content) from None
        except anthropic.APIConnectionError as error:
            cause = error.__cause__
            raise self._errors.connection(
                cause if isinstance(cause, Exception) else error
            ) from None
        except httpx2.HTTPError as error:
            raise self._errors.connection(error) from None

    def parse(self, reply: RawReply, request: Request) -> Completion:
        """The completion in a reply. Raises ProviderError where the body is no result."""
        if reply.parsed is not None:
            return reply.parsed
        return parse_message(reply, request, self._errors)

    def estimate_input_tokens(self, request: Request) -> int:
        """A rough upper estimate from the request's bytes."""
        return input_tokens(request)

    async def aclose(self) -> None:
        """Close every connection."""
        await self.clients.aclose()


def _untyped(body: Mapping[str, Json]) -> dict[str, Any]:
    """Our JSON as keyword arguments; the SDK types each field, we build them as plain JSON."""
    return dict(body)
