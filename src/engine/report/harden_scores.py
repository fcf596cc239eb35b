"""Accuracy and uncertainty tables of a harden run (HARDEN, A.10; tables 4 to 9).

The headline is fresh: the chosen case is the best of many noisy scores, so the scores that chose
it flatter the search. Both are shown, and how many cases stay harder on responses that no
selection saw.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ..stats.bootstrap import percentile_interval
from .harden import CaseFacts, HardenRun, Scoring, Version
from .tables import Cell, Table, columns

Measure: TypeAlias = Callable[[Version], float | Fraction | None]
FRESH = "fresh responses (headline)"
SELECTION = "responses that selection saw"
WINNERS_CURSE = (
    "The promoted candidate is the best of many noisy scores: with no real effect at all the scores"
    " that chose it would still fall. Read the fresh row; the other shows how much of the drop was"
    " luck."
)


@dataclass(frozen=True, slots=True)
class Change:
    """A measure of the same cases before and after."""

    before: tuple[float | Fraction, ...]
    after: tuple[float | Fraction, ...]

    @property
    def n(self) -> int:
        """Cases in which both sides are known."""
        return len(self.before)

    def means(self) -> tuple[float | None, float | None, float | None]:
        """Mean before, mean after, after minus before; None for no cases."""
        if not self.before:
            return None, None, None
        before, after = (sum(side) / len(side) for side in (self.before, self.after))
        return float(before), float(after), float(after - before)


def change(cases: Sequence[CaseFacts], measure: Measure) -> Change:
    """The measure before and after, over the cases where both are known."""
    pairs = []
    for case in cases:
        before = measure(case.before) if case.before else None
        after = measure(case.after) if case.after else None
        if before is not None and after is not None:
            pairs.append((before, after))
    return Change(tuple(b for b, _ in pairs), tuple(a for _, a in pairs))


def of_scoring(fresh: bool, measure: Callable[[Scoring], float | Fraction | None]) -> Measure:
    """A measure of a version's fresh or selection scoring; None where there is none."""

    def measured(version: Version) -> float | Fraction | None:
        scoring = version.fresh if fresh else version.selection
        return None if scoring is None else measure(scoring)

    return measured


def accuracy(scoring: Scoring) -> Fraction:
    """Mean grade in per cent, exact."""
    return 100 * scoring.score


def accuracy_table(run: HardenRun) -> Table:
    """Table 4 of this run: accuracy of all finished cases with 95% bootstrap intervals."""
    rows = tuple(
        _accuracy_row(name, change(run.done, of_scoring(fresh, accuracy)))
        for name, fresh in ((FRESH, True), (SELECTION, False))
    )
    return Table(
        "Accuracy, all finished cases",
        columns(
            "responses", "cases", ("before, %", 1), ("before, 95% low", 1),
            ("before, 95% high", 1), ("after, %", 1), ("after, 95% low", 1),
            ("after, 95% high", 1), ("drop against the originals, points", 1),
        ),
        rows,
        (WINNERS_CURSE, "Intervals: percentile bootstrap over cases, 50,000 resamples, seed 42."),
    )  # fmt: skip


def _accuracy_row(name: str, found: Change) -> tuple[Cell, ...]:
    before, after, difference = found.means()
    drop = None if difference is None else 0.0 - difference
    return (name, found.n, before, *_ends(found.before), after, *_ends(found.after), drop)


def _ends(values: Sequence[float | Fraction]) -> tuple[float | None, float | None]:
    """The interval's; None for fewer than two cases, which say nothing of their spread."""
    interval = percentile_interval([float(value) for value in values]) if len(values) > 1 else None
    return (interval.low, interval.high) if interval else (None, None)


def uncertainty_table(run: HardenRun) -> Table:
    """Tables 5 to 8 of this run: entropies and likelihoods of all finished cases."""
    base = run.recipe.base
    measures: list[tuple[str, str, Measure]] = []
    for name, fresh in ((FRESH, True), (SELECTION, False)):
        entropy = of_scoring(fresh, lambda scoring: scoring.entropy(base))
        weighted = of_scoring(fresh, lambda scoring: scoring.weighted_entropy(base))
        measures += [("semantic entropy", name, entropy)]
        measures += [("likelihood-weighted entropy", name, weighted)]
    greedy = "greedy completion"
    measures.append(("sequence NLL", greedy, lambda version: version.sequence_nll))
    measures.append(("mean-token NLL", greedy, lambda version: version.token_nll))
    found = [(name, source, change(run.done, measure)) for name, source, measure in measures]
    return Table(
        "Uncertainty, all finished cases",
        columns("measure", "of", "cases", ("before", 3), ("after", 3), ("change", 3)),
        tuple((name, source, each.n, *each.means()) for name, source, each in found),
        (
            f"Entropies are divided by ln {base}; NLL is in natural units.",
            "n/a: no case has the log-probabilities that the measure needs.",
        ),
    )


def hardened_table(run: HardenRun) -> Table:
    """Table 9 of this run: hardened cases only, and how many stay hardened on fresh scores."""
    rows = tuple(
        _hardened_row(run, name, fresh) for name, fresh in ((FRESH, True), (SELECTION, False))
    )
    return Table(
        "Hardened cases only",
        columns(
            "responses", "hardened", "of cases", ("accuracy before, %", 1),
            ("accuracy after, %", 1), ("drop, points", 1), ("entropy before", 3),
            ("entropy after", 3), "scored", "lower score than before", ("share of scored, %", 1),
        ),
        tuple(rows),
        (
            "A case stays hardened if its fresh score is strictly below the original's fresh score;"
            " by the scores that selection saw every promoted case is.",
        ),
    )  # fmt: skip


def _hardened_row(run: HardenRun, name: str, fresh: bool) -> tuple[Cell, ...]:
    found = change(run.hardened, of_scoring(fresh, accuracy))
    entropy = change(run.hardened, of_scoring(fresh, lambda s: s.entropy(run.recipe.base)))
    before, after, difference = found.means()
    lower = len(stays_hardened(run.hardened, fresh=fresh))
    return (
        name,
        len(run.hardened),
        len(run.done),
        before,
        after,
        None if difference is None else 0.0 - difference,
        *entropy.means()[:2],
        found.n,
        lower,
        100 * lower / found.n if found.n else None,
    )


def stays_hardened(cases: Sequence[CaseFacts], *, fresh: bool = True) -> list[CaseFacts]:
    """Cases whose score after is strictly below the score before; compared exactly."""
    kept = []
    for case in cases:
        before = case.before and (case.before.fresh if fresh else case.before.selection)
        after = case.after and (case.after.fresh if fresh else case.after.selection)
        if before and after and after.score < before.score:
            kept.append(case)
    return kept


STATUSES = (
    ("hardened", "a harder candidate was promoted"),
    ("kept", "searched, nothing harder passed; the original stays"),
    ("unimprovable", "not searched: no lower score above 0 is possible"),
    ("failed", "the original could not be scored; in no mean"),
    ("parked", "waits for a retry; in no mean"),
    ("open", "not finished yet; in no mean"),
)


def case_table(run: HardenRun) -> Table:
    """What became of the cases, those outside every mean included."""
    names = [case.outcome if case.state == "done" else case.state for case in run.cases]
    rows: list[tuple[Cell, ...]] = [(s, names.count(s), meaning) for s, meaning in STATUSES]
    reasons = [
        f"{case.id}: {case.reason}"
        for case, name in zip(run.cases, names, strict=True)
        if name in ("failed", "parked") and case.reason
    ]
    total: tuple[Cell, ...] = ("all", len(names), "")
    return Table(
        "Cases", columns("outcome", "cases", "meaning"), (*rows, total), tuple(reasons[:20])
    )


def promoted_table(run: HardenRun) -> Table:
    """Each hardened case: its axes and its scores by both sets of responses."""
    fresh = {case.id for case in stays_hardened(run.hardened)}
    return Table(
        "Promoted cases",
        columns(
            "case", "promoted", "axes", ("selection before, %", 1), ("selection after, %", 1),
            ("fresh before, %", 1), ("fresh after, %", 1), "stays hardened",
        ),
        tuple(_promoted_row(case, case.id in fresh) for case in run.hardened),
    )  # fmt: skip


def _promoted_row(case: CaseFacts, stays: bool) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    for fresh in (False, True):
        for version in (case.before, case.after):
            found = of_scoring(fresh, accuracy)(version) if version else None
            cells.append(None if found is None else float(found))
    verdict = None if None in cells[2:] else ("yes" if stays else "no")
    node = case.after.node if case.after else None
    return (case.id, node, " > ".join(case.axes), *cells, verdict)
