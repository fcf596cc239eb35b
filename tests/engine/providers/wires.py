"""Providers and requests for the tests of both wires."""

from typing import Any

from evoscope.engine.config import ProviderSettings
from evoscope.engine.errors import ProviderError
from evoscope.engine.model.llm import Completion, Message, Params, Request
from evoscope.engine.providers.base import Provider
from evoscope.engine.providers.build import build_provider
from tests.servers.llm_server import LlmServer

KEY = "sk-planted-0123456789abcdef"
ENVIRON = {"ANTHROPIC_API_KEY": KEY, "OPENROUTER_API_KEY": KEY, "OPENAI_API_KEY": KEY}
CLAUDE = "claude-opus-4-8"
QWEN = "qwen/qwen3.5-35b-a3b"
WIRES = ("chat", "anthropic")


def provider_at(
    base: str, wire: str, dialect: str = "openrouter", environ: dict[str, str] | None = None
) -> Provider:
    """A provider of that wire whose server is at `base` (without /v1)."""
    keys = {**ENVIRON, **(environ or {})}
    if wire == "anthropic":
        settings = ProviderSettings(kind="anthropic", base_url=base)
    else:
        settings = ProviderSettings.model_validate(
            {"kind": "chat_completions", "base_url": f"{base}/v1", "dialect": dialect}
        )
    return build_provider(wire, settings, keys)


def ask(wire: str, text: str = "What is 2 + 2?", **more: Any) -> Request:
    """A request of one user turn; `params` is a dict of `Params` fields."""
    params = Params(**more.pop("params", {}))
    model = more.pop("model", CLAUDE if wire == "anthropic" else QWEN)
    messages = more.pop("messages", (Message("user", text),))
    return Request(
        role="task", provider=wire, model=model, messages=messages, params=params, **more
    )


async def complete(provider: Provider, request: Request, timeout_s: float = 5) -> Completion:
    """One attempt, parsed."""
    reply = await provider.send(request, timeout_s)
    return provider.parse(reply, request)


async def failure(provider: Provider, request: Request, timeout_s: float = 5) -> ProviderError:
    """The error that one attempt ends in."""
    try:
        completion = await complete(provider, request, timeout_s)
    except ProviderError as error:
        return error
    raise AssertionError(f"no error, but {completion}")


async def exchanged(server: LlmServer, wire: str, request: Request, **more: Any) -> Completion:
    """The completion of one attempt at a running server."""
    provider = provider_at(server.url, wire, **more)
    try:
        return await complete(provider, request)
    finally:
        await provider.aclose()


async def failed(
    server: LlmServer, wire: str, request: Request, timeout_s: float = 5
) -> ProviderError:
    """The error of one attempt at a running server."""
    provider = provider_at(server.url, wire)
    try:
        return await failure(provider, request, timeout_s)
    finally:
        await provider.aclose()
