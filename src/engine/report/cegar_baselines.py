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
from .cegar_classes import flag_set
from .cegar_compared import Compared, Comparisons, JudgeSaid
from .cegar_judged import algebra_table, best_judge, judge_table
from .cegar_read import Attempted, CegarRun, Judged
from .cegar_rules import FILTER, SCORED, Flags, Rule, flags_of, percent, scored, voted
from .tables import Cell, Column, Table, columns

REFERENCE = "the loop"
Splits = Mapping[str, Judged]
Row = tuple[Cell, ...]


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
        tables["judge"] = judge_table(run, splits, said)
    best = best_judge(found.training, found.judges)
    if best is not None and run.admitted:
        tables["flag_algebra"] = algebra_table(run, splits, said, best.name)
    if found.induced:
        tables["induction"] = _induction(run, found.induced, splits)
    return tables


def _hand_written(run: CegarRun, splits: Splits) -> Table:
    """Each hand-written operator by itself, and all of them as one filter."""
    rows: list[Row] = []
    for name, judged in splits.items():
        family = [Rule(o.name, flags_of(judged, o)) for o in run.starting]
        family.append(Rule(FILTER, voted(judged, run.starting, 1)))
        rows += [
            (one.name, name, *scored(judged, one.flagged, run.seed), one.calls) for one in family
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
                    (arm, rule, name, *scored(judged, voted(judged, operators, votes), run.seed))
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


def _induction(run: CegarRun, induced: Sequence[Compared], splits: Splits) -> Table:
    """Table 7: what induction admitted at each interface, combined in three ways."""
    rows: list[Row] = []
    for name, judged in splits.items():
        for one in induced:
            made = (len(one.attempts), one.calls, len(one.admitted))
            if not all(operator.node in judged.columns for operator in one.admitted):
                continue
            rows += [
                (one.name, rule, name, *made, *scored(judged, flagged, run.seed))
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
