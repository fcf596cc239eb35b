"""What a cegar run has cost: calls against a judge's, labels, and where its attempts ended.

Sources: EvalCEGAR, Appendix B (transfer budget), Appendix C (abstentions), Appendix E (the ledger
as the sensitivity analysis of the floor), Appendix I (cost).
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from ..searches.cegar.judging import judged_programs
from .cegar_read import CegarRun, Judged
from .cegar_rules import percent, voted
from .tables import Cell, Table, columns

FLOORS = range(1, 6)


def cost_table(run: CegarRun, splits: Mapping[str, Judged]) -> Table:
    """The author's calls beside a judge's, which are one a distinct candidate and pass."""
    made = run.authored
    rows: list[tuple[Cell, ...]] = [
        (f"author, run {source.name}", source.calls, source.operators, None)
        for source in run.sources
    ]
    rows.append(("author, all runs" if run.sources else "author", made, len(run.admitted), None))
    rows.append(("the pool, any number of candidates", 0, None, None))
    rows += [
        (
            f"a judge, one pass over {name}", asked, None,
            float(Fraction(asked, made)) if made else None,
        )
        for name, judged in splits.items()
        for asked in (len(judged_programs(judged.split)),)
    ]  # fmt: skip
    return Table(
        "Cost: model calls",
        columns("who", ("calls", 0), ("operators admitted", 0), ("times the author's", 1)),
        tuple(rows),
        ("A judge is asked once for each distinct program of V(t), and again for new ones.",),
    )


def budget_table(run: CegarRun) -> Table:
    """What moving to another domain asks of it: labels, in the units that the search reads."""
    split = run.training.split
    cast = split.votes(voted(run.training, run.admitted, 1))
    counts = [vote.count() for vote in cast]
    pairs = sum(one.correct * (one.samples - one.correct) for one in counts)
    levels = {Fraction(a.figures["delta"]) for a in run.attempts if a.figures}
    rows: list[tuple[Cell, ...]] = [
        ("training tasks", len(cast)),
        ("decidable ones", sum(vote.decidable for vote in cast)),
        ("pairs of a right and a wrong candidate", pairs),
        ("labelled candidates", len(split.accepted)),
        ("labelled candidates that some operator flags", sum(one.flags for one in counts)),
        ("distinct values of training Delta at the gate", len(levels)),
    ]
    return Table("Transfer budget (training)", columns("what", ("number", 0)), tuple(rows))


def attempts_table(run: CegarRun) -> Table:
    """Where attempts ended, by level, and how many operators abstain on all they were run on."""
    rows: list[tuple[Cell, ...]] = []
    for level in sorted({one.level for one in run.attempts}):
        own = [one for one in run.attempts if one.level == level]
        ran = [one for one in own if one.silent is not None]
        silent = sum(bool(one.silent) for one in ran)
        share = Fraction(silent, len(ran)) if ran else None
        ended = Counter(one.stopped or "admitted" for one in own)
        rows += [
            (level, gate, n, percent(Fraction(n, len(own)))) for gate, n in sorted(ended.items())
        ]
        rows.append((level, f"abstains everywhere, of {len(ran)} run", silent, percent(share)))
    return Table(
        "Where attempts end",
        columns(("level", 0), "ended at", ("operators", 0), ("%", 1)),
        tuple(rows),
    )


def sensitivity_table(run: CegarRun) -> Table:
    """How many consultations of the gate each floor of helped tasks would have admitted."""
    rows: list[tuple[Cell, ...]] = []
    for level in sorted({one.level for one in run.attempts if one.figures}):
        seen = [one.figures for one in run.attempts if one.figures and one.level == level]
        for floor in FLOORS:
            through = sum(
                f["helped"] >= floor and f["helped"] > f["hurt"] and Fraction(f["delta"]) > 0
                for f in seen
            )
            rows.append((level, floor, len(seen), through))
    return Table(
        "The gate's floor: what others would have admitted",
        columns(("level", 0), ("tasks helped, at least", 0), ("consultations", 0), ("admitted", 0)),
        tuple(rows),
        ("The gate asks for 3. What the others would be worth on held-out tasks is not known.",),
    )
