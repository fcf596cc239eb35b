"""The judge beside the pool: as a metric, as a classifier, and as a flag set.

Source: EvalCEGAR, Tables 5 and 6 with Appendix I.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ..searches.cegar.metric import score
from ..searches.cegar.training import Labelled
from ..searches.cegar.verdicts import Member, Verdict
from ..stats.sets import jaccard
from .cegar_compared import JudgeSaid
from .cegar_read import CegarRun, Judged
from .cegar_rules import COMPARATOR, POOL, SCORED, Flags, Rule, flags_of, real, scored
from .tables import Cell, Table, columns

Splits = Mapping[str, Judged]
Row = tuple[Cell, ...]


def judge_table(run: CegarRun, splits: Splits, said: Mapping[str, Sequence[JudgeSaid]]) -> Table:
    """Table 5: the judge as a metric and as a classifier, with the comparator and the pool."""
    rows: list[Row] = []
    for name, judged in splits.items():
        for one in said.get(name, ()):
            silent = sum(v is Verdict.ABSTAIN for v in _by_program(judged.split, one.column))
            rows.append(
                (
                    one.model, one.name, name, *scored(judged, flagged_by(one.column), run.seed),
                    *_classified(judged.split, one.column), one.calls, silent,
                )
            )  # fmt: skip
        rows += [
            (
                rule.name,
                "",
                name,
                *scored(judged, rule.flagged, run.seed),
                None,
                None,
                None,
                0,
                None,
            )
            for rule in _references(run, judged)
        ]
    return Table(
        "The judge as a metric",
        (
            *columns("model or rule", "role and prompt", "split"), *SCORED,
            *columns(
                ("precision", 3), ("recall", 3), ("accuracy", 3), ("judge calls", 0),
                ("no verdict", 0),
            ),
        ),
        tuple(rows),
        (
            "Precision, recall and accuracy read it as a classifier of distinct programs. A reply "
            "without a verdict flags nothing. Held-out rows cost one call a candidate, always.",
        ),
    )  # fmt: skip


def _references(run: CegarRun, judged: Judged) -> Iterator[Rule]:
    """The comparator, and the pool where it has members."""
    for operator in run.starting:
        if operator.name == COMPARATOR:
            yield Rule(operator.name, flags_of(judged, operator))
    if run.admitted:
        yield Rule(POOL, run.flagged(judged).__getitem__)


def flagged_by(column: Mapping[Member, Verdict]) -> Flags:
    """What a judge flags."""
    return lambda member: column[member] is Verdict.FLAG


def _by_program(split: Labelled, column: Mapping[Member, Verdict]) -> list[Verdict]:
    return [column[program.members[0]] for program in split.programs if program.visible]


def _classified(split: Labelled, column: Mapping[Member, Verdict]) -> Row:
    """Precision, recall and accuracy over the distinct programs of V(t)."""
    wrong = [not program.correct for program in split.programs if program.visible]
    flags = [said is Verdict.FLAG for said in _by_program(split, column)]
    caught = sum(a and b for a, b in zip(wrong, flags, strict=True))
    agreed = sum(a == b for a, b in zip(wrong, flags, strict=True))
    return (
        real(Fraction(caught, sum(flags))) if any(flags) else None,
        real(Fraction(caught, sum(wrong))) if any(wrong) else None,
        real(Fraction(agreed, len(wrong))) if wrong else None,
    )


def best_judge(training: Judged, judges: Sequence[JudgeSaid]) -> JudgeSaid | None:
    """The configuration of the largest training Delta, the first of equals: chosen without a look
    at held-out tasks (the paper takes its best of four there)."""
    if not judges:
        return None
    return max(judges, key=lambda one: score(training.split.votes(flagged_by(one.column))).delta)


def algebra_table(
    run: CegarRun, splits: Splits, said: Mapping[str, Sequence[JudgeSaid]], name: str
) -> Table:
    """Table 6: the pool and one judge as flag sets, and what their differences are worth."""
    rows: list[Row] = []
    notes = [f"The judge is {name}, the best on training tasks."]
    for split, judged in splits.items():
        judge = next((one for one in said.get(split, ()) if one.name == name), None)
        if judge is None:
            continue
        pool = {member for member, flag in run.flagged(judged).items() if flag}
        pool &= set(judged.split.accepted)
        dropped = {member for member, verdict in judge.column.items() if verdict is Verdict.FLAG}
        parts = {
            "pool only": pool - dropped, "judge only": dropped - pool, "both": pool & dropped,
            "either": pool | dropped, "pool": pool, "judge": dropped,
        }  # fmt: skip
        rows += [
            (part, split, *scored(judged, members.__contains__, run.seed))
            for part, members in parts.items()
        ]
        index = jaccard(pool, dropped)
        shown = "undefined: no flags" if index is None else f"{float(index):.3f}"
        notes.append(
            f"{split}: Jaccard index {shown}, {len(pool & dropped)} flags in common of "
            f"{len(pool | dropped)}."
        )
    heads = (*columns("flag set", "split"), *SCORED)
    return Table("The pool and the judge as flag sets", heads, tuple(rows), tuple(notes))
