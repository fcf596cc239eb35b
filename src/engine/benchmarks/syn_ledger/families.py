"""The five arithmetic programs: what each needs, in which document, and amounts that fit."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .model import Record, Request

LOW, HIGH = 1_100, 38_900
"""Amounts have four or five digits, so that none can be a two-digit answer."""

Amounts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Family:
    """One program. `sides` names the roles of the first and the second evidence document.

    `sample(rng, answer)` gives amounts whose result is the answer; `result(amounts)` the result.
    `phrase` is how the question asks for it.
    """

    name: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    categories: Mapping[str, str]
    previous: frozenset[str]
    sample: Callable[[random.Random, int], Amounts]
    result: Callable[[Mapping[str, int]], Fraction]
    phrase: str


def _plain(rng: random.Random, low: int = LOW, high: int = HIGH) -> int:
    """A whole number that doesn't end in 0."""
    return rng.randrange(low // 10, high // 10) * 10 + rng.randrange(1, 10)


def _uneven(rng: random.Random, draw: Callable[[], Amounts]) -> Amounts:
    """The first draw in which no amount ends in 0 and none is too small."""
    while True:
        amounts = draw()
        if all(value % 10 and abs(value) >= LOW for value in amounts.values()):
            return amounts


def _difference(rng: random.Random, answer: int) -> Amounts:
    def draw() -> Amounts:
        y = _plain(rng)
        return {"x": y + answer, "y": y}

    return _uneven(rng, draw)


def _total(rng: random.Random, answer: int) -> Amounts:
    def draw() -> Amounts:
        large = _plain(rng)
        parts = [large, answer - large]
        rng.shuffle(parts)
        return {"x": parts[0], "y": parts[1]}

    return _uneven(rng, draw)


def _balance(rng: random.Random, answer: int) -> Amounts:
    def draw() -> Amounts:
        x = _plain(rng, 12_000, HIGH)
        y = _plain(rng, LOW, 9_900) * rng.choice((1, -1))
        return {"x": x, "y": y, "z": x + y - answer}

    return _uneven(rng, draw)


_FACTORS = [n for n in range(111, 390) if n % 2 and n % 5]


def _share(rng: random.Random, answer: int) -> Amounts:
    # an odd factor free of 5 adds no zero: the total ends in exactly two, the part as the answer
    factor = rng.choice(_FACTORS)
    return {"x": answer * factor, "y": 100 * factor}


def _gap(rng: random.Random, answer: int) -> Amounts:
    def draw() -> Amounts:
        x, y = _plain(rng, LOW, 19_000), _plain(rng, LOW, 19_000)
        return {"x": x, "y": y, "z": x + y + answer}

    return _uneven(rng, draw)


FAMILIES: tuple[Family, ...] = (
    Family(
        "period_difference", (("x",), ("y",)),
        {"x": "appropriation", "y": "appropriation"}, frozenset({"y"}),
        _difference, lambda a: Fraction(a["x"] - a["y"]),
        "By how much does the appropriation of {entity} in {period} exceed its appropriation in "
        "{previous}?",
    ),
    Family(
        "combined_total", (("x",), ("y",)),
        {"x": "capital adjustment", "y": "operations adjustment"}, frozenset(),
        _total, lambda a: Fraction(a["x"] + a["y"]),
        "What do the capital adjustment and the operations adjustment of {entity} in {period} "
        "add up to, with their signs?",
    ),
    Family(
        "net_balance", (("x", "y"), ("z",)),
        {"x": "appropriation", "y": "budget adjustment", "z": "obligation"}, frozenset(),
        _balance, lambda a: Fraction(a["x"] + a["y"] - a["z"]),
        "What is left of the appropriation of {entity} in {period} after its budget adjustment is "
        "added and its obligation subtracted?",
    ),
    Family(
        "integer_share", (("x",), ("y",)),
        {"x": "allocated amount", "y": "reference total"}, frozenset(),
        _share, lambda a: Fraction(100 * a["x"], a["y"]),
        "What percentage of the reference total of {entity} in {period} is its allocated amount?",
    ),
    Family(
        "reconciliation_gap", (("z",), ("x", "y")),
        {"z": "reported total", "x": "primary component", "y": "secondary component"}, frozenset(),
        _gap, lambda a: Fraction(a["z"] - (a["x"] + a["y"])),
        "By how much does the reported total of {entity} in {period} exceed the sum of its primary "
        "component and its secondary component?",
    ),
)  # fmt: skip
BY_NAME = {family.name: family for family in FAMILIES}

STATUS, VERSION, BASIS = "approved", "current", "enacted"
"""What a record must be to count."""


def legal_answer(request: Request, records: Iterable[Record]) -> int | None:
    """The answer that the records give; None unless each role has exactly one legal record.

    Legal: the requested entity, the role's period and category, approved, current, enacted basis.
    """
    found: dict[str, list[int]] = {role: [] for role in request.roles}
    for record in records:
        if record.entity != request.entity:
            continue
        if (record.status, record.version, record.basis) != (STATUS, VERSION, BASIS):
            continue
        for role, wanted in request.roles.items():
            if (record.period, record.category) == wanted:
                found[role].append(record.amount)
    if any(len(amounts) != 1 for amounts in found.values()):
        return None
    result = BY_NAME[request.family].result({role: found[role][0] for role in found})
    return result.numerator if result.denominator == 1 else None
