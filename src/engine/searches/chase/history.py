"""A method's own history as a bounded, read-only folder of files, and a model that reads it.

Holds canonical fields in canonical order: no times, latencies or costs; D_evo only. A rollout's
file is made when it is read, from the calls that the run has stored; the state keeps none of it.
"""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from ...benchmarks.environment import Limits as ToolLimits
from ...benchmarks.environment import Operation, Session, ToolError, text_argument, whole_argument
from ...errors import CallFailed, MalformedReply
from ...gates.reply import proposal
from ...model.chase import Harness
from ...model.core import Slot
from ...model.llm import Json, Message, Request, Tool
from ..harden.requests import numbered, structured_request
from .agent import REFUSED, opening
from .evaluate import Kept, shown_again
from .setup import Desk
from .state import State

T = TypeVar("T")
ASKS = 2
"""A malformed reply is asked for once more."""
PAGE = 6_000
LISTED = 200

LIST = Tool(
    "list_history",
    "List the files of the run's history below a folder.",
    {
        "type": "object",
        "properties": {"folder": {"type": "string"}},
        "additionalProperties": False,
    },
)
READ = Tool(
    "read_history",
    "Read one file of the history from an offset on.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 0},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


@dataclass(slots=True)
class History:
    """Files by virtual path: `texts` are there, `later` are made once they are asked for."""

    texts: dict[str, str] = field(default_factory=dict)
    later: dict[str, Callable[[], Awaitable[str]]] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """All files, in order."""
        return sorted({*self.texts, *self.later})

    async def fetch(self, path: Json) -> None:
        """Make a file that is asked for and not made yet."""
        if isinstance(path, str) and (make := self.later.get(path.strip())) is not None:
            self.texts[path.strip()] = await make()


def whole_history(desk: Desk, state: State) -> History:
    """What a proposer may read: the files of every harness, and what each round came to."""
    benchmarks = dict.fromkeys(benchmark for _, benchmark in state.evo.scores)
    history = history_files(desk, state, tuple(state.harnesses), tuple(benchmarks))
    history.texts["rounds.json"] = _pretty([*state.rounds])
    return history


def history_files(
    desk: Desk, state: State, harnesses: Collection[str], benchmarks: Collection[str]
) -> History:
    """The harnesses' specs, prompts, scores and D_evo rollouts under the benchmarks."""
    history = History()
    for name in harnesses:
        own = state.harnesses[name]
        history.texts[f"{name}/harness.json"] = _pretty(own.plain())
        history.texts[f"{name}/prompt.txt"] = _prompt(desk, own)
        for benchmark, tasks in state.trajectories.get(name, {}).items():
            for task, kept in tasks.items() if benchmark in benchmarks else ():
                make = partial(_rollouts, desk, (name, own), benchmark, task, kept)
                history.later[f"{name}/{benchmark}/{task}.json"] = make
        rates: dict[str, Json] = {
            benchmark: str(state.evo.rate(name, benchmark))
            for owner, benchmark in sorted(state.evo.scores)
            if owner == name and benchmark in benchmarks and state.evo.scored(owner, benchmark)
        }
        history.texts[f"{name}/scores.json"] = _pretty(rates)
    return history


def _prompt(desk: Desk, harness: Harness) -> str:
    """What the agent is told before every question."""
    env = desk.setup.released
    return opening(desk.setup.profiles["agent"], harness, env, env.tasks[0]).system or ""


async def _rollouts(
    desk: Desk, harness: tuple[str, Harness], benchmark: str, task: str, kept: Sequence[Kept]
) -> str:
    return _pretty(await shown_again(desk, harness, benchmark, task, kept))


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)


def history_session(history: History, reads: int) -> Session:
    """The two tools over the files, for so many calls."""

    def listed(arguments: Mapping[str, Json]) -> Json:
        folder = str(arguments.get("folder") or "").strip("/")
        names = [path for path in history.paths if not folder or path.startswith(f"{folder}/")]
        shown: list[Json] = list(names[:LISTED])
        return {"files": shown, "more": max(len(names) - LISTED, 0)}

    def read(arguments: Mapping[str, Json]) -> Json:
        path = text_argument(arguments, "path")
        if path not in history.texts:
            raise ToolError(f"no file {path!r}; list_history names them")
        offset = whole_argument(arguments, "offset", 0, 0, 10_000_000)
        text = history.texts[path]
        return {"text": text[offset : offset + PAGE], "length": len(text)}

    operations = (Operation(LIST, "history", listed), Operation(READ, "history", read))
    return Session(operations, ToolLimits((("history", reads),), reads + 2, 0))


async def ask(
    desk: Desk,
    slot: Slot,
    profile: str,
    template: str,
    data: Mapping[str, Json],
    history: History,
    read: Callable[[Mapping[str, Json]], T],
) -> T | str:
    """A structured role's answer as `read` takes it; it may look into the history first.

    A malformed reply is asked for once more, with what was wrong; then the answer is the problem
    as a line of text. `read` raises MalformedReply. Raises CallOpen.
    """
    problem = ""
    for reask in range(ASKS):
        asked = dict(data) | ({"problem": problem} if problem else {})
        first = structured_request(desk.setup.profiles[profile], template, asked)
        first = replace(numbered(first, reask), tools=(LIST, READ))
        try:
            return await _answered(desk, replace(slot, reask=reask), first, history, read)
        except CallFailed as error:
            return f"the call failed: {error.reason}"
        except MalformedReply as error:
            problem = str(error)
    return problem


async def _answered(
    desk: Desk,
    slot: Slot,
    request: Request,
    history: History,
    read: Callable[[Mapping[str, Json]], T],
) -> T:
    session = history_session(history, desk.settings.history_reads)
    for step in range(desk.settings.history_reads + 2):
        completion = await desk.ctx.complete(replace(slot, step=step), request)
        if completion.finish in REFUSED:
            raise CallFailed(slot.key, completion.finish.value, "no answer")
        if not completion.tool_calls:
            return read(proposal(completion)[0])
        for called in completion.tool_calls:
            await history.fetch((called.arguments or {}).get("path"))
        turn = Message("assistant", completion.text, raw=completion.raw_turn)
        replies = [
            Message("tool", session.call(c.name, c.arguments).text, tool_call_id=c.id)
            for c in completion.tool_calls
        ]
        request = replace(request, messages=(*request.messages, turn, *replies))
    raise MalformedReply("no reply after all reads of the history")
