"""What is inside the stored texts: a node's fields, a request's messages, a reply's words."""

import json
from collections.abc import Mapping
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


def prompt_of(request: str) -> list[tuple[str, str]]:
    """(role, text) of each part of a stored request."""
    try:
        value = json.loads(request)
    except ValueError:
        return [("request", request)]
    if not isinstance(value, dict):
        return [("request", request)]
    parts = [("system", str(value["system"]))] if value.get("system") else []
    for message in value.get("messages") or []:
        if isinstance(message, dict):
            parts.append((str(message.get("role", "?")), str(message.get("text", ""))))
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
