"""Composition over a run's admitted operators: every subset, and what each criterion picks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..searches.cegar.bench import Operator
from ..searches.cegar.chunks import TaskFlags
from ..searches.cegar.composition import Landscape, compose
from ..searches.cegar.criteria import (
    Choice,
    Criteria,
    class_weight,
    percentile,
    safety,
    spearman_by_size,
)
from ..searches.cegar.verdicts import Member, Verdict
from ..stats.halves import halves
from ..stats.sets import jaccard
from .cegar_read import CegarRun, Judged
from .cegar_rules import percent, real
from .tables import Cell, Table, columns

HELD = "held out"


HALVES = ("half A", "half B")


@dataclass(frozen=True, slots=True)
class Composition:
    """Every subset of a run's admitted operators, scored, with each criterion's choice.

    `ends` are the sets of tasks with an endpoint: the held-out split, its benchmarks and halves,
    or "training" alone; the first is `name`.
    """

    land: Landscape
    criteria: Criteria
    choices: tuple[Choice, ...]
    ends: tuple[str, ...]

    @property
    def name(self) -> str:
        """The set that choices are scored on."""
        return self.ends[0]

    def choice(self, criterion: str) -> Choice:
        """What one of C1 to C8 picks."""
        return next(one for one in self.choices if one.criterion == criterion)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The ends without the halves."""
        return tuple(name for name in self.ends if name not in HALVES)


def composed(run: CegarRun, held: Judged | None) -> Composition | None:
    """The landscape; None below two admitted operators, where a vote of two flags nothing."""
    if len(run.admitted) < 2:
        return None
    ends = _ends(run, held) if held is not None else {}
    land = compose(task_flags(run.training, run.admitted), ends)
    criteria = Criteria(land)
    return Composition(land, criteria, tuple(criteria.choose()), tuple(ends) or ("training",))


def _ends(run: CegarRun, held: Judged) -> dict[str, list[TaskFlags]]:
    """The held-out tasks, those of each benchmark where there are several, and both halves."""
    flags = task_flags(held, run.admitted)
    names = [task.id for task in held.split.tasks]
    found = {HELD: flags}
    pools = dict.fromkeys(held.pools.get(name, "") for name in names)
    if len(pools) > 1:
        for pool in pools:
            found[pool] = [f for n, f in zip(names, flags, strict=True) if held.pools[n] == pool]
    for title, half in zip(HALVES, halves(names, run.seed), strict=True):
        if half:
            found[title] = [f for n, f in zip(names, flags, strict=True) if n in half]
    return found


def composition_tables(found: Composition | None) -> dict[str, Table]:
    """Criteria, robustness, sweep and safety of the landscape."""
    if found is None:
        return {}
    tables = {
        "criteria": _criteria(found),
        "sweep": _sweep(found),
        "landscape": _landscape(found.land, found.name),
    }
    if len(found.ends) > 1:
        tables["robustness"] = _robustness(found)
    return tables


def task_flags(judged: Judged, operators: Sequence[Operator]) -> list[TaskFlags]:
    """Each task's V(t) with the flags of these operators, members in order."""
    members: dict[str, list[Member]] = {task.id: [] for task in judged.split.tasks}
    for member in sorted(judged.split.accepted):
        members[member.task].append(member)
    return [
        TaskFlags(
            np.array([judged.split.accepted[m] for m in own], dtype=bool),
            np.array(
                [[judged.columns[o.node][m] is Verdict.FLAG for m in own] for o in operators],
                dtype=bool,
            ).reshape(len(operators), len(own)),
        )
        for own in members.values()
    ]


def _criteria(found: Composition) -> Table:
    land, name = found.land, found.name
    oracle = found.criteria.oracle(name)
    first = found.choice("C1")
    start, top = land.delta(name, first.index), land.delta(name, oracle.index)
    rows: list[tuple[Cell, ...]] = [
        (
            choice.criterion, _members(choice.members), float(choice.value), choice.ties,
            float(land.delta(name, choice.index)),
            float(100 * percentile(land, name, choice.index)),
            percent((land.delta(name, choice.index) - start) / (top - start))
            if top != start
            else None,
            real(jaccard(set(choice.members), set(first.members))),
        )
        for choice in (*found.choices, oracle)
    ]  # fmt: skip
    return Table(
        f"Criteria on training labels, and where their choice stands ({name})",
        columns(
            "criterion", "subset", ("value", 4), ("ties", 0), ("Delta", 4), ("percentile", 2),
            ("% of the gap from C1 to the oracle", 1), ("Jaccard with C1's", 2),
        ),
        tuple(rows),
        ("Operators are numbered in the order of their admission. C6 is the default.",),
    )  # fmt: skip


def _robustness(found: Composition) -> Table:
    """Each criterion's choice on every benchmark and half; what half A would choose, on half B."""
    land = found.land
    rows: list[tuple[Cell, ...]] = [
        (
            choice.criterion,
            *(
                value
                for name in found.ends
                for value in (
                    float(land.delta(name, choice.index)),
                    float(100 * percentile(land, name, choice.index)),
                )
            ),
        )
        for choice in found.choices
    ]  # fmt: skip
    heads = [
        head for name in found.ends for head in ((f"Delta, {name}", 4), (f"percentile, {name}", 1))
    ]
    return Table(
        "Criteria by benchmark and half of the held-out tasks",
        columns("criterion", *heads),
        tuple(rows),
        (_halved(found),) if set(HALVES) <= set(found.ends) else (),
    )


def _halved(found: Composition) -> str:
    """Split-half: the criterion with the greatest Delta on half A, reported on half B."""
    first, second = HALVES
    chosen = max(found.choices, key=lambda one: found.land.delta(first, one.index))

    def place(choice: Choice) -> str:
        return f"{float(100 * percentile(found.land, second, choice.index)):.1f}"

    return (
        f"Split-half: half A chooses {chosen.criterion}, the first of equals, which stands at "
        f"percentile {place(chosen)} of half B; C1 stands at {place(found.choice('C1'))} and C6 at "
        f"{place(found.choice('C6'))} there."
    )


def _sweep(found: Composition) -> Table:
    land = found.land
    rows: list[tuple[Cell, ...]] = [
        (
            float(weight), _members(choice.members),
            *(float(land.delta(name, choice.index)) for name in found.benchmarks),
        )
        for weight, choice in found.criteria.sweep()
    ]  # fmt: skip
    ratio = class_weight(land.incorrect, land.correct)
    return Table(
        "Weight of a false alarm",
        columns(("weight", 4), "subset", *((f"Delta, {name}", 4) for name in found.benchmarks)),
        tuple(rows),
        (f"The class ratio of the training labels is {float(ratio):.4f}: C6's weight.",),
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
