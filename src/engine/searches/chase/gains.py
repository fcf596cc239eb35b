"""Scores, gains and gain destruction, exact (CHASE, sections 3.1 to 3.3).

Rollouts are averaged within a task first, then tasks. A rollout that could not be had is missing:
it is no score of 0, and a task without any score leaves every mean that it would take part in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...errors import CallOpen

REL = "rel"
"""The released benchmark: the identity, a member of every archive."""

TaskScores = Mapping[str, tuple[Fraction, ...]]
"""Rollout scores by task, missing ones left out."""


@dataclass(frozen=True, slots=True)
class Gains:
    """One harness against H_0 on one task set: its gain on each benchmark of the archive.

    `missing` counts the tasks that some compared pair has no score for.
    """

    harness: str
    gains: Mapping[str, Fraction]
    missing: int = 0

    @property
    def released(self) -> Fraction:
        """G_rel."""
        return self.gains[REL]

    def destroyed(self, benchmark: str) -> Fraction:
        """Delta_b = G_rel - G_b."""
        return self.released - self.gains[benchmark]

    @property
    def gamma(self) -> Fraction:
        """The largest gain destruction over the archive; never negative, for B_rel has 0."""
        return max(map(self.destroyed, self.gains))

    @property
    def least(self) -> Fraction:
        """The smallest gain over the archive: G_rel - Gamma."""
        return min(self.gains.values())

    @property
    def binding(self) -> str | None:
        """The benchmark that destroys most, None where none but B_rel does."""
        return max(self.gains, key=self.destroyed) if self.gamma > 0 else None

    def feasible(self, epsilon: Fraction) -> bool:
        """Whether no benchmark of the archive destroys more than epsilon."""
        return self.gamma <= epsilon


@dataclass(slots=True)
class Sheet:
    """All scores of one task set: by harness and benchmark, tasks with their rollouts."""

    tasks: tuple[str, ...]
    scores: dict[tuple[str, str], TaskScores] = field(default_factory=dict)

    def put(self, harness: str, benchmark: str, scores: TaskScores) -> None:
        """Keep the scores of one harness under one benchmark."""
        self.scores[harness, benchmark] = scores

    def has(self, harness: str, benchmark: str) -> bool:
        """Whether this pair has been evaluated."""
        return (harness, benchmark) in self.scores

    def scored(self, harness: str, benchmark: str) -> bool:
        """Whether some task has a score of this pair, so that it has a rate."""
        return any(self.scores[harness, benchmark].values())

    def usable(self, harnesses: Iterable[str], benchmarks: Iterable[str]) -> list[str]:
        """Tasks that every one of these pairs has a score for, in order."""
        pairs = [self.scores[h, b] for h in harnesses for b in benchmarks]
        return [task for task in self.tasks if all(pair.get(task) for pair in pairs)]

    def measurable(self, harness: str, base: str, archive: Iterable[str]) -> bool:
        """Whether some task has a score of both under every benchmark of the archive."""
        benchmarks = list(archive)
        pairs = [(h, b) for h in (harness, base) for b in benchmarks]
        return all(self.has(*pair) for pair in pairs) and bool(
            self.usable((harness, base), benchmarks)
        )

    def demand(self, base: str, archive: Iterable[str]) -> None:
        """Raise CallOpen where `base` is not measurable: then nothing can be held against it."""
        benchmarks = list(archive)
        if not self.measurable(base, base, benchmarks):
            raise CallOpen(
                f"no task has a score of {base} under each of {', '.join(benchmarks)}; `evoscope "
                "show RUN calls` says what failed, and a counterfactual among them can be vetoed"
            )

    def rate(self, harness: str, benchmark: str, tasks: Sequence[str] | None = None) -> Fraction:
        """R: the mean over tasks of the mean over rollouts; over `tasks` where given.

        Raises ZeroDivisionError where no task has a score.
        """
        own = self.scores[harness, benchmark]
        chosen = self.usable([harness], [benchmark]) if tasks is None else tasks
        return sum((mean(own[task]) for task in chosen), Fraction(0)) / len(chosen)

    def shared(
        self, harnesses: Iterable[str], benchmarks: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """The tasks that harnesses can be compared on, and whom: those with a score of everyone
        under every benchmark.

        A harness that was not evaluated everywhere, or has no such task in common with those before
        it, takes no part.
        """
        kept: list[str] = []
        tasks = list(self.tasks)
        for name in dict.fromkeys(harnesses):
            if all(self.has(name, benchmark) for benchmark in benchmarks):
                own = set(self.usable([name], benchmarks))
                if left := [task for task in tasks if task in own]:
                    kept, tasks = [*kept, name], left
        return kept, tasks

    def compared(
        self, harnesses: Iterable[str], base: str, archive: Sequence[str]
    ) -> dict[str, Gains]:
        """Gains that may be held against each other: all on the tasks that all of them share; none
        where `base` has no score."""
        names = list(harnesses)
        kept, tasks = self.shared((base, *names), archive)
        if base not in kept:
            return {}
        return {name: self.gains(name, base, archive, tasks) for name in names if name in kept}

    def gains(
        self, harness: str, base: str, archive: Sequence[str], tasks: Sequence[str] | None = None
    ) -> Gains:
        """The harness against `base` over the archive: on `tasks`, where none are given on those
        that both have everywhere."""
        tasks = self.usable((harness, base), archive) if tasks is None else tasks
        gains = {b: self.rate(harness, b, tasks) - self.rate(base, b, tasks) for b in archive}
        return Gains(harness, gains, len(self.tasks) - len(tasks))


def mean(values: Sequence[Fraction]) -> Fraction:
    """The exact mean; raises ZeroDivisionError where there is none."""
    return sum(values, Fraction(0)) / len(values)


def pooled_destruction(
    harness: tuple[TaskScores, TaskScores], base: tuple[TaskScores, TaskScores]
) -> tuple[Fraction, int]:
    """Gain destruction over all task-rollout pairs, and their number (CHASE, B.2).

    Each argument is (scores under B_rel, scores under B_b). The k-th rollouts that could be had of
    all four make one pair; what one of them has more of is left out. Raises ZeroDivisionError
    where none is left.
    """
    total, count = Fraction(0), 0
    for task in harness[0]:
        four = [scores.get(task, ()) for scores in (*harness, *base)]
        for evolved, shifted, first, first_shifted in zip(*four, strict=False):
            total += evolved - first - shifted + first_shifted
            count += 1
    return total / count, count
