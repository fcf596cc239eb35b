"""What a chase report says, read from the recorded run."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.cli.show_whole import _chase_lines
from evoscope.engine.report.chase_read import ChaseRun, read_chase
from evoscope.engine.report.chase_report import guarantee_table, selection_table, use_table
from evoscope.engine.store.chase import chase_archive
from evoscope.engine.store.reader import Reader

RECORDED = Path(__file__).resolve().parents[2] / "recorded" / "chase.evo"


@pytest.fixture(scope="module")
def run() -> ChaseRun:
    with Reader(RECORDED) as reader:
        return read_chase(reader)


def test_a_selection_s_outcome_stands_beside_the_harness_that_it_chose(run: ChaseRun) -> None:
    table = selection_table(run)
    assert table is not None
    marked = [(row[0], row[1], row[-1]) for row in table.rows if row[-1]]
    assert marked == [
        (one.unit, one.chosen[0], one.kind)
        for one in run.choices
        if one.step == "select" and one.unit.startswith("chase/")
    ]


def test_tokens_without_cached_input_are_unknown_where_no_provider_told_of_a_cache(
    run: ChaseRun,
) -> None:
    table = use_table(run)
    assert table is not None
    assert all(row[2] is not None and row[3] is None for row in table.rows)


def test_the_stopping_bound_says_which_rounds_it_speaks_of(run: ChaseRun) -> None:
    assert run.certification is not None
    bounds = {**run.certification["guarantees"], "r": 0.1, "stopping": 0.5}
    stated = replace(run, certification={**run.certification, "guarantees": bounds})
    kept = replace(run.confirmations[0], archived=False, round="chase/r1")
    for confirmations, said in (((kept,), "of chase/r1."), ((), "holds for no harness")):
        table = guarantee_table(replace(stated, confirmations=confirmations))
        assert table is not None and any(
            note.endswith(said) or said in note for note in table.notes
        )


def test_thresholds_are_shown_as_the_numbers_that_they_are() -> None:
    with Reader(RECORDED) as reader:
        archive = chase_archive(reader)
        config = json.loads(reader.meta()["config"])["chase"]
    assert archive["epsilon"] == Fraction(config["epsilon"]) == Fraction("0.05")
    assert _chase_lines(archive)[-1] == "epsilon 5.00%, eta 0.00%"
    assert _chase_lines({**archive, "eta": "theory"})[-1] == "epsilon 5.00%, eta theory"
