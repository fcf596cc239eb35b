"""A person's veto of what a chase run evolved: who may go, who may not."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from evoscope.engine.benchmarks.transform.fixtures import LONGEST, changed_fixtures
from evoscope.engine.searches.chase.search import run
from tests.engine.searches.chase.arena import Delayed, setup
from tests.replay_kit import Kit


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    quick = {"rounds": 1, "methods": ["chase"], "eta": "0", "rollouts_conf": 1}
    return Kit(
        lambda: lambda ctx: run(ctx, setup(1, **quick)),
        tmp_path_factory.mktemp("veto"),
        lambda seed: {"off": Delayed(seed)},
        concurrency=64,
    )


@pytest.fixture(scope="module")
def finished(kit: Kit) -> Path:
    path = kit.file("whole")
    assert kit.finish(path, 1).state == "finished"
    return path


def test_a_counterfactual_may_be_vetoed_and_h_0_may_not(kit: Kit, finished: Path) -> None:
    path = kit.copy(finished, "vetoed")
    with closing(sqlite3.connect(path)) as db:
        sql = "SELECT id FROM node WHERE kind = 'counterfactual' ORDER BY seq"
        (counterfactual,) = db.execute(sql).fetchone()
    kit.command(path, {"id": "1", "kind": "veto", "args": {"node": counterfactual}})
    kit.command(path, {"id": "2", "kind": "veto", "args": {"node": "H0"}})
    kit.finish(path, 2)
    with closing(sqlite3.connect(path)) as db:
        outcomes = db.execute("SELECT outcome, result FROM command ORDER BY id").fetchall()
        vetoed = db.execute("SELECT id FROM node WHERE vetoed = 1").fetchall()
    assert [outcome for outcome, _ in outcomes] == ["done", "refused"]
    assert "original" in outcomes[1][1]
    assert vetoed == [(counterfactual,)]


def test_a_firewall_verdict_keeps_what_a_fixture_was_and_became(finished: Path, kit: Kit) -> None:
    from evoscope.engine.store.reader import Reader

    with Reader(finished) as reader:
        rows = reader.rows("SELECT detail_hash FROM verdict WHERE gate = 'firewall' AND detail_hash"
                           " IS NOT NULL")  # fmt: skip
        details = [json.loads(reader.text(row[0])) for row in rows]
    active = [detail for detail in details if detail["active"]]
    assert active and all(detail["fixtures"] for detail in active)
    for shown in (fixture for detail in active for fixture in detail["fixtures"]):
        assert shown["before"] != shown["after"] and "/" in shown["fixture"]


def test_one_changed_fixture_of_each_kind_is_kept_and_long_ones_are_cut() -> None:
    before = {"a/list": [1], "a/open x 1": "old", "a/open y 1": "old", "tools": ["t"], "odd": 1}
    after = {**before, "a/list": [2], "a/open y 1": "n" * 2 * LONGEST, "odd": 2}
    found = changed_fixtures(before, after)
    assert [one["fixture"] for one in found if isinstance(one, dict)] == [
        "a/list", "a/open y 1", "odd",
    ]  # fmt: skip
    assert isinstance(found[1], dict) and len(str(found[1]["after"])) < LONGEST + 10
    assert changed_fixtures(before, before) == []
