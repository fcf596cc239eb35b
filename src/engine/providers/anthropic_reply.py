"""A reply of Anthropic's Messages API, parsed: pure, and the same for every replay."""

from collections.abc import Mapping
from typing import Any

from ..model.llm import Completion, Finish, Json, RawReply, Request, ToolCall, Usage
from .route import check_model, check_route
from .wire_errors import WireErrors
from .wire_json import clean, count, decode, event_errors, mapping, text_or_none, well_formed

PARSER_VERSION = 1

_FINISH = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "tool_use": Finish.TOOL_CALLS,
    "pause_turn": Finish.PAUSE,
    "refusal": Finish.REFUSAL,
    "model_context_window_exceeded": Finish.CONTEXT_EXCEEDED,
}
_CONTINUED = (Finish.TOOL_CALLS, Finish.PAUSE)


def parse_message(reply: RawReply, request: Request, errors: WireErrors) -> Completion:
    """The completion in `reply`; `raw_turn` holds the content blocks of a turn to be continued.

    Raises ProviderError: the error that the body carries, TRANSIENT where it holds no result,
    ROUTE_MISMATCH where another model answered (there is one route here, so always checked).
    """
    body = _body(reply, errors)
    model = text_or_none(body.get("model"))
    check_model(request, model, reply, errors)
    check_route(request, model, "anthropic", reply, errors)
    content, reason = body.get("content"), text_or_none(body.get("stop_reason"))
    if not isinstance(content, list) or reason is None:
        raise errors.unusable("the message has no content or no stop reason", reply.headers)
    finish = _FINISH.get(reason, Finish.STOP)
    blocks = [mapping(block) for block in content]
    return Completion(
        text=_text(blocks),
        finish=finish,
        native_finish=_native(reason, body),
        tool_calls=tuple(_tool_call(each) for each in blocks if each.get("type") == "tool_use"),
        raw_turn=clean(content) if finish in _CONTINUED else None,
        usage=_usage(mapping(body.get("usage"))),
        served_model=model,
        served_provider="anthropic",
        params=reply.params,
    )


def _body(reply: RawReply, errors: WireErrors) -> Mapping[str, Any]:
    try:
        body = mapping(decode(reply.body))
    except ValueError:
        if error := event_errors(reply.body):
            raise errors.inside_200(error, reply.headers) from None
        raise errors.unusable("the reply is no JSON, or was cut", reply.headers) from None
    if error := body.get("error"):
        raise errors.inside_200(error, reply.headers)
    if body.get("type") != "message":
        raise errors.unusable("the reply is no message", reply.headers)
    return body


def _text(blocks: list[Mapping[str, Any]]) -> str:
    texts = (block.get("text") for block in blocks if block.get("type") == "text")
    return "".join(well_formed(text) for text in texts if isinstance(text, str))


def _tool_call(block: Mapping[str, Any]) -> ToolCall:
    arguments: Json = clean(block.get("input"))
    return ToolCall(
        text_or_none(block.get("id")) or "",
        text_or_none(block.get("name")) or "",
        arguments if isinstance(arguments, dict) else None,
    )


def _native(reason: str, body: Mapping[str, Any]) -> str:
    """The provider's word; a refusal with its category, which says what was taken offence at."""
    category = text_or_none(mapping(body.get("stop_details")).get("category"))
    return f"{reason}:{category}" if category else reason


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Disjoint counts as they come. Writes without their split by duration count as 5 minutes."""
    split = mapping(usage.get("cache_creation"))
    short = count(split.get("ephemeral_5m_input_tokens"))
    long = count(split.get("ephemeral_1h_input_tokens"))
    if not split:
        short = count(usage.get("cache_creation_input_tokens"))
    thinking = mapping(usage.get("output_tokens_details")).get("thinking_tokens")
    return Usage(
        input=count(usage.get("input_tokens")),
        cached_input=count(usage.get("cache_read_input_tokens")),
        cache_write_5m=short,
        cache_write_1h=long,
        output=count(usage.get("output_tokens")),
        reasoning=count(thinking),
    )
