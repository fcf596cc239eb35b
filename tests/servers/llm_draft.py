"""A reply before it is written in a wire's format, and the two formats."""

import hashlib
import json
import random
import re
from dataclasses import dataclass, field
from typing import Any, Literal

Wire = Literal["chat", "anthropic"]
_TOKEN = re.compile(r"\s*\S+|\s+$")


@dataclass
class Draft:
    """What will be answered to one request; faults change it."""

    wire: Wire
    body: dict[str, Any]
    number: int
    occurrence: int
    rng: random.Random
    headers: dict[str, str]
    text: str = ""
    model: str = ""
    provider: str | None = "Parasail"
    logprobs: list[float] | None = None
    drops_logprobs: bool = False
    finish: str | None = None
    native_finish: str | None = None
    refusal: str | None = None
    tool: dict[str, Any] | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)
    """Tool calls that the responder makes, over the chat wire: id, name, arguments."""
    usage: dict[str, Any] = field(default_factory=dict)
    blocks: list[dict[str, Any]] | None = None
    stop_details: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """An id that depends on the body and its occurrence alone."""
        digest = hashlib.sha256(canonical(self.body) + str(self.occurrence).encode())
        return digest.hexdigest()[:24]


def canonical(body: object) -> bytes:
    """One spelling of a JSON value."""
    return json.dumps(body, sort_keys=True).encode()


def reply_body(draft: Draft) -> bytes:
    """The whole answer in the draft's wire format; escapes keep lone surrogates alive."""
    value = _chat(draft) if draft.wire == "chat" else _message(draft)
    return json.dumps(value).encode()


def prompt_text(body: dict[str, Any]) -> str:
    """Every text of a request's messages."""
    return "\n".join(_content(message.get("content")) for message in body.get("messages", []))


def system_text(wire: Wire, body: dict[str, Any]) -> str | None:
    """The request's system text."""
    if wire == "anthropic":
        return _content(body["system"]) if "system" in body else None
    first = body["messages"][0]
    return _content(first["content"]) if first["role"] == "system" else None


def _content(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", part)) for part in content)
    return str(content)


def _chat(draft: Draft) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": draft.text, "refusal": draft.refusal}
    if draft.tool is not None:
        function = {"name": draft.tool["name"], "arguments": draft.tool["arguments"]}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    elif draft.calls:
        message["tool_calls"] = [
            {"id": call["id"], "type": "function", "function":
             {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
            for call in draft.calls
        ]  # fmt: skip
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": draft.finish or "stop",
        "native_finish_reason": draft.native_finish or draft.finish or "stop",
        "logprobs": _logprobs(draft),
    }
    value = {
        "id": f"gen-{draft.id}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": draft.model,
        "choices": [choice],
        "usage": _chat_usage(draft),
    }
    return value if draft.provider is None else {**value, "provider": draft.provider}


def _chat_usage(draft: Draft) -> dict[str, Any]:
    prompt, output = _counts(draft)
    cost = round(prompt * 5e-7 + output * 1.5e-6, 9)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "cost": cost,
        **draft.usage,
    }


def _counts(draft: Draft) -> tuple[int, int]:
    return len(prompt_text(draft.body)) // 4 + 1, len(draft.text) // 4 + 1


def _logprobs(draft: Draft) -> dict[str, Any] | None:
    if draft.drops_logprobs or not draft.body.get("logprobs"):
        return None
    tokens = _TOKEN.findall(draft.text)
    values = draft.logprobs
    if values is None or len(values) != len(tokens):
        rng = random.Random(f"{canonical(draft.body)!r}|{draft.text}")
        values = [round(-rng.random(), 6) for _ in tokens]
    top = int(draft.body.get("top_logprobs") or 0)
    pairs = zip(tokens, values, strict=True)
    return {"content": [_token(token, value, top) for token, value in pairs]}


def _token(token: str, value: float, top: int) -> dict[str, Any]:
    others = [{"token": f"{token}{k}", "logprob": value - k, "bytes": None} for k in range(top)]
    return {"token": token, "logprob": value, "bytes": None, "top_logprobs": others}


def _message(draft: Draft) -> dict[str, Any]:
    blocks = draft.blocks or [{"type": "text", "text": draft.text}]
    if draft.tool is not None:
        arguments = json.loads(draft.tool["arguments"])
        call = {"type": "tool_use", "id": "toolu_1", "name": draft.tool["name"]}
        blocks = [*blocks, {**call, "input": arguments}]
    return {
        "id": f"msg_{draft.id}",
        "type": "message",
        "role": "assistant",
        "model": draft.model,
        "content": blocks,
        "stop_reason": draft.finish or "end_turn",
        "stop_sequence": None,
        "stop_details": draft.stop_details,
        "usage": _message_usage(draft),
    }


def _message_usage(draft: Draft) -> dict[str, Any]:
    prompt, output = _counts(draft)
    return {
        "input_tokens": prompt,
        "output_tokens": output,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        **draft.usage,
    }
