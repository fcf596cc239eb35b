"""The rules of a cegar run on a split: what each flags, its score and null, rule against rule."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..searches.cegar.bench import Operator
from ..searches.cegar.metric import Score, Vote, score
from ..searches.cegar.verdicts import Member, Verdict, votes
from ..stats.counts import bonferroni
from ..stats.ranks import wilcoxon_paired
from ..stats.shuffle import ShuffleTest, shuffle_test
from .cegar_read import CegarRun, Judged
from .tables import Cell, Table, columns

POOL, UNION = "the pool", "the pool, any flag"
CHOSEN = "the subset that C6 picks"
FILTER = "all hand-written, as one filter"
COMPARATOR = "plurality_disagreement"
SCORED = columns(
    ("Delta", 4), ("% of headroom", 1), ("p", 4), ("z", 2), ("flags", 0), ("helped", 0),
    ("hurt", 0), ("false alarms", 4),
)  # fmt: skip
"""The figures of `scored`."""
Flags = Callable[[Member], bool]
Pair = tuple[str, str, int, int, int, float, float | None]
"""Both names, tasks that differ, first and second better, mean difference, p."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that flags: its name, what it flags on one split, calls to the author it took,
    and to a judge on this split."""

    name: str
    flagged: Flags
    calls: int = 0
    judge_calls: int = 0


def rules(run: CegarRun, judged: Judged, chosen: Sequence[int]) -> list[Rule]:
    """The pool, the subset of it that C6 picks (`chosen`, empty below two operators), its plain
    union, its operators, the comparator and the hand-written filter."""
    whole, calls = run.flagged(judged), run.authored
    found = [Rule(POOL, whole.__getitem__, calls)]
    if chosen:
        picked = [run.admitted[n] for n in chosen]
        found.append(Rule(CHOSEN, voted(judged, picked, 2), calls))
    if len(run.admitted) > 1:
        found.append(Rule(UNION, voted(judged, run.admitted, 1), calls))
    found += [Rule(f"{o.name} ({o.node})", flags_of(judged, o), calls) for o in run.admitted]
    found += [Rule(o.name, flags_of(judged, o)) for o in run.starting if o.name == COMPARATOR]
    if run.starting:
        found.append(Rule(FILTER, voted(judged, run.starting, 1)))
    return found


def flags_of(judged: Judged, operator: Operator) -> Flags:
    """What one operator flags."""
    column = judged.columns[operator.node]
    return lambda member: column[member] is Verdict.FLAG


def voted(judged: Judged, operators: Sequence[Operator], least: int) -> Flags:
    """What at least `least` of these operators flag."""
    found = [judged.columns[operator.node] for operator in operators]
    return lambda member: votes([column[member] for column in found], least)


def tested(judged: Judged, flagged: Flags, seed: int) -> tuple[Score, ShuffleTest]:
    """A flag's score on a split, and its size-matched null."""
    return tested_votes(judged.split.votes(flagged), seed)


def tested_votes(cast: Sequence[Vote], seed: int) -> tuple[Score, ShuffleTest]:
    """The same from the votes on one or more tasks."""
    null = shuffle_test([vote.count() for vote in cast], seed=seed)
    assert null is not None
    return score(cast), null


def scored(judged: Judged, flagged: Flags, seed: int) -> tuple[Cell, ...]:
    """The figures of `SCORED` for what a rule flags on a split."""
    result, null = tested(judged, flagged, seed)
    return (
        float(result.delta), percent(result.share), float(null.p), null.z, result.flags,
        result.helped, result.hurt, real(result.false_alarms),
    )  # fmt: skip


def paired_table(name: str, judged: Judged, found: Sequence[Rule]) -> Table:
    """Rule against rule on the tasks of one split: every rule against the pool, and against the
    comparator where there is one (Wilcoxon's signed ranks; cegar.md, decisions)."""
    anchors = [rule for rule in found if rule.name in (POOL, COMPARATOR)]
    pairs = [
        (first, second)
        for place, second in enumerate(anchors)
        for first in found
        if first not in anchors[: place + 1]
    ]
    rows = [_paired(judged, first, second) for first, second in pairs]
    known = [p for *_, p in rows if p is not None]
    adjusted = iter(bonferroni(known))
    return Table(
        f"Rule against rule ({name})",
        columns(
            "first", "second", ("tasks that differ", 0), ("first better", 0), ("second better", 0),
            ("difference", 4), ("p", 4), ("p, Bonferroni", 4),
        ),
        tuple((*row, None if row[-1] is None else next(adjusted)) for row in rows),
        (
            "Signed ranks of P(correct) by task, two-sided. A null of redrawn flags says that a "
            "rule beats flagging nothing, never that it beats another rule.",
        ),
    )  # fmt: skip


def _paired(judged: Judged, first: Rule, second: Rule) -> Pair:
    differences = [
        a.chosen() - b.chosen()
        for a, b in zip(
            judged.split.votes(first.flagged), judged.split.votes(second.flagged), strict=True
        )
    ]
    found = wilcoxon_paired(ordinal(differences))
    better, worse = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    mean = sum(differences, Fraction(0)) / len(differences)
    return (
        first.name, second.name, better + worse, better, worse, float(mean),
        None if found is None else found.p,
    )  # fmt: skip


def ordinal(differences: Sequence[Fraction]) -> list[int]:
    """Integers with the signs and the order of magnitudes of exact differences, ties kept.

    A test of signed ranks sees nothing else, and no tie is lost to rounding.
    """
    sizes = sorted({abs(value) for value in differences if value})
    place = {size: number for number, size in enumerate(sizes, 1)}
    return [0 if not v else place[abs(v)] * (1 if v > 0 else -1) for v in differences]


def percent(value: Fraction | None) -> float | None:
    """A share in per cent, unknown as it is."""
    return None if value is None else float(100 * value)


def real(value: Fraction | str | None) -> float | None:
    """An exact number as a float, unknown as it is."""
    return None if value is None else float(Fraction(value))
