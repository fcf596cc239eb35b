"""A request in the format of Anthropic's Messages API."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from anthropic import transform_schema

from ..model.llm import Json, Message, Params, ParamsReport, Request
from .wire_json import clean, well_formed

DEFAULT_MAX_TOKENS = 16_384
CACHED: Mapping[str, Json] = {"type": "ephemeral"}
EXTRA = ("temperature", "top_p", "top_k")
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(/\S*)?", re.I)


def messages_body(request: Request, report: ParamsReport) -> dict[str, Json]:
    """The request's JSON body; holds exactly the parameters that `report` lists as sent.

    The stable part (tools, then the system text) comes first and ends in a cache breakpoint. A
    single user turn is not cached: votes on one prompt leave together, and each would pay to write
    it. A conversation is, since its next step reads all of it again.
    """
    sent = frozenset(report.sent)
    body: dict[str, Json] = {
        "model": request.model,
        "max_tokens": request.params.max_tokens or DEFAULT_MAX_TOKENS,
        "messages": _turns(request.messages),
    }
    tools = _tools(request, sent)
    if system := _system_text(request, sent):
        body["system"] = [{"type": "text", "text": system, "cache_control": dict(CACHED)}]
    elif tools:
        tools[-1]["cache_control"] = dict(CACHED)
    if tools:
        body["tools"] = cast(Json, tools)
    if len(request.messages) > 1:
        body["cache_control"] = dict(CACHED)
    body.update(_thinking(request.params, sent))
    body.update({name: getattr(request.params, name) for name in EXTRA if name in sent})
    return body


def _thinking(params: Params, sent: frozenset[str]) -> dict[str, Json]:
    body: dict[str, Json] = {}
    if "reasoning" in sent:
        body["thinking"] = {"type": "disabled" if params.reasoning == "off" else "adaptive"}
    output: dict[str, Json] = {}
    if "effort" in sent:
        output["effort"] = params.effort
    if "schema" in sent and params.schema is not None:
        closed = transform_schema(cast(dict[str, Any], dict(params.schema[1])))
        output["format"] = {"type": "json_schema", "schema": cast(Json, closed)}
    return {**body, "output_config": output} if output else body


def _system_text(request: Request, sent: frozenset[str]) -> str:
    parts = [request.system or ""]
    if "web_search" in sent and request.params.blocked_terms:
        terms = "; ".join(request.params.blocked_terms)
        parts.append(f"Never put any of these terms into a web search query: {terms}")
    return well_formed("\n\n".join(part for part in parts if part))


def _tools(request: Request, sent: frozenset[str]) -> list[dict[str, Json]]:
    tools: list[dict[str, Json]] = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
        for tool in request.tools
    ]
    if "web_search" in sent:
        search: dict[str, Json] = {"type": "web_search_20250305", "name": "web_search"}
        if domains := [term for term in request.params.blocked_terms if _DOMAIN.fullmatch(term)]:
            search["blocked_domains"] = cast(Json, domains)
        tools.append(search)
    return tools


def _turns(messages: Iterable[Message]) -> list[Json]:
    """The conversation; results of tools called together share one user turn, as the API wants."""
    turns: list[Json] = []
    results: list[Json] = []
    for message in messages:
        if message.role == "tool":
            if not results:
                turns.append({"role": "user", "content": results})
            results.append(_tool_result(message))
        else:
            results = []
            content = well_formed(message.text) if message.raw is None else clean(message.raw)
            turns.append({"role": message.role, "content": content})
    return turns


def _tool_result(message: Message) -> Json:
    return {
        "type": "tool_result",
        "tool_use_id": message.tool_call_id,
        "content": well_formed(message.text),
    }
