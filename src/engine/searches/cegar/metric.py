"""Selection accuracy: what a pool of operators is good for (EvalCEGAR, Section 3). All exact."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...stats.shuffle import FlagCount


@dataclass(frozen=True, slots=True)
class Vote:
    """One task's V(t): whether each sample is correct, and whether it is flagged."""

    correct: tuple[bool, ...]
    flags: tuple[bool, ...]

    @property
    def decidable(self) -> bool:
        """Whether anything is left to choose: right and wrong samples in V(t)."""
        return len(set(self.correct)) == 2

    def nothing(self) -> Fraction:
        """P(correct) of a uniform draw from V(t); 0 where V(t) is empty."""
        return _share(self.correct)

    def chosen(self) -> Fraction:
        """P(correct) of a uniform draw from the kept samples, from V(t) if all are flagged."""
        kept = [right for right, flag in zip(self.correct, self.flags, strict=True) if not flag]
        return _share(kept or self.correct)

    def perfect(self) -> Fraction:
        """P(correct) under a filter that flags exactly the incorrect samples."""
        return Fraction(any(self.correct))

    def count(self) -> FlagCount:
        """The task as the shuffle null sees it."""
        hits = sum(right and flag for right, flag in zip(self.correct, self.flags, strict=True))
        return FlagCount(len(self.correct), sum(self.correct), sum(self.flags), hits)


@dataclass(frozen=True, slots=True)
class Score:
    """An operator, or a vote, on a set of tasks.

    `delta` is against flagging nothing; `share` is delta over headroom, None without headroom;
    `false_alarms` the share of correct samples that are flagged, None without any; `empty` counts
    tasks with no sample in V(t), which score 0 whatever is flagged; `helped` and `hurt` count tasks
    whose P(correct) rises and falls.
    """

    tasks: int
    empty: int
    decidable: int
    nothing: Fraction
    chosen: Fraction
    perfect: Fraction
    helped: int
    hurt: int
    flags: int
    caught: int
    false_alarms: Fraction | None

    @property
    def delta(self) -> Fraction:
        """The change of selection accuracy."""
        return self.chosen - self.nothing

    @property
    def headroom(self) -> Fraction:
        """What a perfect operator would add."""
        return self.perfect - self.nothing

    @property
    def share(self) -> Fraction | None:
        """Delta as a share of the headroom."""
        return self.delta / self.headroom if self.headroom else None

    @property
    def delta_decidable(self) -> Fraction | None:
        """Delta averaged over the decidable tasks alone, where all of it comes from."""
        return self.delta * self.tasks / self.decidable if self.decidable else None


def score(votes: Sequence[Vote]) -> Score:
    """Score flags over tasks; all zeros for no tasks."""
    changes = [vote.chosen() - vote.nothing() for vote in votes]
    counts = [vote.count() for vote in votes]
    right = sum(count.correct for count in counts)
    alarms = sum(count.hits for count in counts)
    flags = sum(count.flags for count in counts)
    return Score(
        tasks=len(votes),
        empty=sum(not vote.correct for vote in votes),
        decidable=sum(vote.decidable for vote in votes),
        nothing=_mean(vote.nothing() for vote in votes),
        chosen=_mean(vote.chosen() for vote in votes),
        perfect=_mean(vote.perfect() for vote in votes),
        helped=sum(change > 0 for change in changes),
        hurt=sum(change < 0 for change in changes),
        flags=flags,
        caught=flags - alarms,
        false_alarms=Fraction(alarms, right) if right else None,
    )


def _share(values: Sequence[bool]) -> Fraction:
    return Fraction(sum(values), len(values)) if values else Fraction(0)


def _mean(values: Iterable[Fraction]) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed) if listed else Fraction(0)
