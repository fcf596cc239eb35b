"""The offline provider: small deterministic programs behind the same protocol as every model.

An answer depends on the request's content and its sample number alone: never on time, on the
order of calls, or on the process. Latency and faults can be dialled in for rehearsals; a fault
depends on the request and on how often it has been tried, so that retries end.
"""

import asyncio
import json
from array import array

from ...config import ProviderSettings
from ...errors import ErrorClass, ProviderError
from ...model.llm import (
    Completion,
    Finish,
    ParamsReport,
    RawReply,
    Request,
    TokenLogprobs,
    ToolCall,
    Usage,
)
from . import roles
from .chance import digest, uniform
from .roles import Reply

USED = ("temperature", "top_p", "top_k", "seed", "max_tokens", "logprobs", "top_logprobs")
UNUSED = (
    "presence_penalty", "repetition_penalty", "reasoning", "effort", "schema", "blocked_terms",
)  # fmt: skip


class OfflineProvider:
    """The embedded provider (design: engine.md, Providers)."""

    free = True

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        self.name = name
        self._careless = settings.careless
        self._faults = settings.faults
        self._tried: dict[bytes, int] = {}

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        """The answer as a body of our own, after the dialled latency.

        Raises ProviderError: TRANSIENT for a dialled fault or a latency above the time limit,
        PERMANENT for a role that no offline model plays.
        """
        key = identity(request)
        delay = self._faults.latency_s + self._faults.jitter_s * uniform(key, "jitter")
        if delay > 0:
            await asyncio.sleep(min(delay, timeout_s))
        if delay > timeout_s:
            raise ProviderError(
                ErrorClass.TRANSIENT, f"offline: no answer within {timeout_s:g} s; lower latency_s"
            )
        self._fail_on_demand(key)
        reply = roles.answer(request, key, self._careless)
        return RawReply(_body(request, reply), delay, params=_report(request))

    def _fail_on_demand(self, key: bytes) -> None:
        if self._faults.rate <= 0:
            return
        tried = self._tried.get(key, 0)
        if uniform(key, "fault", tried) < self._faults.rate:
            self._tried[key] = tried + 1
            raise ProviderError(
                ErrorClass.TRANSIENT, "offline: dialled fault (faults.rate)", status=503
            )
        self._tried.pop(key, None)

    def parse(self, reply: RawReply, request: Request) -> Completion:
        """The completion in a body; raises ProviderError (PERMANENT) where it is none of ours."""
        try:
            body = json.loads(reply.body)
            values = body["logprobs"]
            return Completion(
                text=body["text"],
                finish=Finish(body["finish"]),
                tool_calls=tuple(ToolCall(**call) for call in body.get("tool_calls", ())),
                raw_turn=body.get("tool_calls"),
                logprobs=None if values is None else TokenLogprobs(array("f", values)),
                usage=Usage(input=body["usage"]["input"], output=body["usage"]["output"]),
                served_model=body["model"],
                served_provider="offline",
                params=reply.params,
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ProviderError(
                ErrorClass.PERMANENT,
                f"offline: the stored body is not an offline answer ({error})",
                reason="unprocessable",
            ) from error

    def estimate_input_tokens(self, request: Request) -> int:
        """Characters by three, rounded up: more than any reader counts."""
        return _characters(request) // 3 + 1

    async def aclose(self) -> None:
        """Nothing is open."""


def identity(request: Request) -> bytes:
    """SHA-256 of what an answer depends on: role, model, texts, sampling parameters, sample."""
    params = request.params
    texts = [f"{message.role}:{message.text}" for message in request.messages]
    sampling = (params.temperature, params.top_p, params.top_k, params.seed, request.sample)
    return digest(request.role, request.model, request.system, *sampling, *texts)


def _characters(request: Request) -> int:
    return len(request.system or "") + sum(len(message.text) for message in request.messages)


def _body(request: Request, reply: Reply) -> bytes:
    tokens = reply.tokens
    limit = request.params.max_tokens
    cut = limit is not None and len(tokens) > limit
    if cut:
        tokens = tokens[:limit]
    drawn = request.role == "task"
    wants = drawn and request.params.logprobs
    top = [token.top for token in tokens] if wants and request.params.top_logprobs else None
    body: dict[str, object] = {
        "text": "".join(token.text for token in tokens),
        "finish": Finish.LENGTH if cut else Finish.STOP,
        "logprobs": [token.logprob for token in tokens] if wants else None,
        "top_logprobs": top,
        "usage": {"input": _characters(request) // 4 + 1, "output": len(tokens)},
        "model": request.model,
    }
    if reply.tool_calls:
        body["finish"] = Finish.TOOL_CALLS
        body["tool_calls"] = list(reply.tool_calls)
    return json.dumps(body, ensure_ascii=True, sort_keys=True).encode("ascii")


def _report(request: Request) -> ParamsReport:
    drawn = request.role == "task"
    params = request.params
    given = [name for name in (*USED, *UNUSED) if getattr(params, name) not in (None, False, ())]
    used = set(USED) if drawn else {"max_tokens"}
    return ParamsReport(
        sent=tuple(name for name in given if name in used),
        not_supported=tuple(name for name in given if name not in used),
    )
