"""What is inside the stored texts: a node's fields, a request's messages, a reply's words."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..model.llm import Json


def fields_of(content: str) -> Mapping[str, Json]:
    """A node's input fields by name; the whole content as one field if it has none."""
    try:
        value = json.loads(content)
    except ValueError:
        return {"content": content}
    if not isinstance(value, dict):
        return {"content": value}
    inner = value.get("fields")
    return inner if isinstance(inner, dict) else value


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a stored request; `calls` are the tools it calls, with their arguments."""

    role: str
    text: str
    calls: tuple[tuple[str, Json], ...] = ()


def turns_of(request: str) -> list[Turn]:
    """The messages of a stored request in order, whichever form its tool calls have."""
    try:
        value = json.loads(request)
    except ValueError:
        return []
    listed = value.get("messages") if isinstance(value, dict) else None
    return [turn for one in listed or [] if (turn := _turn(one)) is not None]


def _turn(message: Any) -> Turn | None:
    if isinstance(message, dict):
        role, text, raw = (message.get(name) for name in ("role", "text", "raw"))
    elif isinstance(message, list) and len(message) > 1:
        role, text, raw = message[0], message[1], message[2] if len(message) > 2 else None
    else:
        return None
    return Turn(str(role or "?"), str(text or ""), tuple(_calls(raw)))


def _calls(raw: Any) -> Iterator[tuple[str, Json]]:
    """The tool calls of a provider's own turn."""
    listed = raw.get("tool_calls") if isinstance(raw, dict) else raw
    for call in listed if isinstance(listed, list) else []:
        if not isinstance(call, dict) or call.get("type") in ("text", "thinking"):
            continue
        function = call.get("function")
        own = function if isinstance(function, dict) else call
        if "name" in own:
            yield str(own["name"]), own.get("arguments", own.get("input"))


def prompt_of(request: str) -> list[tuple[str, str]]:
    """(role, text) of each part of a stored request, tool calls as lines of JSON."""
    try:
        value = json.loads(request)
    except ValueError:
        return [("request", request)]
    if not isinstance(value, dict):
        return [("request", request)]
    parts = [("system", str(value["system"]))] if value.get("system") else []
    for turn in turns_of(request):
        called = [f"{name} {json.dumps(own, ensure_ascii=False)}" for name, own in turn.calls]
        parts.append((turn.role, "\n".join([*([turn.text] if turn.text else []), *called])))
    return parts or [("request", request)]


def reply_text(body: str) -> str:
    """The words of a raw reply, whichever wire format it has; the body itself if none is known."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    for reader in (_messages_reply, _chat_reply, _plain_reply):
        text = reader(value)
        if text is not None:
            return text
    return json.dumps(value, indent=2, ensure_ascii=False)


def _messages_reply(value: Any) -> str | None:
    parts = value.get("content") if isinstance(value, dict) else None
    if not isinstance(parts, list):
        return None
    return "\n".join(str(p.get("text", "")) for p in parts if isinstance(p, dict) and "text" in p)


def _chat_reply(value: Any) -> str | None:
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    text = message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) else None


def _plain_reply(value: Any) -> str | None:
    text = value.get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) else None


def pretty(text: str) -> str:
    """A JSON text indented; anything else as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False, sort_keys=True)
    except ValueError:
        return text
