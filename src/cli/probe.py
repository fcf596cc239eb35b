"""One request for one token to each model of a configuration: does it answer, and as whom."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from ..engine.config import ModelSettings, RunConfig
from ..engine.errors import EvoscopeError
from ..engine.model.llm import Message, Params, Request, Route
from ..engine.providers.base import Provider
from ..engine.providers.build import build_provider

TIMEOUT_S = 60.0
_SPEAKS_AS = {"gates": "audit"}
"""A configuration's role whose requests carry finer words: one of them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one probe; `error` is empty where the model answered."""

    role: str
    provider: str
    model: str
    error: str
    latency_s: float = 0.0
    served_model: str | None = None


async def probe_models(config: RunConfig, environ: Mapping[str, str]) -> list[Answer]:
    """Probe each distinct model that a configuration names, all at once; offline ones too."""
    distinct: dict[tuple[str, str], str] = {}
    for role, settings in config.models.items():
        distinct.setdefault((settings.provider, settings.model), role)
    probes = (_probe(role, config, environ) for role in distinct.values())
    return list(await asyncio.gather(*probes))


async def _probe(role: str, config: RunConfig, environ: Mapping[str, str]) -> Answer:
    settings = config.models[role]
    provider: Provider | None = None
    try:
        account = config.providers[settings.provider]
        provider = build_provider(settings.provider, account, environ)
        request = one_token(role, settings)
        reply = await provider.send(request, TIMEOUT_S)
        served = provider.parse(reply, request).served_model
        return Answer(role, settings.provider, settings.model, "", reply.latency_s, served)
    except EvoscopeError as error:
        return Answer(role, settings.provider, settings.model, str(error))
    finally:
        if provider is not None:
            await provider.aclose()


def one_token(role: str, settings: ModelSettings) -> Request:
    """A request for one token on the model's own route, with reasoning off."""
    pinned = settings.route
    route = None if pinned is None else Route(pinned.providers, pinned.quantizations)
    return Request(
        role=_SPEAKS_AS.get(role, role),
        provider=settings.provider,
        model=settings.model,
        messages=(Message("user", "Say ok."),),
        params=Params(max_tokens=1, reasoning="off"),
        route=route,
    )
