"""Composition over a run's admitted operators: every subset, and what each criterion picks."""

from collections.abc import Sequence

import numpy as np

from ..searches.cegar.bench import Operator
from ..searches.cegar.chunks import TaskFlags
from ..searches.cegar.composition import Landscape, compose
from ..searches.cegar.criteria import Criteria, percentile, safety, spearman_by_size
from ..searches.cegar.verdicts import Member, Verdict
from .cegar_read import CegarRun, Judged
from .tables import Cell, Table, columns

HELD = "held out"


def composition_tables(run: CegarRun, held: Judged | None) -> dict[str, Table]:
    """Criteria, sweep and safety of the landscape; nothing below two admitted operators, where a
    vote of two flags nothing."""
    if len(run.admitted) < 2:
        return {}
    training = task_flags(run.training, run.admitted)
    ends = {HELD: task_flags(held, run.admitted)} if held is not None else {}
    land = compose(training, ends)
    name = HELD if ends else "training"
    criteria = Criteria(land)
    return {
        "criteria": _criteria(land, criteria, name),
        "sweep": _sweep(land, criteria, name),
        "landscape": _landscape(land, name),
    }


def task_flags(judged: Judged, operators: Sequence[Operator]) -> list[TaskFlags]:
    """Each task's V(t) with the flags of these operators, members in order."""
    members: dict[str, list[Member]] = {task.id: [] for task in judged.split.tasks}
    for member in sorted(judged.split.correct):
        members[member.task].append(member)
    return [
        TaskFlags(
            np.array([judged.split.correct[m] for m in own], dtype=bool),
            np.array(
                [[judged.columns[o.node][m] is Verdict.FLAG for m in own] for o in operators],
                dtype=bool,
            ).reshape(len(operators), len(own)),
        )
        for own in members.values()
    ]


def _criteria(land: Landscape, criteria: Criteria, name: str) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            choice.criterion, _members(choice.members), float(choice.value), choice.ties,
            float(land.delta(name, choice.index)),
            float(100 * percentile(land, name, choice.index)),
        )
        for choice in (*criteria.choose(), criteria.oracle(name))
    ]  # fmt: skip
    return Table(
        f"Criteria on training labels, and where their choice stands ({name})",
        columns("criterion", "subset", ("value", 4), ("ties", 0), ("Delta", 4), ("percentile", 2)),
        tuple(rows),
        ("Operators are numbered in the order of their admission. C6 is the default.",),
    )


def _sweep(land: Landscape, criteria: Criteria, name: str) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (float(weight), _members(choice.members), float(land.delta(name, choice.index)))
        for weight, choice in criteria.sweep()
    ]
    return Table(
        "Weight of a false alarm",
        columns(("weight", 4), "subset", ("Delta", 4)),
        tuple(rows),
    )


def _landscape(land: Landscape, name: str) -> Table:
    found = safety(land, name)
    rows: list[tuple[Cell, ...]] = [
        ("subsets", found.subsets),
        ("of these vacuous", found.vacuous),
        ("of these harmful", found.harmful),
        ("least Delta", None if found.minimum is None else float(found.minimum)),
    ]
    rows += [
        (f"Spearman of TP - FP with Delta, size {size}", rho)
        for size, rho in spearman_by_size(land, name)
    ]
    return Table(f"Landscape ({name})", columns("of all subsets", ("value", 4)), tuple(rows))


def _members(members: Sequence[int]) -> str:
    return " ".join(str(member + 1) for member in members)
