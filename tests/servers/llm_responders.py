"""What a model server answers: a digest of the text, or what the offline models would say."""

import hashlib
import inspect
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from tests.servers.llm_draft import Wire, canonical, prompt_text, system_text

Responder = Callable[[Wire, dict[str, Any]], "str | Awaitable[str]"]

ROLE_BY_KEYS = (
    ("audit", {"candidate_lines"}),
    ("realism", {"rubric", "candidate"}),
    ("extraction", {"expected_output"}),
    ("mutation", {"axis_feedback"}),
    ("rubric", {"sources"}),
    ("analysis", {"cases"}),
    ("challenger", {"operators", "proposals"}),
    ("proposer", {"pass", "schema"}),
)

GATES = ("extraction", "audit", "realism")
"""Roles asked at temperature 0, which the Anthropic wire leaves out."""


class Said(str):
    """A text with the tool calls that come with it."""

    calls: list[dict[str, Any]]


def digest_responder(wire: Wire, body: dict[str, Any]) -> str:
    """A text that depends on the request alone; a JSON object where JSON is asked for."""
    digest = hashlib.sha256(canonical(body)).hexdigest()[:16]
    asks_json = body.get("response_format") or body.get("output_config", {}).get("format")
    if asks_json:
        return json.dumps({"answer": digest})
    return f"The answer is {digest}."


async def respond(responder: Responder, wire: Wire, body: dict[str, Any]) -> str:
    """The responder's text, awaited where it is asynchronous."""
    answer = responder(wire, body)
    return await answer if inspect.isawaitable(answer) else answer


class OfflineResponder:
    """Answers as the offline models do, so that a whole run can go over the wire.

    A wire request names neither its role nor its sample. The role follows from the keys of the
    prompt's JSON document. The sample is the distance of the request's `seed` to `profile_seed`,
    the seed in the run's configuration; without a seed, how often the same body has come before.
    With a seed the answers are the offline run's own, whatever the order of arrival.
    """

    def __init__(self, careless: float = 0.15, profile_seed: int = 0) -> None:
        from evoscope.engine.config import ProviderSettings
        from evoscope.engine.providers.offline.provider import OfflineProvider

        settings = ProviderSettings(kind="offline", careless=careless)
        self._provider = OfflineProvider("offline", settings)
        self._profile_seed = profile_seed
        self._seen: Counter[bytes] = Counter()

    async def __call__(self, wire: Wire, body: dict[str, Any]) -> str:
        request = self._request(wire, body, self._sample(body))
        completion = self._provider.parse(await self._provider.send(request, 600), request)
        said = Said(completion.text)
        said.calls = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in completion.tool_calls
        ]
        return said

    def _sample(self, body: dict[str, Any]) -> int:
        if "seed" in body:
            return int(body["seed"]) - self._profile_seed
        key = canonical(body)
        self._seen[key] += 1
        return self._seen[key] - 1

    def _request(self, wire: Wire, body: dict[str, Any], sample: int) -> Any:
        from evoscope.engine.model.llm import Params, Request

        role = role_of(prompt_text(body))
        role = "agent" if role == "task" and body.get("tools") else role
        left_out = 0.0 if role in GATES and wire == "anthropic" else None
        turns = [turn for turn in body["messages"] if turn["role"] != "system"]
        return Request(
            role=role,
            provider="offline",
            model=body["model"],
            system=system_text(wire, body),
            messages=tuple(map(_message, turns)),
            tools=tuple(map(_tool, body.get("tools", []))),
            params=Params(
                temperature=body.get("temperature", left_out),
                top_p=body.get("top_p"),
                top_k=body.get("top_k"),
                seed=body.get("seed"),
                logprobs=True,
            ),
            sample=sample,
        )


def _message(turn: dict[str, Any]) -> Any:
    """A turn of the chat wire as the offline agent keeps it."""
    from evoscope.engine.model.llm import Message

    calls = [
        {"id": call["id"], "name": call["function"]["name"],
         "arguments": json.loads(call["function"]["arguments"])}
        for call in turn.get("tool_calls") or ()
    ]  # fmt: skip
    text = str(turn.get("content") or "")
    return Message(turn["role"], text, raw=calls or None, tool_call_id=turn.get("tool_call_id"))


def _tool(tool: dict[str, Any]) -> Any:
    """A tool of the chat wire."""
    from evoscope.engine.model.llm import Tool

    said = tool["function"]
    return Tool(said["name"], said.get("description", ""), said["parameters"])


def role_of(prompt: str) -> str:
    """Who asks: told by the keys of the document between <input> and </input>, else the task."""
    start, end = prompt.find("<input>\n"), prompt.rfind("\n</input>")
    if start < 0 or end < start:
        return "task"
    try:
        keys = set(json.loads(prompt[start + len("<input>\n") : end]))
    except (ValueError, TypeError):
        return "task"
    return next((role for role, wanted in ROLE_BY_KEYS if wanted <= keys), "task")


def responder_named(name: str, careless: float, profile_seed: int) -> Responder:
    """The responder that a script names: digest or offline."""
    if name == "offline":
        return OfflineResponder(careless, profile_seed)
    if name == "digest":
        return digest_responder
    raise ValueError(f"no responder {name!r}; there are digest and offline")
