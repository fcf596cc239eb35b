"""Faults on demand: which request they hit, and what they do to its answer."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from tests.servers.llm_draft import Draft, reply_body

TRANSPORT = ("delay", "latency", "hold", "hang", "drop", "truncate")


@dataclass(frozen=True)
class Rule:
    """A fault and the requests that it hits: all conditions that are given must hold.

    `nth` lists request numbers (from 1), `first` means the first so many, `every` each k-th,
    `occurrence` the n-th time that the same body comes (from 1), `match` a text in the body,
    `wire` one format, `rate` a share drawn from (seed, body, occurrence). `times` ends it after so
    many hits.
    """

    fault: str
    nth: tuple[int, ...] = ()
    first: int = 0
    every: int = 0
    occurrence: tuple[int, ...] = ()
    match: str = ""
    wire: str = ""
    rate: float = 1.0
    times: int = 0
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {*TRANSPORT, *CHANGES, *ENDINGS}
        if self.fault not in known:
            raise ValueError(f"no fault {self.fault!r}; there are {', '.join(sorted(known))}")

    def hits(self, draft: Draft, text: str, draw: random.Random) -> bool:
        """Whether this request is hit, `times` aside."""
        return (
            (not self.nth or draft.number in self.nth)
            and (not self.first or draft.number <= self.first)
            and (not self.every or draft.number % self.every == 0)
            and (not self.occurrence or draft.occurrence in self.occurrence)
            and (not self.wire or draft.wire == self.wire)
            and self.match in text
            and (self.rate >= 1 or draw.random() < self.rate)
        )


def rule(value: Mapping[str, Any]) -> Rule:
    """A rule from JSON; a single number stands for a list of one."""
    lists = {
        name: tuple(value[name] if isinstance(value[name], list) else [value[name]])
        for name in ("nth", "occurrence")
        if name in value
    }
    return Rule(**{**value, **lists})


@dataclass(frozen=True)
class Ending:
    """An answer that replaces the usual one."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


def error(draft: Draft, status: int, message: str, **more: Any) -> bytes:
    """An error body in the draft's wire format; `kind`, `code`, `details`, `metadata` if given."""
    if draft.wire == "anthropic":
        inner: dict[str, Any] = {"type": more.get("kind", "api_error"), "message": message}
        if "code" in more:
            inner["details"] = {"error_code": more["code"]}
        return json.dumps({"type": "error", "error": inner, "request_id": "req_1"}).encode()
    inner = {"message": message, "code": more.get("code", status)}
    if "metadata" in more:
        inner["metadata"] = more["metadata"]
    return json.dumps({"error": inner}).encode()


def _rate_limit(draft: Draft, args: Mapping[str, Any]) -> Ending:
    headers = {}
    if (wait := args.get("retry_after")) is not None:
        if isinstance(wait, str) and wait.startswith("date"):
            moment = datetime.now(UTC) + timedelta(seconds=float(wait[4:] or 89))
            headers["retry-after"] = format_datetime(moment, usegmt=True)
        else:
            headers["retry-after"] = str(wait)
    if (millis := args.get("retry_after_ms")) is not None:
        headers["retry-after-ms"] = str(millis)
    return Ending(429, error(draft, 429, "slow down", kind="rate_limit_error"), headers)


def _spend_limit(status: int) -> Callable[[Draft, Mapping[str, Any]], Ending]:
    """429 with its code; 400 as Anthropic words a limit that an organisation set for itself."""

    def make(draft: Draft, args: Mapping[str, Any]) -> Ending:
        if status == 429:
            code = "enforced_spend_limit_reached" if draft.wire == "anthropic" else None
            text = "the monthly threshold is crossed"
            body = error(
                draft, 429, text, kind="rate_limit_error", code=code or "insufficient_quota"
            )
        else:
            text = "This usage reaches a workspace spend limit you set."
            body = error(draft, 400, text, kind="invalid_request_error")
        return Ending(status, body)

    return make


def _payment(draft: Draft, args: Mapping[str, Any]) -> Ending:
    if args.get("in_flight"):
        metadata = {"limit_source": "openrouter_in_flight_budget"}
        body = error(draft, 402, "in-flight budget", metadata=metadata, kind="billing_error")
        return Ending(402, body, {"retry-after": "3"})
    return Ending(402, error(draft, 402, "no credit", kind="billing_error"))


def _plain(status: int, kind: str, message: str) -> Callable[[Draft, Mapping[str, Any]], Ending]:
    def make(draft: Draft, args: Mapping[str, Any]) -> Ending:
        said = str(args.get("message", message))
        chosen = int(args.get("status", status))
        more = {name: args[name] for name in ("code", "metadata") if name in args}
        return Ending(chosen, error(draft, chosen, said, kind=args.get("kind", kind), **more))

    return make


def _inside_200(draft: Draft, args: Mapping[str, Any]) -> Ending:
    place, code = args.get("place", "top"), int(args.get("code", 502))
    kind = args.get("kind", "overloaded_error")
    body = error(draft, code, "upstream failed", kind=kind, metadata={"raw": '{"a": "b"}'})
    if place == "choice":
        value = json.loads(reply_body(draft))
        value["choices"][0]["error"] = json.loads(body)["error"]
        value["choices"][0]["finish_reason"] = "error"
        body = json.dumps(value).encode()
    elif place == "sse":
        head = b": PROCESSING\n\n" if draft.wire == "chat" else b"event: error\n"
        return Ending(200, head + b"data: " + body + b"\n\n", {}, "text/event-stream")
    return Ending(200, body)


def _choices(value: Any) -> Callable[[Draft, Mapping[str, Any]], Ending]:
    def make(draft: Draft, args: Mapping[str, Any]) -> Ending:
        name = "choices" if draft.wire == "chat" else "content"
        body = {**json.loads(reply_body(draft)), name: value}
        return Ending(200, json.dumps(body).encode())

    return make


def _cut_json(draft: Draft, args: Mapping[str, Any]) -> Ending:
    body = reply_body(draft)
    return Ending(200, body[: len(body) // 2])


def _echo_key(draft: Draft, args: Mapping[str, Any]) -> Ending:
    key = draft.headers.get("x-api-key") or draft.headers.get("authorization", "")
    return Ending(401, error(draft, 401, f"bad key {key}", kind="authentication_error"))


ENDINGS: dict[str, Callable[[Draft, Mapping[str, Any]], Ending]] = {
    "rate_limit": _rate_limit,
    "spend_limit_429": _spend_limit(429),
    "spend_limit_400": _spend_limit(400),
    "payment": _payment,
    "overloaded": _plain(529, "overloaded_error", "overloaded"),
    "server_error": _plain(500, "api_error", "internal"),
    "status": _plain(500, "api_error", "as scripted"),
    "auth": _plain(401, "authentication_error", "bad key"),
    "forbidden": _plain(403, "permission_error", "not allowed"),
    "bad_request": _plain(400, "invalid_request_error", "bad field"),
    "not_found": _plain(404, "not_found_error", "no such model"),
    "too_large": _plain(413, "request_too_large", "too large"),
    "unprocessable": _plain(422, "invalid_request_error", "cannot process"),
    "error_in_200": _inside_200,
    "choices_null": _choices(None),
    "choices_empty": _choices([]),
    "cut_json": _cut_json,
    "not_json": lambda draft, args: Ending(
        int(args.get("status", 200)), b"<html><b>Bad gateway</b></html>", {}, "text/html"
    ),
    "echo_key": _echo_key,
}


def _set(**values: Any) -> Callable[[Draft, Mapping[str, Any]], None]:
    def change(draft: Draft, args: Mapping[str, Any]) -> None:
        for name, value in values.items():
            setattr(draft, name, args.get(name, value))

    return change


def _big(draft: Draft, args: Mapping[str, Any]) -> None:
    size = int(args.get("bytes", 5_000_000))
    draft.text = (draft.text + " word" * (size // 5 + 1))[:size]


def _malformed(draft: Draft, args: Mapping[str, Any]) -> None:
    draft.text = draft.text.rstrip().removesuffix("}") + ', "cut": [1, 2'


def _fenced(draft: Draft, args: Mapping[str, Any]) -> None:
    draft.text = f"```json\n{draft.text}\n```"


def _surrogate(draft: Draft, args: Mapping[str, Any]) -> None:
    draft.text += " \ud83d cut \ude00"


def _refusal(draft: Draft, args: Mapping[str, Any]) -> None:
    if draft.wire == "anthropic":
        draft.finish = "refusal"
        draft.stop_details = {"type": "refusal", "category": "frontier_llm", "explanation": None}
    else:
        draft.refusal, draft.text = "I cannot help with that.", ""


def _pause(draft: Draft, args: Mapping[str, Any]) -> None:
    """A turn of server tools that is to be continued; on the chat wire there is none."""
    if draft.wire != "anthropic":
        return
    draft.finish = "pause_turn"
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search"}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1"}
    draft.blocks = [
        {"type": "thinking", "thinking": "look it up", "signature": "c2lnbmVk"},
        {**search, "input": {"query": "benchmarks"}},
        {**found, "content": [{"type": "web_search_result", "encrypted_content": "ZW5j"}]},
    ]


def _tool_call(draft: Draft, args: Mapping[str, Any]) -> None:
    draft.finish = "tool_use" if draft.wire == "anthropic" else "tool_calls"
    draft.tool = {"name": args.get("name", "look"), "arguments": args.get("arguments", '{"k": 1}')}


def _finish(chat: str, anthropic: str) -> Callable[[Draft, Mapping[str, Any]], None]:
    def change(draft: Draft, args: Mapping[str, Any]) -> None:
        draft.finish = chat if draft.wire == "chat" else anthropic

    return change


def _usage(draft: Draft, args: Mapping[str, Any]) -> None:
    draft.usage = dict(args)


CHANGES: dict[str, Callable[[Draft, Mapping[str, Any]], None]] = {
    "wrong_model": _set(model="other/model-7b"),
    "wrong_provider": _set(provider="Elsewhere"),
    "no_provider": _set(provider=None),
    "no_logprobs": _set(drops_logprobs=True),
    "text": _set(text=""),
    "surrogate": _surrogate,
    "big": _big,
    "malformed_json": _malformed,
    "fenced_json": _fenced,
    "refusal": _refusal,
    "pause": _pause,
    "tool_call": _tool_call,
    "length": _finish("length", "max_tokens"),
    "content_filter": _finish("content_filter", "refusal"),
    "context_exceeded": _set(
        finish="model_context_window_exceeded", native_finish="model_context_window_exceeded"
    ),
    "usage": _usage,
}
