"""A chat-completions reply, parsed: pure, and the same for every replay of a stored body."""

from array import array
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from math import isfinite
from typing import Any

from ..model.llm import (
    Completion,
    Finish,
    Json,
    ParamsReport,
    RawReply,
    Request,
    TokenLogprobs,
    ToolCall,
    Usage,
)
from .route import check_route
from .wire_errors import WireErrors
from .wire_json import clean, count, decode, event_errors, mapping, text_or_none, well_formed

PARSER_VERSION = 1

_FINISH = {
    "stop": Finish.STOP,
    "eos": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "content_filter": Finish.CONTENT_FILTER,
}
_NATIVE_FINISH = {
    "refusal": Finish.REFUSAL,
    "model_context_window_exceeded": Finish.CONTEXT_EXCEEDED,
}


def parse_chat(reply: RawReply, request: Request, dialect: str, errors: WireErrors) -> Completion:
    """The completion in `reply`.

    Raises ProviderError: the error that the body carries (top level, in a choice, as an event),
    TRANSIENT where it holds no result, ROUTE_MISMATCH where a pinned route was not kept.
    """
    body = _body(reply, errors)
    choice = _choice(body, reply, errors)
    served = _served_provider(body, dialect)
    check_route(request, text_or_none(body.get("model")), served, reply, errors)
    message = mapping(choice.get("message"))
    text, calls = _text(message), _tool_calls(message)
    finish, native = _finish(choice, message, reply, errors)
    usage = mapping(body.get("usage"))
    if not text and not calls and finish is Finish.STOP and not usage.get("completion_tokens", 1):
        raise errors.unusable("an empty answer of no tokens", reply.headers)
    logprobs, has_top = _logprobs(choice)
    cost = _cost(usage) if dialect == "openrouter" else None
    return Completion(
        text=text,
        finish=finish,
        native_finish=native,
        tool_calls=calls,
        raw_turn=clean(dict(message)) if calls else None,
        logprobs=logprobs,
        usage=_usage(usage),
        cost=cost,
        cost_source="unknown" if cost is None else "provider",
        served_model=text_or_none(body.get("model")),
        served_provider=served,
        params=_with_dropped(reply.params, logprobs is not None, has_top),
    )


def _body(reply: RawReply, errors: WireErrors) -> Mapping[str, Any]:
    try:
        body = decode(reply.body)
    except ValueError:
        if error := event_errors(reply.body):
            raise errors.inside_200(error, reply.headers) from None
        raise errors.unusable("the reply is no JSON, or was cut", reply.headers) from None
    if mapping(body).get("error"):
        raise errors.inside_200(body["error"], reply.headers)
    return mapping(body)


def _choice(body: Mapping[str, Any], reply: RawReply, errors: WireErrors) -> Mapping[str, Any]:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise errors.unusable("the reply has no choices", reply.headers)
    for choice in choices:
        if error := mapping(choice).get("error"):
            raise errors.inside_200(error, reply.headers)
    choice = mapping(choices[0])
    if not isinstance(choice.get("message"), dict):
        raise errors.unusable("the first choice has no message", reply.headers)
    return choice


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = (mapping(part).get("text") for part in content)
        content = "".join(part for part in parts if isinstance(part, str))
    return well_formed(content) if isinstance(content, str) else ""


def _tool_calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls")
    return tuple(_tool_call(mapping(call)) for call in calls) if isinstance(calls, list) else ()


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = mapping(call.get("function"))
    return ToolCall(
        text_or_none(call.get("id")) or "",
        text_or_none(function.get("name")) or "",
        _arguments(function.get("arguments")),
    )


def _arguments(value: Any) -> Mapping[str, Json] | None:
    if isinstance(value, str):
        try:
            value = decode(value.encode("utf-8", "surrogatepass")) if value.strip() else {}
        except ValueError:
            return None
    cleaned = clean(value)
    return cleaned if isinstance(cleaned, dict) else None


def _finish(
    choice: Mapping[str, Any], message: Mapping[str, Any], reply: RawReply, errors: WireErrors
) -> tuple[Finish, str | None]:
    word = text_or_none(choice.get("finish_reason"))
    native = text_or_none(choice.get("native_finish_reason")) or word
    if message.get("refusal"):
        return Finish.REFUSAL, native
    if native in _NATIVE_FINISH:
        return _NATIVE_FINISH[native], native
    if word is None or word == "error":
        raise errors.unusable(f"the answer did not end (finish reason {word})", reply.headers)
    return _FINISH.get(word, Finish.STOP), native


def _logprobs(choice: Mapping[str, Any]) -> tuple[TokenLogprobs | None, bool]:
    """(packed log-probabilities, whether alternatives came with them); None if any is missing."""
    tokens = mapping(choice.get("logprobs")).get("content")
    if not isinstance(tokens, list) or not tokens:
        return None, False
    try:
        values = array("f", [token["logprob"] for token in tokens])
        has_top = bool(tokens[0].get("top_logprobs"))
    except (AttributeError, KeyError, TypeError, OverflowError):
        return None, False
    return (TokenLogprobs(values), has_top) if isfinite(sum(values)) else (None, False)


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Disjoint counts: here the cached and the written tokens are part of the prompt's."""
    prompt, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    details = mapping(usage.get("prompt_tokens_details"))
    cached, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    fresh = None if prompt is None else max(prompt - (cached or 0) - (written or 0), 0)
    reasoning = mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")
    return Usage(
        input=fresh,
        cached_input=cached,
        cache_write_5m=written,
        output=output,
        reasoning=count(reasoning),
    )


def _cost(usage: Mapping[str, Any]) -> Decimal | None:
    """US dollars as OpenRouter charged them; with the user's own upstream key, its bill besides."""
    cost = _money(usage.get("cost"))
    if cost is not None and usage.get("is_byok") is True:
        upstream = _money(mapping(usage.get("cost_details")).get("upstream_inference_cost"))
        return cost + (upstream or 0)
    return cost


def _money(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    amount = Decimal(str(value))
    return amount if amount.is_finite() and amount >= 0 else None


def _served_provider(body: Mapping[str, Any], dialect: str) -> str | None:
    served = text_or_none(body.get("provider"))
    return "openai" if served is None and dialect == "openai" else served


def _with_dropped(report: ParamsReport, has_logprobs: bool, has_top: bool) -> ParamsReport:
    missing = {"logprobs": not has_logprobs, "top_logprobs": not has_top}
    dropped = tuple(name for name in report.sent if missing.get(name))
    if not dropped:
        return report
    return replace(
        report, sent=tuple(name for name in report.sent if name not in dropped), dropped=dropped
    )
