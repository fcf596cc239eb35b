"""What an offline agent can see: advice, question, its own calls and their answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ...model.llm import Json, Request, Tool
from .chance import uniform
from .prompts import tagged


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that was answered; `reply` is the answer's JSON, None where it is none."""

    name: str
    arguments: Mapping[str, Json]
    reply: Json

    @property
    def parts(self) -> list[Mapping[str, Json]]:
        """The answer's objects: several where the host read on by itself; none for an error."""
        if not isinstance(self.reply, dict) or "error" in self.reply:
            return []
        parts = self.reply.get("parts")
        if isinstance(parts, list):
            return [part for part in parts if isinstance(part, dict) and "error" not in part]
        return [self.reply]


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation so far. `advice` is the harness's text in lower case; `note` the host's
    last words, "" where the last message is none of its notes."""

    question: str
    advice: str
    tools: tuple[Tool, ...]
    calls: tuple[Call, ...]
    note: str
    sample: int

    def luck(self, *what: object) -> float:
        """A number in [0, 1) fixed by question, sample and what it is for."""
        return uniform(self.question, self.sample, *what)


def read_talk(request: Request) -> Talk:
    """The conversation in a request."""
    first = request.messages[0].text
    asked: dict[str, tuple[str, Mapping[str, Json]]] = {}
    calls: list[Call] = []
    for message in request.messages[1:]:
        if message.role == "assistant" and isinstance(message.raw, list):
            for raw in message.raw:
                if isinstance(raw, dict) and isinstance(raw.get("arguments"), dict):
                    arguments = raw["arguments"]
                    assert isinstance(arguments, dict)
                    asked[str(raw.get("id"))] = (str(raw.get("name")), arguments)
        elif message.role == "tool":
            name, given = asked.get(message.tool_call_id or "", ("", {}))
            calls.append(Call(name, given, _json(message.text)))
    last = request.messages[-1]
    note = last.text if last.role == "user" and len(request.messages) > 1 else ""
    advice = (request.system or "").lower()
    question = tagged(first, "question") or first
    return Talk(question, advice, request.tools, tuple(calls), note, request.sample)


def _json(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
