"""Puts the report of a harden run together: what must be read first, tables, figures."""

from collections.abc import Mapping
from statistics import fmean

from ..model.llm import Json
from .harden import HardenRun
from .harden_calls import savings_table, spend_table
from .harden_gates import axis_table, calibration_table, careless_table, gate_table
from .harden_reference import headline_table, paper_discard_table, reference_table
from .harden_scores import (
    accuracy,
    accuracy_table,
    case_table,
    change,
    hardened_table,
    of_scoring,
    promoted_table,
    uncertainty_table,
)
from .labels import label_table
from .tables import Report, Table


def harden_report(
    run: HardenRun, provenance: Mapping[str, Json], banner: tuple[str, ...] = ()
) -> Report:
    """The whole report of a run, finished or not (HARDEN, A.10 and our additions)."""
    return Report(
        title=f"{run.name}: harden on {run.benchmark}",
        banner=(*banner, *_beside(run)),
        tables=_tables(run),
        figures=_figures(run),
        provenance=provenance,
    )


def _tables(run: HardenRun) -> dict[str, Table]:
    """The tables by name, in reading order; those that a run has nothing for are left out."""
    tables: dict[str, Table | None] = {
        "accuracy": accuracy_table(run),
        "hardened": hardened_table(run),
        "uncertainty": uncertainty_table(run),
        "cases": case_table(run),
        "gates": gate_table(run),
        "careless": careless_table(run),
        "labels": label_table(run.labels),
        "calibration": calibration_table(run),
        "axes": axis_table(run),
        "calls": spend_table(run),
        "savings": savings_table(run),
        "promoted": promoted_table(run),
        "paper_headlines": headline_table(),
        "paper_cells": reference_table(run.benchmark),
        "paper_discards": paper_discard_table(),
    }
    return {name: table for name, table in tables.items() if table is not None}


def _beside(run: HardenRun) -> tuple[str, ...]:
    """How many cases are in no mean, if any."""
    left = len(run.cases) - len(run.done)
    unscored = len(run.done) - change(run.done, of_scoring(True, accuracy)).n
    lines = []
    if left:
        lines.append(f"{left} of {len(run.cases)} cases are in no mean: see the table of cases.")
    if unscored:
        lines.append(f"{unscored} finished cases have no whole set of fresh responses.")
    return tuple(lines)


def _figures(run: HardenRun) -> dict[str, Json]:
    """Data of the plots: scores per case in per cent, and the best candidate by generation."""
    return {
        "fresh_scores": _scores(run, fresh=True),
        "selection_scores": _scores(run, fresh=False),
        "best_by_generation": list(_best_by_generation(run)),
    }


def _scores(run: HardenRun, *, fresh: bool) -> Json:
    found = change(run.done, of_scoring(fresh, accuracy))
    sides = {"before": found.before, "after": found.after}
    return {name: [float(value) for value in values] for name, values in sides.items()}


def _best_by_generation(run: HardenRun) -> list[Json]:
    """Mean over searched cases of the lowest score so far, the original's at generation 0."""
    best = {
        case.id: case.before.selection.score
        for case in run.done
        if case.outcome != "unimprovable" and case.before and case.before.selection
    }
    points: list[Json] = []
    for generation in range(run.recipe.generations + 1):
        for candidate in run.candidates:
            known = candidate.case in best and candidate.score and candidate.passed
            if (
                known
                and candidate.generation == generation
                and not candidate.vetoed
                and candidate.state != "raced_out"
            ):
                best[candidate.case] = min(
                    best[candidate.case], candidate.score or best[candidate.case]
                )
        if best:
            mean = fmean(float(100 * score) for score in best.values())
            points.append({"generation": generation, "mean_best": mean})
    return points
