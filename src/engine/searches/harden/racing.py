"""Racing: rollouts that can change nothing are not sent (design: harden.md, "Racing").

A candidate is stopped when two things about it are decided: that it cannot be retained, and
whether it improved on its parent. Everything here is exact and depends on counts alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import ConfigError


@dataclass(frozen=True, slots=True)
class Progress:
    """A candidate in mid-race: the sum of its grades over the rollouts it has so far."""

    node: str
    total: Fraction
    done: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between what its score over all rollouts must lie."""

    low: Fraction
    high: Fraction


def bounds(progress: Progress, rollouts: int, max_grade: Fraction) -> Bounds:
    """Bounds of the score: missing rollouts count 0 below and `max_grade` above."""
    missing = rollouts - progress.done
    low = progress.total / rollouts
    return Bounds(low, low + missing * max_grade / rollouts)


def improvement_known(of: Bounds, parent_score: Fraction) -> bool:
    """Whether it is decided that the score is strictly below the parent's, or that it is not."""
    return of.high < parent_score or of.low >= parent_score


def stopped(
    racers: Sequence[Progress],
    members: Iterable[Fraction],
    *,
    survivors: int,
    parent_score: Fraction,
    rollouts: int,
    max_grade: Fraction,
) -> frozenset[str]:
    """The racers that need no further rollout, by node id; those that are complete are left out.

    `members` are the scores of the population, `survivors` how many places there are. A racer
    can't be retained if at least that many members or siblings are surely below it; a sibling
    counts only once its own lower bound is above 0, since it could still collapse.
    """
    spans = {r.node: bounds(r, rollouts, max_grade) for r in racers}
    rivals = [*members, *(span.high for span in spans.values() if span.low > 0)]
    return frozenset(
        racer.node
        for racer in racers
        if racer.done < rollouts
        and sum(rival < spans[racer.node].low for rival in rivals) >= survivors
        and improvement_known(spans[racer.node], parent_score)
    )


def wave_ends(rollouts: int, waves: Sequence[int] | None, *, racing: bool) -> tuple[int, ...]:
    """After how many rollouts each wave ends; one wave of all without racing.

    The default is two fifths (rounded up), then the rest in two halves: 4, 3, 3 for 10. Raises
    ConfigError where the configured waves do not add up to `rollouts`.
    """
    if waves is not None and (sum(waves) != rollouts or min(waves, default=0) < 1):
        raise ConfigError(
            f"harden.waves: {list(waves)} must be positive and add up to rollouts = {rollouts}"
        )
    if not racing:
        return (rollouts,)
    if waves is None:
        first = -(-rollouts * 2 // 5)
        second = -(-(rollouts - first) // 2)
        waves = [size for size in (first, second, rollouts - first - second) if size]
    ends: list[int] = []
    for size in waves:
        ends.append(size + (ends[-1] if ends else 0))
    return tuple(ends)
