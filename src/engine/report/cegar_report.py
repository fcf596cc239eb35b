"""The tables of a cegar run (cegar.md, 6): training figures, and held-out ones once scored."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from ..model.llm import Json
from ..searches.cegar.bench import Operator
from ..searches.cegar.metric import Score, score
from ..searches.cegar.verdicts import Member, Verdict, letters
from ..stats.sets import jaccard
from ..stats.shuffle import ShuffleTest, shuffle_test
from .cegar_composition import composition_tables
from .cegar_read import CegarRun, Judged
from .tables import Cell, Report, Table, columns

TRAINING, HELD_OUT = "training", "held out"
NOT_SCORED = "Held-out tasks have not been read; `evoscope score RUN` labels and scores them."


def cegar_report(
    run: CegarRun,
    held: Judged | None,
    provenance: Mapping[str, Json],
    banner: tuple[str, ...] = (),
) -> Report:
    """The whole report of a run, finished or not."""
    splits = {TRAINING: run.training} | ({HELD_OUT: held} if held is not None else {})
    told = banner if held is not None else (*banner, NOT_SCORED)
    tables = {
        "effect": effect_table(run, splits),
        "splits": splits_table(splits),
        "targets": targets_table(run),
        "gate_ledger": ledger_table(run),
        "helped_by_level": histogram_table(run),
        "operators": operators_table(run, splits),
        "blind_spots": spots_table(run),
        "overlap": overlap_table(run, splits),
        **composition_tables(run, held),
    }
    return Report(
        title=f"{run.name}: cegar, {run.ended or 'under way'}",
        banner=told,
        tables=tables,
        figures={"certificate": dict(run.certificate) if run.certificate else None},
        provenance={**provenance, "electorate": run.training.split.electorate},
    )


def tested(
    judged: Judged, flagged: Callable[[Member], bool], seed: int
) -> tuple[Score, ShuffleTest]:
    """A flag's score on a split, and its size-matched null."""
    votes = judged.split.votes(flagged)
    null = shuffle_test([vote.count() for vote in votes], seed=seed)
    assert null is not None
    return score(votes), null


def flags_of(judged: Judged, operator: Operator) -> Callable[[Member], bool]:
    """What one operator flags."""
    column = judged.columns[operator.node]
    return lambda member: column[member] is Verdict.FLAG


EFFECT = columns(
    "flag", "split", ("tasks", 0), ("decidable", 0), ("Delta", 4), ("% of headroom", 1),
    ("Delta, decidable", 4), ("p", 4), ("z", 2), ("flags", 0), ("helped", 0), ("hurt", 0),
    ("false alarms", 4), ("calls", 0),
)  # fmt: skip


def effect_table(run: CegarRun, splits: Mapping[str, Judged]) -> Table:
    """Table 1 and 2 of the paper: the pool, its operators, and the hand-written pool as filter."""
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        whole = run.flagged(judged)
        rows.append(_row("the pool", name, *tested(judged, whole.__getitem__, run.seed), run.calls))
        for operator in run.admitted:
            title = f"{operator.name} ({operator.node})"
            rows.append(_row(title, name, *tested(judged, flags_of(judged, operator), run.seed), 0))
        if run.starting:
            union = filter_of_all(run, judged)
            rows.append(
                _row("all hand-written, as one filter", name, *tested(judged, union, run.seed), 0)
            )
    return Table(
        "Effect: change of selection accuracy against flagging nothing",
        EFFECT,
        tuple(rows),
        (
            "One admitted operator deploys alone, several flag by two votes. p is of 1,000 redraws "
            "of the same number of flags in each task.",
            "Training rows were selected on; only held-out rows are evidence.",
        ),
    )


def filter_of_all(run: CegarRun, judged: Judged) -> Callable[[Member], bool]:
    """What any hand-written operator flags."""
    found = [judged.columns[operator.node] for operator in run.starting]
    return lambda member: any(column[member] is Verdict.FLAG for column in found)


def _row(title: str, split: str, found: Score, null: ShuffleTest, calls: int) -> tuple[Cell, ...]:
    return (
        title, split, found.tasks, found.decidable, float(found.delta), _percent(found.share),
        _float(found.delta_decidable), float(null.p), null.z, found.flags, found.helped,
        found.hurt, _float(found.false_alarms), calls,
    )  # fmt: skip


def splits_table(splits: Mapping[str, Judged]) -> Table:
    """Tasks, samples, decidable tasks and headroom of each split."""
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        split = judged.split
        found = score(split.votes(lambda m: False))
        samples = sum(len(right) for right in split.right)
        rows.append(
            (
                name, found.tasks, found.empty, samples, len(split.correct), found.decidable,
                float(found.nothing), float(found.perfect), float(found.headroom),
                len(split.near_limit),
            )
        )  # fmt: skip
    return Table(
        "Splits",
        columns(
            "split", ("tasks", 0), ("without V(t)", 0), ("samples", 0), ("in V(t)", 0),
            ("decidable", 0), ("flag nothing", 4), ("perfect", 4), ("headroom", 4),
            ("labels near a limit", 0),
        ),
        tuple(rows),
    )  # fmt: skip


def targets_table(run: CegarRun) -> Table:
    """Each round: its target and how it ended."""
    rows: list[tuple[Cell, ...]] = [
        (
            number, "" if result.target is None else result.target[:12], result.fault, result.ended,
            len(result.failures) + (result.admitted is not None), result.calls,
            "" if result.admitted is None else result.admitted.node,
        )
        for number, result in enumerate(run.rounds, 1)
    ]  # fmt: skip
    return Table(
        "Targets",
        columns("round", "class", "fault", "ended", ("attempts", 0), ("calls", 0), "admitted"),
        tuple(rows),
    )


def ledger_table(run: CegarRun) -> Table:
    """Every attempt: how far it came, with the gate's figures where it was consulted."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.node, one.name, one.level, one.stopped or "admitted", one.figures.get("helped"),
            one.figures.get("hurt"), _float(one.figures.get("delta")), one.state, one.reason,
        )
        for one in run.attempts
    ]  # fmt: skip
    return Table(
        "Gate ledger",
        columns(
            "node", "operator", ("level", 0), "stopped at", ("helped", 0), ("hurt", 0),
            ("Delta", 4), "state", "reason",
        ),
        tuple(rows),
    )  # fmt: skip


def histogram_table(run: CegarRun) -> Table:
    """How many tasks an operator helped when the gate was consulted, by level."""
    seen = [(one.level, one.figures["helped"]) for one in run.attempts if one.figures]
    rows: list[tuple[Cell, ...]] = [
        (level, helped, seen.count((level, helped))) for level, helped in sorted(set(seen))
    ]
    return Table(
        "Consultations of the gate by tasks helped",
        columns(("level", 0), ("helped", 0), ("operators", 0)),
        tuple(rows),
    )


def operators_table(run: CegarRun, splits: Mapping[str, Judged]) -> Table:
    """Every operator of starting pool and pool: what it says of V(t)."""
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        for operator in (*run.starting, *run.admitted):
            said = list(judged.columns[operator.node].values())
            found, null = tested(judged, flags_of(judged, operator), run.seed)
            counts = [said.count(one) for one in (Verdict.FLAG, Verdict.PASS, Verdict.ABSTAIN)]
            rows.append(
                (
                    operator.name, operator.level, name, *counts, found.caught,
                    float(found.delta), float(null.p), found.helped, found.hurt,
                )
            )  # fmt: skip
    return Table(
        "Operators",
        columns(
            "operator", ("level", 0), "split", ("flag", 0), ("pass", 0), ("abstain", 0),
            ("caught", 0), ("Delta", 4), ("p", 4), ("helped", 0), ("hurt", 0),
        ),
        tuple(rows),
    )  # fmt: skip


def spots_table(run: CegarRun) -> Table:
    """The blind spots that are left."""
    gone = {result.target for result in run.rounds if result.ended == "abandoned"}
    rows: list[tuple[Cell, ...]] = [
        (
            letters(spot.signature),
            len(spot.correct),
            len(spot.incorrect),
            "abandoned" if spot.key in gone else "untried",
        )
        for spot in run.spots
    ]
    return Table(
        "Blind spots that are left",
        columns("signature", ("correct", 0), ("incorrect", 0), "state"),
        tuple(rows),
    )


def overlap_table(run: CegarRun, splits: Mapping[str, Judged]) -> Table:
    """Jaccard's index of the flag sets of admitted operators and the strongest hand-written."""
    chosen = [*run.admitted, *(o for o in run.starting if o.name == "plurality_disagreement")]
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        for first, second in combinations(chosen, 2):
            sets = [
                {m for m, said in judged.columns[o.node].items() if said is Verdict.FLAG}
                for o in (first, second)
            ]
            rows.append(
                (name, first.name, second.name, len(sets[0]), len(sets[1]), _float(jaccard(*sets)))
            )
    return Table(
        "Overlap of flag sets",
        columns("split", "first", "second", ("first's", 0), ("second's", 0), ("Jaccard", 3)),
        tuple(rows),
    )


def _percent(value: Fraction | None) -> float | None:
    return None if value is None else float(100 * value)


def _float(value: Fraction | str | None) -> float | None:
    return None if value is None else float(Fraction(value))


def spot_rows(run: CegarRun) -> Sequence[dict[str, Json]]:
    """The blind spots as `evoscope show RUN archive` lists them."""
    return [
        {
            "signature": letters(spot.signature),
            "correct": len(spot.correct),
            "incorrect": len(spot.incorrect),
        }
        for spot in run.spots
    ]


def pool_rows(run: CegarRun) -> list[dict[str, Json]]:
    """The pool as `evoscope show RUN archive` lists it: training figures of each by itself."""
    rows: list[dict[str, Json]] = []
    for operator in run.admitted:
        found = score(run.training.split.votes(flags_of(run.training, operator)))
        rows.append(
            {
                "node": operator.node,
                "name": operator.name,
                "level": operator.level,
                "helped": found.helped,
                "hurt": found.hurt,
                "delta": float(found.delta),
                "flags": found.flags,
            }
        )
    return rows
