"""Which axes a mutation should prefer: the ranking of HARDEN, A.5.4, in exact arithmetic."""

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction

from ...model.harden import Axis, AxisCounts, AxisTerms, RankedAxis

UNTRIED = Fraction(3, 2)
LOW_PASS_RATE = Fraction(3, 10)


def axis_terms(
    counts: AxisCounts, *, high: bool, in_lineage: bool, bonus: Fraction = Fraction(0)
) -> AxisTerms:
    """The terms of one axis's score: 4 I/A + Gp/A (1.5 untried), +3, -4, -2, -1 and the bonus.

    The two penalties for fruitless and for mostly rejected axes need at least two applications;
    the rate of exactly 3/10 is not low.
    """
    applied, tried = counts.applied, counts.applied >= 2
    base = Fraction(4 * counts.improved + counts.passed, applied) if applied else UNTRIED
    low = tried and Fraction(counts.passed, applied) < LOW_PASS_RATE
    return AxisTerms(
        base=base,
        priority=Fraction(3 if high else 0),
        no_improvement=Fraction(-4 if tried and counts.improved == 0 else 0),
        low_pass_rate=Fraction(-2 if low else 0),
        lineage=Fraction(-1 if in_lineage else 0),
        bonus=bonus,
    )


def rank_axes(
    catalogue: Sequence[Axis],
    counts: Mapping[str, AxisCounts],
    lineage: Collection[str],
    bonuses: Mapping[str, Fraction],
) -> tuple[RankedAxis, ...]:
    """All axes, highest score first; exact ties stay in catalogue order.

    `lineage` holds the axes on the chain from the original to the current parent.
    """
    scored = []
    for axis in catalogue:
        known = counts.get(axis.axis_name, AxisCounts())
        inside = axis.axis_name in lineage
        bonus = axis_bonus(axis.axis_name, bonuses)
        high = axis.priority == "high"
        terms = axis_terms(known, high=high, in_lineage=inside, bonus=bonus)
        scored.append((axis, known, inside, terms))
    scored.sort(key=lambda entry: -entry[3].score)
    return tuple(RankedAxis(*entry, rank=place) for place, entry in enumerate(scored, start=1))


def axis_bonus(name: str, bonuses: Mapping[str, Fraction]) -> Fraction:
    """The configured bonus of an axis: that of the longest pattern in its normalised name.

    A pattern is a run of whole words ("table_lookup" matches "Table-lookup ambiguity"); `*` stands
    for any letters. At most one pattern counts; equally long ones go by the alphabet, so that the
    order of a configuration file never matters.
    """
    text = f"_{normalised(name)}_"
    fitting = [p for p in bonuses if fnmatchcase(text, f"*_{normalised(p)}_*")]
    if not fitting:
        return Fraction(0)
    return bonuses[min(fitting, key=lambda pattern: (-len(normalised(pattern)), pattern))]


def normalised(name: str) -> str:
    """A name as lower-case words joined by underscores; `*` is kept."""
    return re.sub(r"(?:[^\w*]|_)+", "_", name.casefold()).strip("_")
