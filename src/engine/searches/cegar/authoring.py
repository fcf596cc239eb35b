"""One authoring call: what the author sees of a target, and the operator that comes back."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import StringConstraints

from ...benchmarks.code_tasks.bundle import shown_fields
from ...benchmarks.code_tasks.tasks import Task
from ...context import Context
from ...errors import CallFailed, MalformedReply
from ...gates.reply import Reply, proposal, shaped
from ...model.core import Slot
from ...model.llm import Finish, Json, Message, Request
from ...prompts import load_template, render
from ..harden.requests import document
from ..harden.setup import Profile
from .request import Sample, Scope, shown

ASKS = 2
"""A malformed reply is asked for once more."""
ENTRY = "op"
LONGEST = 20_000
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class Authored(Reply):
    """An author's reply."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
    rationale: Line
    source: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]


@dataclass(frozen=True, slots=True)
class Tried:
    """An earlier attempt on the same target, as the author is told of it."""

    level: int
    gate: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the calls of one attempt gave: an operator, or why there is none; and how many calls."""

    calls: int
    authored: Authored | None = None
    problem: str = ""


async def author(
    ctx: Context, profile: Profile, unit: str, attempt: int, data: Mapping[str, Json], left: int
) -> Draft:
    """Ask for an operator, at most `left` times. Raises CallOpen."""
    template = "cegar/author_texts" if "answers" in data else "cegar/author"
    system, user = render(template, document=document(data), asked=asked(data))
    request = Request(
        role=load_template(template).role,
        provider=profile.provider,
        model=profile.model,
        messages=(Message("user", user),),
        system=system,
        params=replace(profile.params, json_object=True),
        route=profile.route,
    )
    problem, calls = "", 0
    for reask in range(min(ASKS, left)):
        calls += 1
        slot = Slot(unit, "author", number=attempt, reask=reask)
        try:
            completion = await ctx.complete(slot, replace(request, sample=reask))
            if completion.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
                return Draft(calls, problem=f"no operator: {completion.finish.value}")
            authored = shaped(Authored, proposal(completion)[0])
            check_source(authored.source, int(str(data["level"])))
            return Draft(calls, authored)
        except CallFailed as error:
            return Draft(calls, problem=f"no operator: the call failed ({error.reason})")
        except MalformedReply as error:
            problem = f"no operator: {error}"
    return Draft(calls, problem=problem)


def asked(data: Mapping[str, Json]) -> str:
    """What a request shows: a `collision`, a labelled `sample`, or the `tasks` alone."""
    if "colliding_pair" in data:
        return "collision"
    return "sample" if "incorrect" in data else "tasks"


def check_source(source: str, level: int) -> None:
    """Raise MalformedReply unless the source defines `op` with the level's parameters."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MalformedReply(f"source: it does not parse ({error})") from None
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == ENTRY]
    if not found:
        raise MalformedReply("source: it defines no function op")
    count, wanted = len(found[-1].args.args), level + 1
    if count != wanted:
        raise MalformedReply(f"source: op takes {count} arguments, level {level} gives {wanted}")


def request_data(
    scope: Scope,
    tasks: Mapping[str, Task],
    level: int,
    tried: Sequence[Tried],
    pool: Sequence[str],
    budget: int,
) -> dict[str, Json]:
    """The document of a request: both groups over the whole kind of fault, prompts and visible
    asserts, the colliding pair; never a hidden test. A bundle's has `answers`, and the fields of
    its tasks."""
    incorrect, correct = shown(scope, budget)
    pair: list[Json] = [f"{m.task}#{m.sample}" for m in scope.pair]
    return {
        **sample_data(tasks, level, incorrect, correct),
        "faults": [fault.value for fault in scope.faults],
        "colliding_pair": pair,
        "pool": list(pool),
        "failed_attempts": [_told(one) for one in tried],
    }


def sample_data(
    tasks: Mapping[str, Task], level: int, incorrect: Sequence[Sample], correct: Sequence[Sample]
) -> dict[str, Json]:
    """The document of verifier induction: labelled samples with their tasks, and nothing else."""
    named = sorted({sample.member.task for sample in (*incorrect, *correct)})
    what = _what(tasks)
    return {
        **_interface(level, what),
        "tasks": {name: _task(tasks[name]) for name in named},
        "incorrect": [_shown(sample, what) for sample in incorrect],
        "correct": [_shown(sample, what) for sample in correct],
    }


def undirected_data(
    tasks: Mapping[str, Task], level: int, tried: Sequence[Tried], pool: Sequence[str], budget: int
) -> dict[str, Json]:
    """The document of the undirected arm: as many tasks, in their order, as fit; no sample."""
    seen: dict[str, Json] = {}
    for name, task in tasks.items():
        budget -= len(str(_task(task)))
        if budget < 0:
            break
        seen[name] = _task(task)
    return {
        **_interface(level, _what(tasks)),
        "tasks": seen,
        "pool": list(pool),
        "failed_attempts": [_told(one) for one in tried],
    }


def _what(tasks: Mapping[str, Task]) -> str:
    """What a candidate is called: a bundle's are texts."""
    return "text" if any(task.dataset == "bundle" for task in tasks.values()) else "code"


def _interface(level: int, what: str) -> dict[str, Json]:
    signature = f"op(task, {what})" if level == 1 else f"op(task, {what}, ctx)"
    texts: dict[str, Json] = {"answers": "texts"} if what == "text" else {}
    return {**texts, "level": level, "interface": signature}


def _task(task: Task) -> Json:
    if task.dataset == "bundle":
        return dict(shown_fields(task))
    return {"prompt": task.prompt, "visible": list(task.visible)}


def _told(one: Tried) -> Json:
    return {
        "level": one.level, "stopped_at": one.gate, "reason": one.reason, "source": one.source
    }  # fmt: skip


def _shown(sample: Sample, what: str) -> Json:
    return {"id": f"{sample.member.task}#{sample.member.sample}", what: sample.code}
