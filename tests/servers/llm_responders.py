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
)


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
    prompt's JSON document; the sample is the request's `seed` where it has one, else how often the
    same body has come before. A temperature of 0 is the greedy completion.
    """

    def __init__(self, careless: float = 0.15) -> None:
        from evoscope.engine.config import ProviderSettings
        from evoscope.engine.providers.offline.provider import OfflineProvider

        settings = ProviderSettings(kind="offline", careless=careless)
        self._provider = OfflineProvider("offline", settings)
        self._seen: Counter[bytes] = Counter()

    async def __call__(self, wire: Wire, body: dict[str, Any]) -> str:
        key = canonical(body)
        sample = body.get("seed", self._seen[key])
        self._seen[key] += 1
        request = self._request(wire, body, sample)
        reply = await self._provider.send(request, 600)
        return self._provider.parse(reply, request).text

    def _request(self, wire: Wire, body: dict[str, Any], sample: int) -> Any:
        from evoscope.engine.model.llm import Message, Params, Request

        role = role_of(prompt_text(body))
        greedy = body.get("temperature") == 0 and role == "task"
        turns = [turn for turn in body["messages"] if turn["role"] != "system"]
        return Request(
            role=role,
            provider="offline",
            model=body["model"],
            system=system_text(wire, body),
            messages=tuple(Message(turn["role"], str(turn["content"])) for turn in turns),
            params=Params(
                temperature=body.get("temperature"),
                top_p=body.get("top_p"),
                top_k=body.get("top_k"),
                seed=body.get("seed"),
                logprobs=True,
            ),
            sample=-1 if greedy else sample,
        )


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


RESPONDERS: dict[str, Callable[[], Responder]] = {
    "digest": lambda: digest_responder,
    "offline": OfflineResponder,
}
