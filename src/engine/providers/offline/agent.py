"""The offline agent: which kind of task a conversation is about, and its next turn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...model.llm import Json, Request
from . import corpus_agent, ledger_agent
from .agent_talk import Talk, read_talk


@dataclass(frozen=True, slots=True)
class Turn:
    """The agent's next turn: tool calls, or a final answer."""

    text: str
    calls: tuple[dict[str, Json], ...] = ()


def act(request: Request) -> Turn:
    """The next turn of the conversation in a request.

    It follows what the harness's texts advise where it understands them, and its own habits
    elsewhere; chance depends on the question and the sample number alone, so that two harnesses
    meet the same luck.
    """
    talk = read_talk(request)
    plays = ledger_agent.play if ledger_agent.understands(talk) else corpus_agent.play
    return _turn(talk, plays(talk))


def _turn(talk: Talk, said: str | Iterable[tuple[str, Mapping[str, Json]]]) -> Turn:
    if isinstance(said, str):
        return Turn(said)
    number = len(talk.calls)
    calls: list[dict[str, Json]] = [
        {"id": f"call-{number + k}", "name": name, "arguments": dict(arguments)}
        for k, (name, arguments) in enumerate(said)
    ]
    return Turn("", tuple(calls))
