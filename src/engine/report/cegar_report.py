"""The tables of a cegar run (cegar.md, 6): training figures, and held-out ones once scored."""

from collections.abc import Mapping, Sequence

from ..model.llm import Json
from ..searches.cegar.metric import Score, score
from ..searches.cegar.verdicts import Verdict, letters
from ..stats.counts import benjamini_hochberg, bonferroni
from ..stats.shuffle import ShuffleTest
from .cegar_classes import classes_table, overlap_table, rarefaction_table, titled
from .cegar_compared import JudgeSaid
from .cegar_composition import composed, composition_tables
from .cegar_costs import attempts_table, budget_table, cost_table, sensitivity_table
from .cegar_judged import best_judge, flagged_by
from .cegar_pools import pools_table, power_table
from .cegar_read import CegarRun, Judged
from .cegar_rules import Rule, flags_of, paired_table, percent, real, rules, tested
from .tables import Cell, Report, Table, columns

TRAINING, HELD_OUT = "training", "held out"
NOT_SCORED = "Held-out tasks have not been read; `evoscope score RUN` labels and scores them."


def cegar_report(
    run: CegarRun,
    held: Judged | None,
    provenance: Mapping[str, Json],
    banner: tuple[str, ...] = (),
    said: Mapping[str, Sequence[JudgeSaid]] | None = None,
) -> Report:
    """The whole report of a run, finished or not; `said` is the judge by split."""
    splits = {TRAINING: run.training} | ({HELD_OUT: held} if held is not None else {})
    told = banner if held is not None else (*banner, NOT_SCORED)
    if run.contested:
        told = (
            *told,
            f"The certificate is contested: {', '.join(run.contested)} was vetoed since.",
        )
    found = composed(run, held)
    chosen = () if found is None else found.choice("C6").members
    last, ends = next(reversed(splits.items()))
    listed = rules(run, ends, chosen)
    tables = {
        "effect": effect_table(run, splits, chosen, said or {}),
        **({} if held is None else {"benchmarks": pools_table(held, listed, run.seed)}),
        "splits": splits_table(splits),
        "power": power_table(splits, run.seed),
        "targets": targets_table(run),
        "gate_ledger": ledger_table(run),
        "helped_by_level": histogram_table(run),
        "gate_floors": sensitivity_table(run),
        "attempts": attempts_table(run),
        "operators": operators_table(run, splits),
        "blind_spots": spots_table(run),
        "overlap": overlap_table(run, splits),
        "classes": classes_table(run, splits),
        **_rarefied(run, splits),
        **composition_tables(found),
        "paired": paired_table(last, ends, listed),
        "cost": cost_table(run, splits),
        "transfer_budget": budget_table(run),
    }
    return Report(
        title=f"{run.name}: cegar, {run.ended or 'under way'}",
        banner=told,
        tables=tables,
        figures={"certificate": dict(run.certificate) if run.certificate else None},
        provenance={
            **provenance,
            "electorate": run.training.split.electorate,
            "held_out_electorate": None if held is None else held.split.electorate,
        },
    )


def _rarefied(run: CegarRun, splits: Mapping[str, Judged]) -> dict[str, Table]:
    """Rarefaction over the runs of a merged pool, on each split."""
    if len(run.by_run) < 2:
        return {}
    return {
        f"rarefaction_{name.replace(' ', '_')}": rarefaction_table(name, judged, run.by_run)
        for name, judged in splits.items()
    }


EFFECT = columns(
    "flag", "split", ("tasks", 0), ("decidable", 0), ("Delta", 4), ("% of headroom", 1),
    ("Delta, decidable", 4), ("p", 4), ("p, Bonferroni", 4), ("z", 2), ("flags", 0), ("helped", 0),
    ("hurt", 0), ("false alarms", 4), ("author calls", 0),
    ("judge calls", 0),
)  # fmt: skip


def effect_table(
    run: CegarRun,
    splits: Mapping[str, Judged],
    chosen: Sequence[int],
    said: Mapping[str, Sequence[JudgeSaid]],
) -> Table:
    """Table 1 of the paper: the pool, what C6 picks of it, its operators, the hand-written pool,
    and the best judge where one was asked."""
    rows: list[tuple[Cell, ...]] = []
    best = best_judge(run.training, said.get(TRAINING, ()))
    for name, judged in splits.items():
        family = rules(run, judged, chosen)
        family += [_judge_rule(one) for one in said.get(name, ()) if best and one.name == best.name]
        results = [tested(judged, rule.flagged, run.seed) for rule in family]
        adjusted = bonferroni([float(null.p) for _, null in results])
        rows += [
            _row(rule, name, *result, p)
            for rule, result, p in zip(family, results, adjusted, strict=True)
        ]
    return Table(
        "Effect: change of selection accuracy against flagging nothing",
        EFFECT,
        tuple(rows),
        (
            "One admitted operator deploys alone, several flag by two votes. p is of 1,000 redraws "
            "of the same number of flags in each task; Bonferroni over the rows of one split.",
            "Author calls: for the whole search; scoring a candidate calls no model. Judge calls: "
            "one a distinct candidate of this split. Of the judges there is the best on training.",
            "Training rows were selected on; only held-out rows are evidence.",
        ),
    )


def _row(
    rule: Rule, split: str, found: Score, null: ShuffleTest, adjusted: float
) -> tuple[Cell, ...]:
    return (
        rule.name, split, found.tasks, found.decidable, float(found.delta), percent(found.share),
        real(found.delta_decidable), float(null.p), adjusted, null.z, found.flags, found.helped,
        found.hurt, real(found.false_alarms), rule.calls, rule.judge_calls,
    )  # fmt: skip


def _judge_rule(said: JudgeSaid) -> Rule:
    return Rule(f"the best judge: {said.name}", flagged_by(said.column), judge_calls=said.calls)


def splits_table(splits: Mapping[str, Judged]) -> Table:
    """Tasks, samples, decidable tasks and headroom of each split."""
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        split = judged.split
        found = score(split.votes(lambda m: False))
        samples = sum(len(right) for right in split.right)
        rows.append(
            (
                name, found.tasks, found.empty, samples, len(split.accepted), found.decidable,
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
            one.figures.get("hurt"), real(one.figures.get("delta")), one.state, one.reason,
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
    """Every operator of starting pool and pool: what it says of V(t), each against its null."""
    rows: list[tuple[Cell, ...]] = []
    for name, judged in splits.items():
        screen = (*run.starting, *run.admitted)
        results = [tested(judged, flags_of(judged, o), run.seed) for o in screen]
        adjusted = benjamini_hochberg([float(null.p) for _, null in results])
        for operator, (found, null), p in zip(screen, results, adjusted, strict=True):
            column = judged.columns[operator.node]
            said = [column[member] for member in judged.split.accepted]
            counts = [said.count(one) for one in (Verdict.FLAG, Verdict.PASS, Verdict.ABSTAIN)]
            rows.append(
                (
                    titled(operator), operator.level, name, *counts, found.caught,
                    float(found.delta), float(null.p), p, found.helped, found.hurt,
                )
            )  # fmt: skip
    return Table(
        "Operators",
        columns(
            "operator", ("level", 0), "split", ("flag", 0), ("pass", 0), ("abstain", 0),
            ("caught", 0), ("Delta", 4), ("p", 4), ("p, Benjamini-Hochberg", 4), ("helped", 0),
            ("hurt", 0),
        ),
        tuple(rows),
        ("Benjamini-Hochberg: over all operators of one split; below 0.1 is a discovery at 10%.",),
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
