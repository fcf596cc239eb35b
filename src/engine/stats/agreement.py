"""How far a check agrees with people (HARDEN, A.11 and A.12).

Everything is a ratio of counts. An undefined statistic is None, never 0: a coefficient whose
denominator vanishes says nothing.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt


def ratio(numerator: int, denominator: int) -> float | None:
    """numerator / denominator; None for a denominator of 0."""
    return numerator / denominator if denominator else None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of a check against the truth that it is held to, acceptance being positive."""

    tp: int
    fn: int
    fp: int
    tn: int

    @property
    def n(self) -> int:
        """How many pairs."""
        return self.tp + self.fn + self.fp + self.tn


def confusion(check: Sequence[bool], truth: Sequence[bool]) -> Confusion:
    """Counts over pairs. Raises ValueError where the lengths differ."""
    seen = Counter(zip(check, truth, strict=True))
    return Confusion(seen[True, True], seen[False, True], seen[True, False], seen[False, False])


def observed_agreement(table: Confusion) -> float | None:
    """Share of pairs on which both say the same; the check's accuracy."""
    return ratio(table.tp + table.tn, table.n)


def positive_agreement(table: Confusion) -> float | None:
    """Agreement on acceptances: 2 tp over all acceptances of either (F1 of the positive class)."""
    return ratio(2 * table.tp, 2 * table.tp + table.fp + table.fn)


def negative_agreement(table: Confusion) -> float | None:
    """Agreement on rejections: 2 tn over all rejections of either."""
    return ratio(2 * table.tn, 2 * table.tn + table.fp + table.fn)


def recall(table: Confusion) -> float | None:
    """Share of the truly acceptable that the check accepts."""
    return ratio(table.tp, table.tp + table.fn)


def specificity(table: Confusion) -> float | None:
    """Share of the truly unacceptable that the check rejects."""
    return ratio(table.tn, table.tn + table.fp)


def precision(table: Confusion) -> float | None:
    """Share of the check's acceptances that are truly acceptable."""
    return ratio(table.tp, table.tp + table.fp)


def balanced_accuracy(table: Confusion) -> float | None:
    """Mean of recall and specificity; None where either is."""
    yes, no = recall(table), specificity(table)
    return None if yes is None or no is None else (yes + no) / 2


def mcc(table: Confusion) -> float | None:
    """Matthews' coefficient, which is phi of the table; None where a margin is 0 (Table 12)."""
    margins = (table.tp + table.fn) * (table.fp + table.tn) * (table.tp + table.fp)
    margins *= table.fn + table.tn
    if not margins:
        return None
    return (table.tp * table.tn - table.fp * table.fn) / sqrt(margins)


def kappa(table: Confusion) -> float | None:
    """Cohen's unweighted kappa; None for no pairs and where chance agreement is certain."""
    n, same = table.n, table.tp + table.tn
    chance = (table.tp + table.fn) * (table.tp + table.fp)
    chance += (table.fp + table.tn) * (table.fn + table.tn)
    return ratio(n * same - chance, n * n - chance)


def ac1(table: Confusion) -> float | None:
    """Gwet's AC1 of two raters and two categories; None for no pairs.

    With a mean acceptance share pi, chance agreement is 2 pi (1 - pi).
    """
    n, same = table.n, table.tp + table.tn
    accepted = 2 * table.tp + table.fn + table.fp
    chance = accepted * (2 * n - accepted)
    return ratio(2 * n * same - chance, 2 * n * n - chance)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's unweighted kappa of two raters' labels, any number of categories.

    None for no pairs and where chance agreement is certain (both always give one label).
    """
    n, left, right = len(first), Counter(first), Counter(second)
    if not n:
        return None
    same = sum(a == b for a, b in zip(first, second, strict=True))
    chance = sum(left[label] * right[label] for label in left)
    return ratio(n * same - chance, n * n - chance)


def gwet_ac1(
    first: Sequence[Hashable], second: Sequence[Hashable], *, categories: int
) -> float | None:
    """Gwet's AC1 of two raters' labels; `categories` counts all possible labels, seen or not.

    Chance agreement is sum pi (1 - pi) / (q - 1), pi being a label's mean share. None for no
    pairs and for fewer than two categories. Raises ValueError where more labels occur.
    """
    n, both = len(first), Counter(first) + Counter(second)
    if not n or categories < 2:
        return None
    if len(both) > categories:
        raise ValueError(f"{len(both)} labels occur, but only {categories} categories are declared")
    same = Fraction(sum(a == b for a, b in zip(first, second, strict=True)), n)
    spread = sum(count * (2 * n - count) for count in both.values())
    chance = Fraction(spread, 4 * n * n * (categories - 1))
    return float((same - chance) / (1 - chance))


def multiclass_mcc(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Matthews' coefficient for any number of labels (Gorodkin's R_K).

    None where either rater gives one label only.
    """
    n, left, right = len(first), Counter(first), Counter(second)
    same = sum(a == b for a, b in zip(first, second, strict=True))
    cross = n * same - sum(left[label] * right[label] for label in left)
    spreads = [n * n - sum(count * count for count in side.values()) for side in (left, right)]
    return cross / sqrt(spreads[0] * spreads[1]) if all(spreads) else None
