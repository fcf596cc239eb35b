"""Percentile bootstrap over case-level means (HARDEN, A.10; Efron and Tibshirani 1993)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 50_000
SEED = 42
CELLS = 2_000_000
"""Indexes drawn at once, 16 MB; drawing in pieces gives the same stream as drawing whole."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its percentile interval; `n` counts the values that were resampled."""

    mean: float
    low: float
    high: float
    n: int
    resamples: int
    seed: int


def resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """Means of `resamples` draws with replacement from `values` (n,), shape (resamples,)."""
    rng, n = np.random.default_rng(seed), len(values)
    means, step = np.empty(resamples), max(1, CELLS // n)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        means[start : start + rows] = values[rng.integers(0, n, size=(rows, n))].mean(axis=1)
    return means


def percentile_interval(
    values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED, level: float = 0.95
) -> Interval | None:
    """The mean of `values` with its percentile bootstrap interval; None for no values.

    Each value is one case's mean; model outputs stay fixed. Linear interpolation between
    resamples at (1 - level) / 2 and its complement.
    """
    if not len(values):
        return None
    array = np.asarray(values, dtype=np.float64)
    tail = 50 * (1 - level)
    low, high = np.percentile(resampled_means(array, resamples, seed), [tail, 100 - tail])
    return Interval(float(array.mean()), float(low), float(high), len(array), resamples, seed)
