"""What the gates of a harden run let through, and which axes were worth their calls."""

from collections.abc import Callable, Sequence

from .harden import GATES, Candidate, HardenRun
from .tables import Cell, Table, columns


def percent(part: int, whole: int) -> float | None:
    """part of whole in per cent; None for a whole of 0."""
    return 100 * part / whole if whole else None


def gate_table(run: HardenRun) -> Table:
    """Discard rates by gate, in the order in which candidates meet them."""
    met = [gate for gate in GATES if any(gate in c.gates for c in run.candidates)]
    rows = [_gate_row(gate, run.candidates) for gate in met]
    collapsed = sum(c.state == "collapsed" for c in run.candidates)
    scored = sum(c.state == "collapsed" or c.score is not None for c in run.candidates)
    shares = percent(collapsed, scored), percent(collapsed, len(run.candidates))
    rollouts = ("rollouts (collapsed)", scored, scored - collapsed, collapsed)
    rows.append((*rollouts, *shares, None, None))
    return Table(
        "Gates",
        columns(
            "gate", "candidates met", "passed", "discarded", ("discarded of those met, %", 1),
            ("discarded of all candidates, %", 1), "votes cast", "votes without a verdict",
        ),
        tuple(rows),
        (
            f"{len(run.candidates):,} candidates. A gate that only warns discards nothing.",
            "A vote without a verdict was refused or failed for good; it counts as no pass.",
        ),
    )  # fmt: skip


def _gate_row(gate: str, candidates: Sequence[Candidate]) -> tuple[Cell, ...]:
    outcomes = [c.gates[gate] for c in candidates if gate in c.gates]
    discarded = sum(c.discarded_by == gate for c in candidates)
    votes = sum(c.votes.get(gate, 0) for c in candidates)
    silent = sum(c.silent.get(gate, 0) for c in candidates)
    return (gate, len(outcomes), outcomes.count("pass"), discarded,
            percent(discarded, len(outcomes)), percent(discarded, len(candidates)),
            votes or None, silent if votes else None)  # fmt: skip


def careless_table(run: HardenRun) -> Table | None:
    """Catch and false-rejection rates by the offline mutator's own tags; None without tags."""
    careless = [c for c in run.candidates if c.careless is True]
    clean = [c for c in run.candidates if c.careless is False]
    if not careless and not clean:
        return None
    gates = [gate for gate in GATES if any(c.discarded_by == gate for c in careless + clean)]
    rows = [_careless_row(gate, careless, clean, gate.__eq__) for gate in gates]
    rows.append(_careless_row("any gate", careless, clean, lambda gate: gate is not None))
    return Table(
        "Careless mutations caught",
        columns(
            "gate", "careless", "caught", ("caught, %", 1), "clean", "falsely rejected",
            ("falsely rejected, %", 1),
        ),
        tuple(rows),
        (
            "Careless is the offline mutator's own tag: it broke the evidence on purpose. The rates"
            " are of all careless and of all clean candidates, and speak of the offline programs"
            " only.",
        ),
    )  # fmt: skip


def _careless_row(
    name: str,
    careless: Sequence[Candidate],
    clean: Sequence[Candidate],
    by: Callable[[str | None], bool],
) -> tuple[Cell, ...]:
    caught = sum(by(c.discarded_by) is True for c in careless)
    wrongly = sum(by(c.discarded_by) is True for c in clean)
    return (name, len(careless), caught, percent(caught, len(careless)),
            len(clean), wrongly, percent(wrongly, len(clean)))  # fmt: skip


def axis_table(run: HardenRun) -> Table:
    """Axis effectiveness: applied, passed all gates, harder than the parent, in promoted cases."""
    known = [c for c in run.candidates if c.axis is not None]
    names = sorted({str(c.axis) for c in known})
    rows = [_axis_row(name, [c for c in known if c.axis == name], run) for name in names]
    rows.sort(key=lambda row: (-int(str(row[4])), -int(str(row[2])), str(row[0])))
    return Table(
        "Axes",
        columns(
            "axis", "applied", "passed", ("passed, %", 1), "improved", ("improved, %", 1),
            "in promoted cases",
        ),
        tuple(rows),
        (
            "Passed counts collapsed candidates; improved are those that scored strictly below"
            " their parent and above 0.",
        ),
    )  # fmt: skip


def _axis_row(name: str, applied: Sequence[Candidate], run: HardenRun) -> tuple[Cell, ...]:
    passed, improved = sum(c.passed for c in applied), sum(c.improved for c in applied)
    promoted = sum(name in case.axes for case in run.hardened)
    return (name, len(applied), passed, percent(passed, len(applied)), improved,
            percent(improved, len(applied)), promoted)  # fmt: skip


def calibration_table(run: HardenRun) -> Table | None:
    """Held-out met rates of the rubric per source; None for a rubric without sources."""
    if not run.calibration:
        return None
    rows: list[tuple[Cell, ...]] = [
        (
            each.source,
            each.records,
            each.met,
            percent(each.met, each.records),
            None if each.mean_score is None else float(each.mean_score),
            "yes" if each.target_met else "no",
        )
        for each in run.calibration
    ]
    return Table(
        "Rubric calibration",
        columns("source", "held-out records", "met", ("met, %", 1), ("mean score", 2), "on target"),
        tuple(rows),
        ("Real records that the rubric's author never saw; a rubric is not softened to reach it.",),
    )
