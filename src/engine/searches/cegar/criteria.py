"""Which subset to deploy: criteria on training labels alone (EvalCEGAR, Table 4 and Appendix F).

Every criterion is an exact number. Those that read TP, FP and size only are computed once for each
triple that occurs, as `Fraction`s, and then spread over the subsets as ranks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...stats.ranks import spearman
from .composition import Landscape

FLOOR = 3
"""True positives that the precision criterion wants (C8)."""

Score: TypeAlias = Callable[[int, int, int], Fraction]
"""A criterion of TP, FP and k."""

SWEEP = tuple(
    Fraction(text)
    for text in ("0", "0.02", "0.05", "0.1", "0.15", "0.25", "0.35", "0.5", "0.75", "1", "2")
)
"""Weights of a false alarm in the sweep; the class ratio is the twelfth."""
SPARE = Fraction(3)
"""The twelfth where the class ratio is one of the eleven."""


def class_weight(incorrect: int, correct: int) -> Fraction:
    """n_TP / n_FP, the false alarm's weight in C6; 1 (which makes C6 C1) where n_FP is 0."""
    return Fraction(incorrect, correct) if correct else Fraction(1)


def counted(incorrect: int, correct: int) -> Mapping[str, Score]:
    """C1 and C4 to C8 for a training split with so many incorrect and correct samples."""
    weight = class_weight(incorrect, correct)
    return {
        "C1": lambda tp, fp, _: Fraction(tp - fp),
        "C4": lambda tp, fp, _: Fraction(tp - fp, tp + fp + 1),
        "C5": lambda tp, fp, k: Fraction(tp - fp - 2 * k),
        "C6": lambda tp, fp, _: tp - weight * fp,
        "C7": lambda tp, fp, _: f1(tp, fp, incorrect),
        "C8": lambda tp, fp, _: Fraction(tp, tp + fp) if tp >= FLOOR else Fraction(-1),
    }


def f1(caught: int, alarms: int, incorrect: int) -> Fraction:
    """F1 of "flagged" for "incorrect"; 0 where nothing is flagged and nothing is incorrect."""
    total = caught + alarms + incorrect
    return Fraction(2 * caught, total) if total else Fraction(0)


@dataclass(frozen=True, slots=True)
class Choice:
    """A criterion's argmax: the subset's place in the landscape, its value, how many tie with it.

    Ties go to the smaller subset, then to admission order.
    """

    criterion: str
    index: int
    members: tuple[int, ...]
    value: Fraction
    ties: int


class Criteria:
    """The criteria over one landscape; distinct (TP, FP, k) are found once."""

    def __init__(self, landscape: Landscape) -> None:
        self.landscape = landscape
        self._triples, self._inverse = _distinct(landscape)

    def choose(self) -> list[Choice]:
        """The argmax of each of C1 to C8, in that order."""
        land = self.landscape
        chosen = {name: self._best(name, score) for name, score in self._scores().items()}
        chosen["C2"] = self._argmax("C2", land.endpoints["training"], land.units["training"])
        chosen["C3"] = self._argmax("C3", land.capped, 1)
        return [chosen[name] for name in sorted(chosen)]

    def sweep(self) -> list[tuple[Fraction, Choice]]:
        """The argmax of TP - w FP for twelve weights: those of `SWEEP` and the class ratio, with
        `SPARE` in its place where it is among them."""
        ratio = class_weight(self.landscape.incorrect, self.landscape.correct)
        weights = sorted({*SWEEP, SPARE if ratio in SWEEP else ratio})
        return [(weight, self._best(f"TP-{weight}FP", _weighted(weight))) for weight in weights]

    def oracle(self, name: str) -> Choice:
        """The best held-out endpoint: what no rule on training data should reach."""
        land = self.landscape
        return self._argmax(f"oracle {name}", land.endpoints[name], land.units[name])

    def _scores(self) -> Mapping[str, Score]:
        return counted(self.landscape.incorrect, self.landscape.correct)

    def _best(self, name: str, score: Score) -> Choice:
        """Argmax of a criterion of the counts."""
        values = [score(tp, fp, k) for tp, fp, k in self._triples]
        top = max(values)
        wanted = np.array([value == top for value in values])
        return self._choice(name, np.flatnonzero(wanted[self._inverse]), top)

    def _argmax(self, name: str, values: NDArray[np.int64], unit: int) -> Choice:
        """Argmax of an array of integers."""
        top = values.max()
        return self._choice(name, np.flatnonzero(values == top), Fraction(int(top), unit))

    def _choice(self, name: str, tied: NDArray[np.int64], value: Fraction) -> Choice:
        land = self.landscape
        smallest = tied[land.sizes[tied] == land.sizes[tied].min()]
        index = int(smallest[np.argmax(land.masks[smallest])])
        return Choice(name, index, land.members(index), value, len(tied))


def percentile(landscape: Landscape, name: str, index: int) -> Fraction:
    """Share of all enumerated subsets that are strictly below this one on a held-out set."""
    values = landscape.endpoints[name]
    return Fraction(int(np.count_nonzero(values < values[index])), len(landscape))


@dataclass(frozen=True, slots=True)
class Safety:
    """The closure of a pool under composition: how many subsets harm the endpoint, and the worst.

    `minimum` is over the subsets that flag something; None where there is none.
    """

    subsets: int
    vacuous: int
    harmful: int
    minimum: Fraction | None


def safety(landscape: Landscape, name: str) -> Safety:
    """Whether any composition of admitted operators harms the named held-out set."""
    values = landscape.endpoints[name][~landscape.vacuous]
    least = Fraction(int(values.min()), landscape.units[name]) if len(values) else None
    vacuous = int(landscape.vacuous.sum())
    return Safety(len(landscape), vacuous, int(np.count_nonzero(values < 0)), least)


def _weighted(weight: Fraction) -> Score:
    return lambda tp, fp, _: tp - weight * fp


def _distinct(land: Landscape) -> tuple[list[tuple[int, int, int]], NDArray[np.int64]]:
    """The distinct (TP, FP, k) and which of them each subset has."""
    alarms, sizes = land.correct + 1, int(land.sizes.max()) + 1
    keys = (land.caught * alarms + land.alarms) * sizes + land.sizes
    span = (land.incorrect + 1) * alarms * sizes
    if span > 4 * len(land) + (1 << 22):
        unique, inverse = np.unique(keys, return_inverse=True)
    else:  # a table of all keys is faster than sorting millions of them
        seen = np.zeros(span, dtype=bool)
        seen[keys] = True
        unique = np.flatnonzero(seen)
        inverse = (np.cumsum(seen) - 1)[keys]
    triples = [
        (key // sizes // alarms, key // sizes % alarms, key % sizes) for key in unique.tolist()
    ]
    return triples, inverse


def spearman_by_size(landscape: Landscape, name: str) -> list[tuple[int, float | None]]:
    """Spearman's rho of J = TP - FP with the held-out endpoint within each subset size."""
    objective = landscape.caught - landscape.alarms
    values, sizes = landscape.endpoints[name], landscape.sizes
    return [
        (size, spearman(objective[sizes == size], values[sizes == size]))
        for size in range(1, int(sizes.max()) + 1)
    ]
