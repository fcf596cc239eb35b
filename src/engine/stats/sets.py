"""Overlap and richness of flag sets (EvalCEGAR, Section 6 and Appendix H; Chao 1984, 1987)."""

from collections import Counter
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import comb


def jaccard(first: AbstractSet[Hashable], second: AbstractSet[Hashable]) -> Fraction | None:
    """Shared members over all members; None for two empty sets."""
    union = len(first | second)
    return Fraction(len(first & second), union) if union else None


def chao1(counts: Sequence[int], *, bias_corrected: bool = True) -> Fraction:
    """Chao's lower bound of the number of classes, from how often each was seen.

    The classic form f1^2 / 2 f2 falls back to the bias-corrected one where f1 or f2 is 0.
    """
    seen = Counter(count for count in counts if count > 0)
    ones, twos = seen[1], seen[2]
    if bias_corrected or not ones or not twos:
        return seen.total() + Fraction(ones * (ones - 1), 2 * (twos + 1))
    return seen.total() + Fraction(ones * ones, 2 * twos)


def rarefaction(counts: Sequence[int], size: int) -> Fraction:
    """Expected number of classes among `size` individuals drawn without replacement."""
    total = sum(counts)
    return sum((1 - Fraction(comb(total - n, size), comb(total, size)) for n in counts), Fraction())


@dataclass(frozen=True, slots=True)
class UnitRarefaction:
    """Classes over seeds, exact over all subsets of them (equal to all arrival orders).

    `expected[k - 1]` is the mean number of classes in k units; `new_at_last` what the last unit
    adds on average; `uniques`, `duplicates` the classes seen in exactly one, two units; `chao`
    Chao's bias-corrected bound on those (with incidence counts its name is Chao2).
    """

    expected: tuple[Fraction, ...]
    new_at_last: Fraction
    observed: int
    uniques: int
    duplicates: int
    chao: Fraction


def rarefaction_by_unit(units: Sequence[AbstractSet[Hashable]]) -> UnitRarefaction:
    """Exact rarefaction of behavioural classes over `units`, the classes that each run found."""
    found = Counter(member for unit in units for member in unit)
    n = len(units)
    expected = tuple(
        sum((1 - Fraction(comb(n - m, k), comb(n, k)) for m in found.values()), Fraction())
        for k in range(1, n + 1)
    )
    seen = Counter(found.values())
    ones, twos = seen[1], seen[2]
    factor = Fraction(n - 1, n) if n else Fraction(0)
    chao = len(found) + factor * Fraction(ones * (ones - 1), 2 * (twos + 1))
    new = expected[-1] - (expected[-2] if n > 1 else 0) if n else Fraction(0)
    return UnitRarefaction(expected, new, len(found), ones, twos, chao)
