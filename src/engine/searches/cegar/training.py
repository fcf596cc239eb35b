"""The training split as the search sees it: labels, V(t), distinct programs in a pinned order."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

from ...benchmarks.code_tasks.labels import label, prepare
from ...benchmarks.code_tasks.sources import Split
from ...benchmarks.code_tasks.tasks import Label, Task
from ...context import Run, Work
from ...gates.together import together
from ...model.llm import Json
from ...model.outcomes import Outcomes, Place
from .cells import pack_codes, unpack_codes
from .electorate import electorate_hash
from .metric import Vote
from .request import Sample
from .verdicts import Member, Verdict

LABELS = "labels"
AT_ONCE = 4
Settle = Callable[[Place, Work], Awaitable[Outcomes]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Program:
    """A distinct program among a task's samples; `members` are its copies, `visible` says whether
    they pass the visible checks."""

    task: int
    code: str
    correct: bool
    members: tuple[Member, ...]
    visible: bool = True


@dataclass(frozen=True)
class Labelled:
    """A split with its labels. `visible` and `right` are by raw sample, by task in order.

    Operators judge the members of V(t), or all raw samples where `everything` is set; votes and
    scores are of V(t) alone.
    """

    tasks: tuple[Task, ...]
    samples: Mapping[str, tuple[str, ...]]
    visible: tuple[tuple[bool, ...], ...]
    right: tuple[tuple[bool, ...], ...]
    near_limit: tuple[str, ...]
    electorate: str
    everything: bool = False

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The distinct programs of all tasks: the pinned order of an operator's verdicts."""
        found: list[Program] = []
        for number, task in enumerate(self.tasks):
            copies: dict[str, list[int]] = {}
            for place, code in enumerate(self.samples[task.id]):
                if self.everything or self.visible[number][place]:
                    copies.setdefault(code, []).append(place)
            found += [
                Program(
                    number, code, self.right[number][places[0]],
                    tuple(Member(task.id, place) for place in places),
                    self.visible[number][places[0]],
                )
                for code, places in copies.items()
            ]  # fmt: skip
        return tuple(found)

    @cached_property
    def correct(self) -> dict[Member, bool]:
        """Whether each member that operators judge is right."""
        return {m: program.correct for program in self.programs for m in program.members}

    @cached_property
    def accepted(self) -> dict[Member, bool]:
        """Whether each member of V(t) is right."""
        return {
            m: program.correct
            for program in self.programs
            if program.visible
            for m in program.members
        }

    @cached_property
    def decidable(self) -> frozenset[int]:
        """The tasks whose V(t) holds a right and a wrong sample."""
        kinds: dict[int, set[bool]] = {}
        for program in (one for one in self.programs if one.visible):
            kinds.setdefault(program.task, set()).add(program.correct)
        return frozenset(task for task, both in kinds.items() if len(both) == 2)

    def raw(self) -> list[Sample]:
        """All raw samples, labelled."""
        return [
            Sample(Member(task.id, place), code, visible, right)
            for number, task in enumerate(self.tasks)
            for place, (code, visible, right) in enumerate(
                zip(self.samples[task.id], self.visible[number], self.right[number], strict=True)
            )
        ]

    def column(self, verdicts: Mapping[int, Verdict]) -> dict[Member, Verdict]:
        """Verdicts by member, from verdicts by program; an operator that was not run says
        nothing of a program."""
        return {
            member: verdicts[number]
            for number, program in enumerate(self.programs)
            if number in verdicts
            for member in program.members
        }

    def votes(self, flagged: Callable[[Member], bool]) -> list[Vote]:
        """Every task's V(t) under a flag."""
        members: list[list[Member]] = [[] for _ in self.tasks]
        for program in (one for one in self.programs if one.visible):
            members[program.task] += program.members
        return [
            Vote(
                tuple(self.correct[m] for m in sorted(own)),
                tuple(flagged(m) for m in sorted(own)),
            )
            for own in members
        ]


def electorate_of(split: Split) -> str:
    """What verdicts on a split are pinned to."""
    found = electorate_hash(split.samples, {task.id: task.visible for task in split.tasks})
    return f"{found}/raw" if split.everything else found


async def labelled(split: Split, settle: Settle) -> Labelled:
    """Label every sample of a split; visible checks that a reference fails are dropped.

    Raises DataError where a reference does not run.
    """
    electorate = electorate_of(split)

    async def one(number: int) -> Outcomes:
        task = split.tasks[number]
        place = Place(LABELS, electorate, number)
        return await settle(place, lambda run: _label(split, task, run))

    found = await bounded([partial(one, n) for n in range(len(split.tasks))])
    return _assembled(split, electorate, found)


def _assembled(split: Split, electorate: str, found: Sequence[Outcomes]) -> Labelled:
    tasks: list[Task] = []
    seen: list[tuple[bool, ...]] = []
    right: list[tuple[bool, ...]] = []
    near: list[str] = []
    for task, outcomes in zip(split.tasks, found, strict=True):
        codes = unpack_codes(outcomes.planes, len(split.samples[task.id]))
        kept = outcomes.reasons["visible"]
        assert isinstance(kept, list)
        tasks.append(replace(task, visible=tuple(str(text) for text in kept)))
        seen.append(tuple(bool(code & 1) for code in codes))
        right.append(tuple(bool(code & 2) for code in codes))
        places = outcomes.reasons["near"]
        assert isinstance(places, list)
        near += [f"{task.id}#{place}" for place in places]
    return Labelled(
        tuple(tasks), split.samples, tuple(seen), tuple(right), tuple(near), electorate,
        split.everything,
    )  # fmt: skip


async def _label(split: Split, task: Task, run: Run) -> Outcomes:
    """One task's labels: two bits a raw sample (passes the visible checks, is right)."""
    samples = split.samples[task.id]
    suite = await prepare(task, run)
    known: dict[str, Label] = {}
    for code in samples:
        if code not in known:
            known[code] = await (
                split.checker.label(task, code, run)
                if split.checker
                else label(suite, code, run, thorough=split.everything)
            )
    labels = [known[code] for code in samples]
    details: dict[str, Json] = {str(n): one.detail for n, one in enumerate(labels) if one.detail}
    near: list[Json] = [n for n, one in enumerate(labels) if one.near_limit]
    kept: list[Json] = list(suite.task.visible)
    return Outcomes(
        pack_codes([one.visible + 2 * one.correct for one in labels]),
        {"visible": kept, "details": details, "near": near},
    )


async def bounded(jobs: Sequence[Callable[[], Awaitable[T]]], at_once: int = AT_ONCE) -> list[T]:
    """The results of jobs in their order, at most `at_once` at a time."""
    places = asyncio.Semaphore(at_once)

    async def one(job: Callable[[], Awaitable[T]]) -> T:
        async with places:
            return await job()

    return await together([one(job) for job in jobs])
