"""Tables of a cegar run's baselines and ablations: a run with all of them, scored, and read."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.config import RunConfig
from evoscope.engine.errors import UsageError
from evoscope.engine.report.cegar_baselines import baseline_tables
from evoscope.engine.report.cegar_compared import held_judges, read_compared
from evoscope.engine.report.cegar_held import held_file, held_out, judge_file
from evoscope.engine.report.cegar_read import CegarRun, read_cegar
from evoscope.engine.report.open_report import open_report
from evoscope.engine.report.render import as_json, markdown
from evoscope.engine.report.tables import Report, Table
from evoscope.engine.scoring import score_run
from evoscope.engine.searches.cegar.arms import CHANGES
from evoscope.engine.store.cegar import cegar_effect
from evoscope.engine.store.reader import Reader
from tests.e2e.kit import Run
from tests.e2e.test_cegar import files
from tests.recorded_kit import recorded

pytestmark = pytest.mark.slow
ARMS = ("recall_floor", "level_1_only", "target_only", "undirected", "novelty", "flag_overlap")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small run with every baseline and ablation, scored."""
    source = files(tmp_path_factory.mktemp("tasks")) | {"training": 4}
    config = RunConfig.model_validate(
        {
            "search": "cegar",
            "benchmark": {"kind": "code"},
            "providers": {"p": {"kind": "offline"}},
            "models": {
                "author": {"provider": "p", "model": "grammar"},
                "judge": {"provider": "p", "model": "glance"},
            },
            "cegar": {
                "sources": [source], "starting_pool": False, "rounds": 1, "level1_attempts": 1,
                "level2_attempts": 1,
                "judge": True, "induction_level1": 2, "induction_level2": 4,
                "induction_sample": 8, "ablations": ARMS,
            },
        }
    )  # fmt: skip
    run = Run(tmp_path_factory.mktemp("runs") / "compared.evo", config).make()
    assert run.begin().wait(600) == 0, (
        run.path.with_name("compared.evo.d") / "out.txt"
    ).read_text()
    score_run(run.path)
    yield run.path
    run.end()


@pytest.fixture(scope="module")
def report(path: Path) -> Report:
    return open_report(path)


def dicts(table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_every_baseline_has_its_table_on_both_splits_in_every_format(report: Report) -> None:
    names = ("ablations", "ablation_stops", "judge", "induction")
    assert set(names) <= set(report.tables)
    for name in ("judge", "induction"):
        assert {row["split"] for row in dicts(report.tables[name])} == {"training", "held out"}
    text, value = markdown(report), as_json(report)
    assert all(f"## {report.tables[name].title}" in text for name in names)
    tables = value["tables"]
    assert isinstance(tables, dict) and set(names) <= set(tables)
    json.dumps(value, allow_nan=False)


def test_each_arm_stands_beside_the_loop_with_its_calls_and_every_attempt(report: Report) -> None:
    rows = {row["arm"]: row for row in dicts(report.tables["ablations"])}
    assert list(rows) == ["the loop", *CHANGES]
    stops = dicts(report.tables["ablation_stops"])
    for arm, row in rows.items():
        own = {stop["stopped at"]: stop["attempts"] for stop in stops if stop["arm"] == arm}
        assert sum(own.values()) == row["attempts"] > 0
        assert own.get("admitted", 0) == row["admitted"] >= row["behaviours"]
        assert row["calls"] >= row["attempts"]
    assert not any(s["stopped at"] == "shrinks" for s in stops if s["arm"] == "target_only")


def test_the_judge_is_a_metric_and_a_classifier_of_distinct_programs(
    path: Path, report: Report
) -> None:
    rows = [row for row in dicts(report.tables["judge"]) if row["role and prompt"]]
    assert len(rows) == 8
    with Reader(path) as reader:
        run = read_cegar(reader)
    held = held_out(path, json.loads(_config(path)), (*run.starting, *run.admitted))
    assert held is not None
    for row in rows:
        split = run.training.split if row["split"] == "training" else held.split
        programs = [program for program in split.programs if program.visible]
        assert row["judge calls"] == len(programs)
        assert row["no verdict"] <= row["judge calls"]
        wrong = sum(not program.correct for program in programs)
        caught = round(row["recall"] * wrong)
        flagged = round(caught / row["precision"]) if caught else None
        assert flagged is None or flagged <= row["flags"]
    for one in held_judges(path, held.split):
        assert set(one.column) == set(held.split.accepted)


def test_the_best_judge_on_training_stands_in_the_effect_with_a_call_a_candidate(
    report: Report,
) -> None:
    judges = [row for row in dicts(report.tables["judge"]) if row["role and prompt"]]
    training = [row for row in judges if row["split"] == "training"]
    best = max(training, key=lambda row: row["Delta"])["role and prompt"]
    effect = dicts(report.tables["effect"])
    own = [row for row in effect if row["flag"] == f"the best judge: {best}"]
    assert [row["split"] for row in own] == ["training", "held out"]
    assert sum(row["flag"].startswith("the best judge") for row in effect) == 2
    for row in own:
        (same,) = (
            one for one in judges if (one["split"], one["role and prompt"]) == (row["split"], best)
        )
        shared = ("Delta", "p", "flags", "helped", "hurt", "judge calls")
        assert [row[name] for name in shared] == [same[name] for name in shared]
        assert row["judge calls"] > 0 == row["author calls"]
        family = [one for one in effect if one["split"] == row["split"]]
        assert row["p, Bonferroni"] == min(1.0, len(family) * row["p"])


def _config(path: Path) -> str:
    with Reader(path) as reader:
        return reader.meta()["config"]


def test_scoring_again_asks_and_runs_nothing(path: Path, report: Report) -> None:
    kept = held_file(path).read_bytes()
    calls = _rows(judge_file(path), "SELECT seq, slot, reply_blob FROM call ORDER BY seq")
    attempts = _rows(judge_file(path), "SELECT count(*) FROM attempt")
    assert calls
    score_run(path)
    assert held_file(path).read_bytes() == kept
    assert _rows(judge_file(path), "SELECT seq, slot, reply_blob FROM call ORDER BY seq") == calls
    assert _rows(judge_file(path), "SELECT count(*) FROM attempt") == attempts
    assert open_report(path).tables == report.tables


def _rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def test_an_interrupted_judge_goes_on_with_what_it_has(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path / "copy.evo"))
    shutil.copytree(path.with_name("compared.evo.d"), copy.with_name("copy.evo.d"))
    file = judge_file(copy)
    with closing(sqlite3.connect(file)) as db:
        lost = "SELECT slot FROM call WHERE unit = 'judge-judge-word' ORDER BY seq LIMIT 3"
        slots = [slot for (slot,) in db.execute(lost)]
        db.executemany("DELETE FROM call WHERE slot = ?", [(slot,) for slot in slots])
        db.execute("UPDATE unit SET state = 'parked', result = NULL WHERE id = 'judge-judge-word'")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('paused', 'an outage')")
        db.commit()
    score_run(copy)
    completed = "SELECT slot, fact FROM call WHERE status = 'completed' ORDER BY slot"
    assert _rows(file, completed) == _rows(judge_file(path), completed)
    assert open_report(copy).tables["judge"].rows == open_report(path).tables["judge"].rows


def test_an_outage_ends_the_scoring_and_the_next_one_goes_on(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path / "copy.evo"))
    shutil.copytree(path.with_name("compared.evo.d"), copy.with_name("copy.evo.d"))
    shutil.rmtree(judge_file(copy).with_name("judge.evo.d"))
    judge_file(copy).unlink()
    _set_faults(copy, 1.0)
    with pytest.raises(UsageError, match=r"judging held-out candidates stopped .*failed 2 times"):
        score_run(copy)
    before = open_report(copy).tables["judge"]
    assert {row["split"] for row in dicts(before) if row["role and prompt"]} == {"training"}
    _set_faults(copy, 0.0)
    score_run(copy)
    assert open_report(copy).tables["judge"].rows == open_report(path).tables["judge"].rows


def _set_faults(path: Path, rate: float) -> None:
    with closing(sqlite3.connect(path)) as db:
        (text,) = db.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
        config = json.loads(text)
        provider = config["providers"]["p"] | {"pause_after_failures": 2}
        provider["faults"] = provider["faults"] | {"rate": rate}
        changed = json.dumps(config | {"providers": {"p": provider}})
        db.execute("UPDATE meta SET value = ? WHERE key = 'config'", (changed,))
        db.commit()


def test_what_induction_admits_is_what_passed_its_gate(path: Path) -> None:
    with Reader(path) as reader:
        run = read_cegar(reader)
        found = read_compared(reader, run)
    assert [(one.name, len(one.attempts)) for one in found.induced] == [
        ("level 1", 2),
        ("level 2", 4),
    ]
    for one in found.induced:
        passed = [attempt.node for attempt in one.attempts if not attempt.stopped]
        assert passed == [operator.node for operator in one.admitted]
    table = baseline_tables(run, found, None, {})["induction"]
    assert {row["split"] for row in dicts(table)} == {"training"}


def test_arms_and_induction_leave_the_searchs_own_figures_alone(path: Path) -> None:
    with Reader(path) as reader:
        run, effect = read_cegar(reader), cegar_effect(reader)
        found = read_compared(reader, run)
    assert effect["pool"] == len(run.admitted)
    assert len(run.attempts) <= run.calls < sum(arm.calls for arm in found.arms)
    assert all(attempt.unit.startswith("target-") for attempt in run.attempts)


def test_a_run_without_baselines_has_only_what_it_started_from(tmp_path: Path) -> None:
    plain = Path(shutil.copy(recorded("cegar"), tmp_path / "run.evo"))
    with Reader(plain) as reader:
        run: CegarRun = read_cegar(reader)
        found = read_compared(reader, run)
    assert (found.arms, found.induced, found.judges, found.operators) == ((), (), (), ())
    assert baseline_tables(run, found, None, {"training": ()}) == {}
