"""An operator as a sandbox job: what it is given at each level, and how its answer is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from ...model.llm import Json
from ...sandbox.inside import codec
from ...sandbox.jobs import Budget, Job, Limits, Operate, Outcome, Program, encoded_one
from . import visible
from .bundle import shown_fields
from .tasks import Arguments, Example, Task

ENTRY = "op"
OPERATOR = Limits(cpu_s=5.0, memory_mb=512)
PEER = Limits(cpu_s=0.5, memory_mb=512)
SMALL_PEER = Limits(cpu_s=0.1, memory_mb=512)
"""For our own small tasks, many of whose faulty candidates never end."""

Answer = Literal["flag", "pass", "abstain"]


@dataclass(frozen=True, slots=True)
class Given:
    """What a level-2 operator sees besides the task and the candidate.

    `peers` are the programs of other samples; `inputs` argument tuples of which the first
    `unperturbed` are those of the visible checks.
    """

    peers: tuple[str, ...]
    inputs: tuple[Arguments, ...]
    unperturbed: int


def task_view(task: Task) -> dict[str, Any]:
    """The task as an operator sees it: no id, no reference, no hidden input."""
    if task.dataset == "bundle":
        return cast(dict[str, Any], shown_fields(task))
    return {
        "prompt": task.prompt,
        "entry_point": task.entry,
        "visible": list(task.visible),
        "examples": [[list(ex.arguments), ex.expected] for ex in _examples(task)],
    }


def operator_job(
    operator: str,
    task: Task,
    code: str,
    given: Given | None = None,
    budget: Budget | None = None,
) -> Job:
    """`op(task, code)`, or `op(task, code, ctx)` where something is given for ctx.

    ctx has `own` and `peers` (numbers for `ctx.run` and `ctx.run_many`), `sources` (texts by
    those numbers), `asserts`, `examples`, `inputs` and `unperturbed`. The budget counts runs over
    the candidate and its peers together. A bundle's texts are no programs: none can be run.
    """
    program, arguments = Program(operator, ENTRY), encoded_one((task_view(task), code))
    if given is None:
        return Operate(program, arguments, limits=OPERATOR)
    texts = [code, *given.peers]
    context = {
        "own": 0,
        "peers": list(range(1, len(texts))),
        "sources": texts,
        "asserts": list(task.visible),
        "examples": [(ex.arguments, ex.expected) for ex in _examples(task)],
        "inputs": list(given.inputs),
        "unperturbed": given.unperturbed,
    }
    return Operate(
        program,
        arguments,
        context=encoded_one(context),
        peers=() if task.dataset == "bundle" else tuple(Program(t, task.entry) for t in texts),
        budget=budget or Budget(peers=len(texts)),
        limits=OPERATOR,
        peer_limits=SMALL_PEER if task.dataset == "own" else PEER,
    )


def read_answer(outcome: Outcome) -> tuple[Answer, str]:
    """The verdict and, for an abstention that the operator did not choose, its reason."""
    if outcome.verdict != "pass":
        return "abstain", f"{outcome.label} {outcome.message}".strip()
    try:
        value: Json = outcome.cases[0].plain()
    except codec.TooCostly:
        value = None
    if value in ("flag", "pass", "abstain"):
        return cast(Answer, value), ""
    return "abstain", f"answered {type(value).__name__}, not flag, pass or abstain"


def _examples(task: Task) -> Sequence[Example]:
    return visible.examples(task.visible, task.entry)
