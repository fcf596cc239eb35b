"""The size-matched shuffle null of a selection metric (EvalCEGAR, Section 3 and Appendix A).

Per task, the operator's own number of flags is drawn again at random among the task's samples, so
the null fixes how much is flagged and leaves to chance where. Only the number of correct samples
among the flagged ones matters, and that number is hypergeometric: one draw a task and redraw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, sqrt

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
_FITS = 1 << 62


@dataclass(frozen=True, slots=True)
class FlagCount:
    """One task as the null sees it: samples, correct ones, flags, correct ones among the flags."""

    samples: int
    correct: int
    flags: int
    hits: int

    def chance(self, hits: int) -> Fraction:
        """P(correct) of a draw from the kept samples, from all of them if none is kept."""
        if not self.samples:
            return Fraction(0)
        if self.flags == self.samples:
            return Fraction(self.correct, self.samples)
        return Fraction(self.correct - hits, self.samples - self.flags)

    @property
    def change(self) -> Fraction:
        """P(correct) with the operator's own flags, less that of flagging nothing."""
        base = Fraction(self.correct, self.samples) if self.samples else Fraction(0)
        return self.chance(self.hits) - base

    @property
    def varies(self) -> bool:
        """Whether where the flags land can change anything."""
        return 0 < self.flags < self.samples and 0 < self.correct < self.samples


@dataclass(frozen=True, slots=True)
class ShuffleTest:
    """A Delta against its shuffle null.

    `p` is (1 + at_least) / (resamples + 1), compared exactly. `z` uses the resamples' mean and sd
    (ddof 1), `z_exact` the closed form, whose mean is 0; None where the sd is 0.
    """

    delta: Fraction
    p: Fraction
    at_least: int
    resamples: int
    mean: float
    sd: float
    z: float | None
    sd_exact: float
    z_exact: float | None


def add_one_p(at_least: int, resamples: int) -> Fraction:
    """(1 + #{null >= observed}) / (b + 1)."""
    return Fraction(at_least + 1, resamples + 1)


def exact_variance(tasks: Sequence[FlagCount]) -> Fraction:
    """Variance of Delta under the null: sum of p(1-p)/(n-f) * f/(n-1), over N squared."""
    total = Fraction(0)
    for task in tasks:
        if task.varies:
            share = Fraction(task.correct, task.samples)
            spread = share * (1 - share) / (task.samples - task.flags)
            total += spread * Fraction(task.flags, task.samples - 1)
    return total / len(tasks) ** 2 if tasks else Fraction(0)


def shuffle_test(
    tasks: Sequence[FlagCount], *, seed: int, resamples: int = RESAMPLES
) -> ShuffleTest | None:
    """The operator's Delta over `tasks` against `resamples` seeded redraws; None for no tasks.

    Tasks without samples count in the mean with no change. Sums are exact: integers over one
    common denominator.
    """
    if not tasks:
        return None
    varying = [task for task in tasks if task.varies]
    scale = lcm(*(_denominator(task) for task in varying)) if varying else 1
    observed = sum((task.change for task in varying), Fraction(0)) * scale
    null = _redraw(varying, scale, seed, resamples)
    delta = sum((task.change for task in tasks), Fraction(0)) / len(tasks)
    at_least = int(np.count_nonzero(null >= int(observed)))
    unit = scale * len(tasks)
    mean = float(sum(null.tolist()) / resamples / unit)
    values = null.astype(float) / unit
    sd = float(values.std(ddof=1)) if resamples > 1 and varying else 0.0
    exact = sqrt(exact_variance(tasks))
    p = add_one_p(at_least, resamples)
    z = (float(delta) - mean) / sd if sd else None
    z_exact = float(delta) / exact if exact else None
    return ShuffleTest(delta, p, at_least, resamples, mean, sd, z, exact, z_exact)


def _denominator(task: FlagCount) -> int:
    """The denominator of any change of this task: kept samples and all of them."""
    kept = task.samples - task.flags
    return lcm(kept, task.samples // gcd(task.samples, task.correct))


def _redraw(tasks: Sequence[FlagCount], scale: int, seed: int, resamples: int) -> NDArray[np.int64]:
    """Sums of the changes times `scale`, shape (resamples,); Python integers if they must be."""
    kind = np.int64 if scale * (len(tasks) + 1) < _FITS else object
    if not tasks:
        return np.zeros(resamples, dtype=kind)
    good = np.array([task.correct for task in tasks])
    bad = np.array([task.samples - task.correct for task in tasks])
    flags = np.array([task.flags for task in tasks])
    rng = np.random.default_rng(seed)
    hits = rng.hypergeometric(good, bad, flags, size=(resamples, len(tasks)))
    weight = np.array([scale // (task.samples - task.flags) for task in tasks], dtype=kind)
    base = sum(scale * task.correct // task.samples for task in tasks)
    sums: NDArray[np.int64] = ((good - hits) * weight).sum(axis=1) - base
    return sums
