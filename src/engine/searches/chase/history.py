"""A method's own history as a bounded, read-only folder of files, and a model that reads it.

Holds canonical fields in canonical order: no times, latencies or costs; D_evo only.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from ...benchmarks.environment import Limits as ToolLimits
from ...benchmarks.environment import Operation, Session, ToolError, text_argument, whole_argument
from ...errors import CallFailed, MalformedReply
from ...gates.reply import proposal
from ...model.core import Slot
from ...model.llm import Finish, Json, Message, Request, Tool
from ..harden.requests import numbered, structured_request
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


def whole_history(state: State) -> dict[str, str]:
    """What a proposer may read: the files of every harness, and what each round came to."""
    benchmarks = dict.fromkeys(benchmark for _, benchmark in state.evo.scores)
    files = history_files(state, tuple(state.harnesses), tuple(benchmarks))
    return dict(sorted({**files, "rounds.json": _pretty([*state.rounds])}.items()))


def history_files(
    state: State, harnesses: Collection[str], benchmarks: Collection[str]
) -> dict[str, str]:
    """The harnesses' specs, scores and D_evo trajectories under the benchmarks, by virtual path."""
    files: dict[str, str] = {}
    for name in harnesses:
        files[f"{name}/harness.json"] = _pretty(state.harnesses[name].plain())
        for benchmark, tasks in state.trajectories.get(name, {}).items():
            for task, rollouts in tasks.items() if benchmark in benchmarks else ():
                files[f"{name}/{benchmark}/{task}.json"] = _pretty(rollouts)
        rates: dict[str, Json] = {
            benchmark: str(state.evo.rate(name, benchmark))
            for owner, benchmark in sorted(state.evo.scores)
            if owner == name
            and benchmark in benchmarks
            and any(state.evo.scores[owner, benchmark].values())
        }
        files[f"{name}/scores.json"] = _pretty(rates)
    return dict(sorted(files.items()))


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)


def history_session(files: Mapping[str, str], reads: int) -> Session:
    """The two tools over the files, for so many calls."""

    def listed(arguments: Mapping[str, Json]) -> Json:
        folder = str(arguments.get("folder") or "").strip("/")
        names = [path for path in files if not folder or path.startswith(f"{folder}/")]
        shown: list[Json] = list(names[:LISTED])
        return {"files": shown, "more": max(len(names) - LISTED, 0)}

    def read(arguments: Mapping[str, Json]) -> Json:
        path = text_argument(arguments, "path")
        if path not in files:
            raise ToolError(f"no file {path!r}; list_history names them")
        offset = whole_argument(arguments, "offset", 0, 0, 10_000_000)
        text = files[path]
        return {"text": text[offset : offset + PAGE], "length": len(text)}

    operations = (Operation(LIST, "history", listed), Operation(READ, "history", read))
    return Session(operations, ToolLimits((("history", reads),), reads + 2, 0))


async def ask(
    desk: Desk,
    slot: Slot,
    profile: str,
    template: str,
    data: Mapping[str, Json],
    files: Mapping[str, str],
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
        first = replace(numbered(first, reask), tools=(LIST, READ) if files else ())
        try:
            return await _answered(desk, replace(slot, reask=reask), first, files, read)
        except CallFailed as error:
            return f"the call failed: {error.reason}"
        except MalformedReply as error:
            problem = str(error)
    return problem


async def _answered(
    desk: Desk,
    slot: Slot,
    request: Request,
    files: Mapping[str, str],
    read: Callable[[Mapping[str, Json]], T],
) -> T:
    session = history_session(files, desk.settings.history_reads)
    for step in range(desk.settings.history_reads + 2):
        completion = await desk.ctx.complete(replace(slot, step=step), request)
        if completion.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
            raise CallFailed(slot.key, completion.finish.value, "no answer")
        if not completion.tool_calls:
            return read(proposal(completion)[0])
        turn = Message("assistant", completion.text, raw=completion.raw_turn)
        replies = [
            Message("tool", session.call(c.name, c.arguments).text, tool_call_id=c.id)
            for c in completion.tool_calls
        ]
        request = replace(request, messages=(*request.messages, turn, *replies))
    raise MalformedReply("no reply after all reads of the history")
