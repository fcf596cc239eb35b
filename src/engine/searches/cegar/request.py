"""What the author is shown: a whole kind of faults, never two samples (Appendix A; decisions.md).

Naming two samples would be met by a lookup table, so a request covers every incorrect training
sample that fails the way the target's do, and every correct one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest

from .partition import BlindSpot
from .verdicts import Member


class Fault(Enum):
    """The two ways to fail."""

    VISIBLE = "fails the visible checks"
    HIDDEN = "passes the visible checks and fails the hidden suite"


@dataclass(frozen=True, slots=True)
class Sample:
    """A labelled training sample: its program and which checks it passes."""

    member: Member
    code: str
    visible: bool
    correct: bool

    @property
    def fault(self) -> Fault | None:
        """How it fails; None if it is correct."""
        if self.correct:
            return None
        return Fault.HIDDEN if self.visible else Fault.VISIBLE


@dataclass(frozen=True, slots=True)
class Scope:
    """A request: the kinds of fault asked for, and all samples of both groups in order."""

    faults: tuple[Fault, ...]
    incorrect: tuple[Sample, ...]
    correct: tuple[Sample, ...]
    pair: tuple[Member, Member]


def scope(spot: BlindSpot, samples: Iterable[Sample]) -> Scope:
    """The request for a target over all raw training samples.

    The fault kinds are those of the target's incorrect members: with signatures over V(t) that is
    the hidden one alone.
    """
    listed = sorted(samples, key=lambda sample: sample.member)
    by_member = {sample.member: sample for sample in listed}
    found = {by_member[member].fault for member in spot.incorrect}
    faults = tuple(fault for fault in Fault if fault in found)
    return Scope(
        faults,
        tuple(sample for sample in listed if sample.fault in faults),
        tuple(sample for sample in listed if sample.correct),
        spot.pair,
    )


def shown(whole: Scope, budget: int) -> tuple[list[Sample], list[Sample]]:
    """The incorrect and correct samples that fit in `budget` characters of source, in order shown.

    All of them where they fit. Else distinct programs only: the colliding pair first, then one
    task after the other in turn, by task id; a program that doesn't fit is passed over.
    """
    everything = [*whole.incorrect, *whole.correct]
    if sum(len(sample.code) for sample in everything) <= budget:
        return list(whole.incorrect), list(whole.correct)
    kept: list[Sample] = []
    for sample in _turns(whole, _distinct(whole)):
        if len(sample.code) <= budget:
            budget -= len(sample.code)
            kept.append(sample)
    return [s for s in kept if not s.correct], [s for s in kept if s.correct]


def _distinct(whole: Scope) -> list[Sample]:
    """One sample of each program in a task; the pair's own where it is among the copies."""
    first: dict[tuple[str, str], Sample] = {}
    for sample in (*whole.incorrect, *whole.correct):
        key = (sample.member.task, sample.code)
        if key not in first or sample.member in whole.pair:
            first[key] = sample
    return list(first.values())


def _turns(whole: Scope, samples: Sequence[Sample]) -> list[Sample]:
    """The pair, then the tasks in turn, each giving an incorrect one before a correct one."""
    pair = [sample for sample in samples if sample.member in whole.pair]
    pair.sort(key=lambda sample: sample.correct)
    queues: dict[str, list[Sample]] = {}
    rest = [sample for sample in samples if sample.member not in whole.pair]
    for sample in sorted(rest, key=lambda sample: sample.member):
        queues.setdefault(sample.member.task, []).append(sample)
    rows = zip_longest(*(_alternate(queues[task]) for task in sorted(queues)))
    return pair + [sample for row in rows for sample in row if sample is not None]


def _alternate(samples: Sequence[Sample]) -> list[Sample]:
    wrong = [sample for sample in samples if not sample.correct]
    right = [sample for sample in samples if sample.correct]
    return [s for both in zip_longest(wrong, right) for s in both if s is not None]


def balanced(samples: Sequence[Sample], count: int, order: Mapping[Member, str]) -> list[Sample]:
    """For verifier induction: `count` samples, half of them incorrect, by the given sort keys.

    `order` maps members to seeded hashes; fewer are given where one class has too few.
    """
    ranked = sorted(samples, key=lambda sample: (order[sample.member], sample.member))
    wrong = [sample for sample in ranked if not sample.correct][: count // 2]
    right = [sample for sample in ranked if sample.correct][: count - count // 2]
    return wrong + right
