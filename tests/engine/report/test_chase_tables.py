"""What a chase report says, read from the recorded run."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.cli.show_whole import _chase_lines
from evoscope.engine.report.chase_read import ChaseRun, Use, read_chase
from evoscope.engine.report.chase_report import (
    PAPER,
    certification_table,
    certified_table,
    guarantee_table,
    matrix_table,
    selection_table,
    use_table,
)
from evoscope.engine.store.chase import METHODS, chase_archive
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.status import read_status
from evoscope.tui.glyphs import ASCII
from evoscope.tui.lines import plain
from evoscope.tui.searches.chase import read_facts
from evoscope.tui.searches.chase_effect import effect_lines

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


def test_a_selection_names_as_what_each_candidate_was_proposed(run: ChaseRun) -> None:
    table, final = selection_table(run), matrix_table(run)
    assert table is not None and final is not None
    assert [column.name for column in table.columns][1:3] == ["harness", "kind"]
    with closing(sqlite3.connect(RECORDED)) as db:
        sql = "SELECT unit, id, json_extract(origin, '$.kind') FROM node WHERE kind = 'harness'"
        proposed = {(unit, node): kind for unit, node, kind in db.execute(sql)}
    shown = {row[:2]: row[2] for row in table.rows}
    for place, kind in shown.items():
        other = "start" if place[1] == "H0" else "earlier"
        assert kind == proposed.get((str(place[0]), str(place[1])), other)
    assert {"start", "structural", "guidance", "integrated"} <= set(shown.values())
    assert final.rows[0][:2] == ("H0", "start")
    assert {row[1] for row in final.rows[1:]} <= {"structural", "guidance", "integrated"}


def test_tokens_without_cached_input_are_unknown_where_no_provider_told_of_a_cache(
    run: ChaseRun,
) -> None:
    table = use_table(run)
    assert table is not None
    assert all(row[3] is not None and row[4] is None for row in table.rows)


def test_tokens_written_to_a_cache_are_input_that_was_not_read_from_one(tmp_path: Path) -> None:
    path = Path(shutil.copy(RECORDED, tmp_path / "cached.evo"))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE call SET input_tokens = 5, cached_input_tokens = 7, cache_write_tokens = 11, "
            "output_tokens = 13"
        )
        (calls,) = db.execute("SELECT count(*) FROM call").fetchone()
    with Reader(path) as reader:
        table = use_table(read_chase(reader))
    assert table is not None
    searches = [row for row in table.rows if str(row[0]).startswith("search")]
    assert sum(row[3] for row in searches) % (5 + 7 + 11 + 13) == 0
    assert [row[3] * 29 for row in searches] == [row[4] * 36 for row in searches]
    sums = read_status(path).calls
    assert (sums.input_tokens, sums.all_input_tokens) == (16 * calls, 23 * calls)


def test_methods_stand_in_the_paper_s_order_whatever_the_file_s_is(tmp_path: Path) -> None:
    path = Path(shutil.copy(RECORDED, tmp_path / "order.evo"))
    with closing(sqlite3.connect(path)) as db, db:
        (text,) = db.execute("SELECT result FROM unit WHERE id = 'certification'").fetchone()
        result = json.loads(text)
        result["methods"]["b0"] = result["methods"]["raw"]
        kept = json.dumps(result, sort_keys=True)
        db.execute("UPDATE unit SET result = ? WHERE id = 'certification'", (kept,))
    with Reader(path) as reader:
        run = read_chase(reader)
        facts = read_facts(reader)
    table, matrix = certification_table(run), certified_table(run)
    assert table is not None and matrix is not None
    order = [name for name, *_ in PAPER]
    assert [row[0] for row in table.rows] == order
    assert list(dict.fromkeys(row[0] for row in matrix.rows)) == order
    lines = [plain(line).split() for line in effect_lines(read_status(path), facts, ASCII)]
    assert [w[0] for w in lines if w and w[0] in METHODS][-4:] == list(METHODS)
    parts = [use.part for use in run.uses if use.part.startswith("search")]
    assert parts == ["search: start", "search: compass", "search: chase"]


def test_attempts_that_the_file_does_not_hold_are_unknown(run: ChaseRun) -> None:
    table = use_table(run)
    assert table is not None
    assert {row[2] for row in table.rows} == {None}
    assert any("unknown" in note for note in table.notes)


def test_every_request_is_counted_whether_its_answer_was_kept_or_not(tmp_path: Path) -> None:
    path = Path(shutil.copy(RECORDED, tmp_path / "tried.evo"))
    with closing(sqlite3.connect(path)) as db, db:
        add = "INSERT INTO attempt (slot, at, outcome, wait_s) SELECT slot, '', ?, ? FROM call"
        db.execute("DELETE FROM attempt")
        db.execute(add, ("completed", None))
        db.commit()
        before = _uses(path)
        retried = "WHERE unit = 'compass/r1' AND number = 0"
        (again,) = db.execute(f"SELECT count(*) FROM call {retried}").fetchone()
        db.execute(f"{add} {retried}", ("transient", 3600.0))
        last = "(SELECT max(seq) FROM call WHERE unit = 'compass/r2')"
        db.execute(f"UPDATE call SET status = 'failed', latency_s = NULL WHERE seq = {last}")
        db.commit()
        after = _uses(path)
    compass = "search: compass"
    assert before[compass].attempts == before[compass].done
    assert after[compass].attempts == before[compass].done + again, "the failed call's one counts"
    assert after[compass].done == before[compass].done - 1
    assert after[compass].seconds - before[compass].seconds == pytest.approx(3600 * again, abs=60)
    assert after["search: chase"] == before["search: chase"]


def test_attempts_of_a_certified_rollout_are_counted_by_method(tmp_path: Path) -> None:
    path = Path(shutil.copy(RECORDED, tmp_path / "tried.evo"))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO attempt (slot, at, outcome) SELECT slot, '', 'completed' FROM call")
        db.commit()
    for part, use in _uses(path).items():
        if part.startswith("certification"):
            assert use.attempts is not None and use.attempts > use.done, "a rollout has many calls"


def _uses(path: Path) -> dict[str, Use]:
    with Reader(path) as reader:
        return {use.part: use for use in read_chase(reader).uses}


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
