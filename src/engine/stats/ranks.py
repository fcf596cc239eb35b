"""Rank statistics: Spearman's correlation and the paired Wilcoxon test."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Wilcoxon's signed-rank test; `n` counts the differences that are not 0."""

    statistic: float
    p: float
    n: int


def wilcoxon_paired(differences: Sequence[float]) -> SignedRank | None:
    """Two-sided test that the differences are symmetric about 0; zeros are dropped.

    None where every difference is 0. Exact for few differences without ties, else scipy's choice.
    """
    from scipy.stats import wilcoxon

    array = np.asarray(differences, dtype=float)
    n = int(np.count_nonzero(array))
    if not n:
        return None
    result = wilcoxon(array, zero_method="wilcox")
    return SignedRank(float(result.statistic), float(result.pvalue), n)


def average_ranks(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Ranks from 1 with ties averaged, shape of `values` (n,)."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: NDArray[np.float64] = (ends - (counts - 1) / 2)[inverse]
    return ranks


def spearman(first: NDArray[np.generic], second: NDArray[np.generic]) -> float | None:
    """Spearman's rho of two equally long arrays; None where one of them is constant."""
    if len(first) < 2:
        return None
    a, b = average_ranks(first), average_ranks(second)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else None
