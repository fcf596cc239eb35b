"""What the search is held against: ablations, hand-written operators, the judge, induction.

Sources: EvalCEGAR, Table 3 with Appendices C and D; Tables 5 to 7 with Appendix I.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ..searches.cegar.arms import CHANGES
from ..searches.cegar.bench import Operator
from ..searches.cegar.criteria import f1
from ..searches.cegar.metric import score
from ..searches.cegar.training import Labelled
from ..searches.cegar.verdicts import Member, Verdict
from ..stats.sets import jaccard
from .cegar_classes import flag_set
from .cegar_compared import Compared, Comparisons, JudgeSaid
from .cegar_read import Attempted, CegarRun, Judged
from .cegar_rules import (
    COMPARATOR,
    FILTER,
    POOL,
    Flags,
    Rule,
    flags_of,
    percent,
    real,
    tested,
    voted,
)
from .tables import Cell, Column, Table, columns

REFERENCE = "the loop"
Splits = Mapping[str, Judged]
Row = tuple[Cell, ...]
SCORED = columns(
    ("Delta", 4), ("% of headroom", 1), ("p", 4), ("z", 2), ("flags", 0), ("helped", 0),
    ("hurt", 0), ("false alarms", 4),
)  # fmt: skip


def baseline_tables(
    run: CegarRun, found: Comparisons, held: Judged | None, said: Mapping[str, Sequence[JudgeSaid]]
) -> dict[str, Table]:
    """The tables of all baselines and ablations that the run has; `said` is the judge by split.

    Training rows come first, held-out rows where they have been scored.
    """
    splits = {"training": found.training} | ({} if held is None else {"held out": held})
    tables: dict[str, Table] = {}
    if run.starting:
        tables["hand_written"] = _hand_written(run, splits)
    if found.arms:
        tables["ablations"] = _ablations(run, found)
        tables["ablation_effects"] = _ablation_effects(run, found, splits)
        tables["ablation_stops"] = _stops(run, found)
    if any(said.values()):
        tables["judge"] = _judge(run, splits, said)
    best = best_judge(found.training, found.judges)
    if best is not None and run.admitted:
        tables["flag_algebra"] = _algebra(run, splits, said, best.name)
    if found.induced:
        tables["induction"] = _induction(run, found.induced, splits)
    return tables


def _scored(judged: Judged, flagged: Flags, seed: int) -> Row:
    """The figures of `SCORED` for what a rule flags on a split."""
    result, null = tested(judged, flagged, seed)
    return (
        float(result.delta), percent(result.share), float(null.p), null.z, result.flags,
        result.helped, result.hurt, real(result.false_alarms),
    )  # fmt: skip


def _hand_written(run: CegarRun, splits: Splits) -> Table:
    """Each hand-written operator by itself, and all of them as one filter."""
    rows: list[Row] = []
    for name, judged in splits.items():
        family = [Rule(o.name, flags_of(judged, o)) for o in run.starting]
        family.append(Rule(FILTER, voted(judged, run.starting, 1)))
        rows += [
            (one.name, name, *_scored(judged, one.flagged, run.seed), one.calls) for one in family
        ]
    return Table(
        "Hand-written operators by themselves",
        (*columns("operator", "split"), *SCORED, Column("calls", 0)),
        tuple(rows),
    )


def _ablations(run: CegarRun, found: Comparisons) -> Table:
    """Table 3: the loop and its arms on one seed, each on its own candidates."""
    arms: list[Row] = [
        _arm_row(REFERENCE, "", run.ended, run.calls, run.attempts, run.admitted, found.training)
    ]
    arms += [
        _arm_row(
            one.name, _change(one), one.ended, one.calls, one.attempts, one.admitted, found.training
        )
        for one in found.arms
    ]
    return Table(
        "Ablations: the loop with one thing changed",
        columns(
            "arm", "what changes", "ended", ("calls", 0), ("attempts", 0), ("admitted", 0),
            ("behaviours", 0), ("% that abstain everywhere", 1),
        ),
        tuple(arms),
        (
            "Behaviours: distinct flag sets of what was admitted, on training tasks. An operator "
            "that was refused unrun is not in the share that abstains everywhere.",
        ),
    )  # fmt: skip


def _change(arm: Compared) -> str:
    names: Mapping[str, str] = {str(name): text for name, text in CHANGES.items()}
    return names[arm.name]


def _arm_row(
    name: str,
    change: str,
    ended: str,
    calls: int,
    attempts: Sequence[Attempted],
    admitted: Sequence[Operator],
    training: Judged,
) -> Row:
    ran = [one.silent for one in attempts if one.silent is not None]
    share = Fraction(sum(ran), len(ran)) if ran else None
    behaviours = {flag_set(training, operator) for operator in admitted}
    return (
        name, change, ended or "under way", calls, len(attempts), len(admitted), len(behaviours),
        percent(share),
    )  # fmt: skip


def _ablation_effects(run: CegarRun, found: Comparisons, splits: Splits) -> Table:
    """What each arm's pool is worth, deployed as the loop's is, and as a plain union."""
    arms = [(REFERENCE, run.admitted), *((one.name, one.admitted) for one in found.arms)]
    rows: list[Row] = []
    for name, judged in splits.items():
        for arm, operators in arms:
            if operators and all(one.node in judged.columns for one in operators):
                least = min(2, len(operators))
                rows += [
                    (arm, rule, name, *_scored(judged, voted(judged, operators, votes), run.seed))
                    for rule, votes in _rules(least)
                ]
    return Table(
        "Pools of the ablations",
        (*columns("arm", "rule", "split"), *SCORED),
        tuple(rows),
        ("Arms that admitted nothing have no rows. Training rows were selected on.",),
    )


def _rules(least: int) -> list[tuple[str, int]]:
    """How a pool may be deployed: alone, or by two votes and as a plain union."""
    return [("alone", 1)] if least == 1 else [("two votes", 2), ("any flag", 1)]


def _stops(run: CegarRun, found: Comparisons) -> Table:
    """Where the attempts of each arm ended."""
    arms = [(REFERENCE, run.attempts), *((one.name, one.attempts) for one in found.arms)]
    rows: list[Row] = []
    for arm, attempts in arms:
        stops = Counter(one.stopped or "admitted" for one in attempts)
        rows += [
            (arm, stop, count, percent(Fraction(count, len(attempts))))
            for stop, count in sorted(stops.items())
        ]
    return Table(
        "Where the attempts of each arm ended",
        columns("arm", "stopped at", ("attempts", 0), ("%", 1)),
        tuple(rows),
    )


def _judge(run: CegarRun, splits: Splits, said: Mapping[str, Sequence[JudgeSaid]]) -> Table:
    """Table 5: the judge as a metric and as a classifier, with the comparator and the pool."""
    rows: list[Row] = []
    for name, judged in splits.items():
        for one in said.get(name, ()):
            silent = sum(v is Verdict.ABSTAIN for v in _by_program(judged.split, one.column))
            rows.append(
                (
                    one.model, one.name, name, *_scored(judged, flagged_by(one.column), run.seed),
                    *_classified(judged.split, one.column), one.calls, silent,
                )
            )  # fmt: skip
        rows += [
            (
                rule.name,
                "",
                name,
                *_scored(judged, rule.flagged, run.seed),
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
                ("precision", 3), ("recall", 3), ("accuracy", 3), ("calls", 0), ("no verdict", 0)
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


def _algebra(
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
            (part, split, *_scored(judged, members.__contains__, run.seed))
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


def _induction(run: CegarRun, induced: Sequence[Compared], splits: Splits) -> Table:
    """Table 7: what induction admitted at each interface, combined in three ways."""
    rows: list[Row] = []
    for name, judged in splits.items():
        for one in induced:
            made = (len(one.attempts), one.calls, len(one.admitted))
            if not all(operator.node in judged.columns for operator in one.admitted):
                continue
            rows += [
                (one.name, rule, name, *made, *_scored(judged, flagged, run.seed))
                for rule, flagged in _combined(one.admitted, splits["training"], judged)
            ]
    return Table(
        "Verifier induction",
        (
            *columns("interface", "combined by", "split", ("commissioned", 0), ("calls", 0)),
            *columns(("admitted", 0)), *SCORED,
        ),
        tuple(rows),
        (
            "Admitted: at least three true positives at a precision of at least one half, on "
            "training tasks. Best single: the largest training F1, the first of equals.",
        ),
    )  # fmt: skip


def _combined(
    admitted: Sequence[Operator], training: Judged, judged: Judged
) -> Iterator[tuple[str, Flags]]:
    """The ways of combining admitted checks, none of which reads a held-out label."""
    yield "any flag", voted(judged, admitted, 1)
    yield "two votes", voted(judged, admitted, 2)
    best = best_single(admitted, training)
    if best is not None:
        yield f"best single: {best.name}", flags_of(judged, best)


def best_single(admitted: Sequence[Operator], training: Judged) -> Operator | None:
    """The check of the largest training F1, the first of equals; None where there is none."""
    if not admitted:
        return None

    def fit(operator: Operator) -> Fraction:
        found = score(training.split.votes(flags_of(training, operator)))
        wrong = list(training.split.accepted.values()).count(False)
        return f1(found.caught, found.flags - found.caught, wrong)

    return max(admitted, key=fit)
