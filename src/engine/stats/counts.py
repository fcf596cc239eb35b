"""Exact tests and intervals for counts (HARDEN, A.11 and A.12)."""

from collections.abc import Sequence
from math import comb, sqrt
from statistics import NormalDist


def fisher_two_sided(table: Sequence[Sequence[int]]) -> float:
    """Two-sided p of Fisher's exact test on [[a, b], [c, d]].

    Sums every table of the same margins that is at most as likely as this one; compared in
    integers, so that equally likely tables count on every machine. 1.0 where a margin is 0.
    """
    (a, b), (c, d) = table
    row, rest, column = a + b, c + d, a + c
    weights = {
        k: comb(row, k) * comb(rest, column - k)
        for k in range(max(0, column - rest), min(row, column) + 1)
    }
    extreme = sum(weight for weight in weights.values() if weight <= weights[a])
    return extreme / comb(row + rest, column)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p on the discordant pairs: a binomial test at one half, at most 1."""
    n, k = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(n, i) for i in range(k + 1))
    return min(1.0, 2 * tail / (1 << n))


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Wilson's score interval of a proportion, no continuity correction; None for n = 0."""
    if not n:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, scale = successes / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z / scale * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return low, high


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """p values times their number, at most 1, in the given order."""
    return [min(1.0, p * len(p_values)) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the given order."""
    adjusted, running = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(_ascending(p_values)):
        running = max(running, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up adjusted p values (false discovery rate), in order."""
    adjusted, running, n = [0.0] * len(p_values), 1.0, len(p_values)
    for rank, index in reversed(list(enumerate(_ascending(p_values), start=1))):
        running = min(running, p_values[index] * n / rank)
        adjusted[index] = running
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)
