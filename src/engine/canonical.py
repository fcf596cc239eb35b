"""Canonical JSON and hashes: the same bytes for the same value, whoever wrote it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .model.llm import Completion, Request


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, text kept as it is (lone surrogates as escapes)."""
    text = _dumped(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def request_parts(request: Request) -> tuple[bytes, ...]:
    """`request_body` in pieces: one for each message, then the rest.

    The turns of a conversation repeat all earlier messages, so the store keeps each piece once.
    """
    params, route = request.params, request.route
    parameters = {name: getattr(params, name) for name in params.__slots__}
    if params.schema is not None:
        parameters["schema"] = [params.schema[0], _plain(params.schema[1])]
    messages = [[m.role, m.text, m.raw, m.tool_call_id] for m in request.messages]
    rest = {
        "role": request.role,
        "provider": request.provider,
        "model": request.model,
        "system": request.system,
        "params": {name: value for name, value in parameters.items() if value is not None},
        "tools": [[t.name, t.description, _plain(t.schema)] for t in request.tools],
        "route": None if route is None else [route.providers, route.quantizations],
    }
    pieces = [f",{_dumped(message)}" for message in messages]
    pieces[:1] = ['{"messages":[' + "".join(pieces[:1])[1:]]
    pieces.append(f"],{_dumped(rest)[1:]}")
    try:
        return tuple(piece.encode() for piece in pieces)
    except UnicodeEncodeError:
        return (canonical_json({"messages": messages, **rest}).encode(),)


def request_body(request: Request) -> bytes:
    """Everything of a request but its sample number, so that samples of one prompt share a copy."""
    return b"".join(request_parts(request))


def request_hash(body_hash: str, sample: int) -> str:
    """The identity of a request: its body and its sample number."""
    return sha256(f"{body_hash}:{sample}".encode())


def completion_hash(completion: Completion) -> str:
    """What of a completion is a fact: text, finish, tool calls, log-probabilities.

    Tokens, cost, latency and route are left out: they differ between sessions.
    """
    logprobs = completion.logprobs
    value = [
        completion.text,
        completion.finish.value,
        [[c.id, c.name, _plain(c.arguments)] for c in completion.tool_calls],
        None if logprobs is None else sha256(logprobs.values.tobytes()),
    ]
    return sha256(canonical_json(value).encode())
