"""What `inspect` shows of the nodes of chase and cegar runs, read from the recorded ones."""

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from tests.cli.conftest import Cli, Printed
from tests.recorded_kit import recorded
from tests.tui.chasefile import hostile

ALONE = "nothing stands before it"


def asked(path: Path, sql: str, *values: str) -> list[Any]:
    """What a run's file holds, read past our own code."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        return db.execute(sql, values).fetchall()


def one_of(search: str, state: str, kind: str) -> str:
    """The first node of this state in the recorded run."""
    sql = "SELECT id FROM node WHERE state = ? AND kind = ? ORDER BY seq LIMIT 1"
    return str(asked(recorded(search), sql, state, kind)[0][0])


CONFIRMED = one_of("chase", "survivor", "counterfactual")
REFUSED = one_of("chase", "rejected", "counterfactual")
CHOSEN = one_of("chase", "promoted", "harness")
ADMITTED = one_of("cegar", "promoted", "operator")


def told(printed: Printed, title: str) -> str:
    """The lines of a section."""
    return printed.out.partition(f"-- {title}\n")[2].partition("\n-- ")[0]


def node(cli: Cli, search: str, name: str) -> Any:
    return cli("inspect", recorded(search), name, "--json").json


def test_a_counterfactual_shows_its_transformation_and_fixtures(cli: Cli) -> None:
    printed = cli("inspect", recorded("chase"), CONFIRMED)
    own = node(cli, "chase", CONFIRMED)["counterfactual"]
    (operator, *_), (fixture, *_) = own["transformation"]["operators"], own["fixtures"]
    lines = told(printed, "fixture").splitlines()
    assert any(line.startswith(f"  1 {operator['operator']}  seed ") for line in lines)
    assert any(line.startswith(f"fixture {fixture['fixture']}  ") for line in lines)
    assert {"- ", "+ "} <= {line[:2] for line in lines}, "before and after"
    assert "-- diff" not in printed.out, "a counterfactual is made from no other node"


def test_a_counterfactual_shows_all_checks_and_both_measurements(cli: Cli) -> None:
    checks = told(cli("inspect", recorded("chase"), CONFIRMED), "checks")
    own = node(cli, "chase", CONFIRMED)["counterfactual"]
    assert checks.count(" holds ") == 8
    assert f"active: {100 * own['change']:.1f}% of fixtures change" in checks
    assert f"gain destruction, of {own['harness']} over H_0" in checks
    assert f"D_disc  {100 * own['disc']['delta']:.1f}%" in checks
    assert f"D_conf  {100 * own['conf']['delta']:.1f}%" in checks
    assert f"over {own['conf']['pairs']} pairs, threshold" in checks


def test_a_counterfactual_has_as_json_what_the_file_recorded(cli: Cli) -> None:
    found = node(cli, "chase", CONFIRMED)
    own = found["counterfactual"]
    assert own["transformation"] == found["input"]["transformation"]
    assert own["fixtures"][0]["before"] != own["fixtures"][0]["after"]
    assert set(own["checks"].values()) == {True} and len(own["checks"]) == 7
    sql = "SELECT considered FROM decision WHERE kind = 'archive' AND chosen LIKE ?"
    rows = json.loads(asked(recorded("chase"), sql, f"%{CONFIRMED}%")[0][0])
    assert own["disc"]["delta"] == next(
        Fraction(row["disc"]) for row in rows if row.get("node") == CONFIRMED and "disc" in row
    )
    assert own["conf"]["delta"] == Fraction(rows[-1]["conf"])
    assert (own["conf"]["pairs"], own["conf"]["confirmed"]) == (rows[-1]["pairs"], True)
    assert found["verdicts"][0]["detail"]["task"] is True, "a rule's own record is no model's text"
    assert ALONE in found["diff"]["note"]


def test_a_measurement_over_several_tasks_has_its_interval(cli: Cli, tmp_path: Path) -> None:
    path = Path(copy(recorded("chase"), tmp_path / "more.evo"))
    own = node(cli, "chase", CONFIRMED)["counterfactual"]
    split = f"conf{own['ranking']['round']}"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM rollout WHERE item IN (SELECT id FROM item WHERE split = ?)",
                   (split,))  # fmt: skip
        for task, shifted in (("x1", 0), ("x2", 1)):
            db.execute("INSERT INTO item SELECT ?, split, 999, content_hash FROM item "
                       "WHERE split = ? LIMIT 1", (task, split))  # fmt: skip
            for harness, context, score in (
                ("H0", "rel", 0), ("H0", CONFIRMED, 0), (own["harness"], "rel", 1),
                (own["harness"], CONFIRMED, shifted),
            ):  # fmt: skip
                db.execute(
                    "INSERT INTO rollout (node, context, item, sample, unit, outcome, num, den) "
                    "VALUES (?, ?, ?, 0, 'chase/r1', 'graded', ?, 1)",
                    (harness, context, task, score),
                )
    conf = cli("inspect", path, CONFIRMED, "--json").json["counterfactual"]["conf"]
    half = 1.96 * 0.5  # two tasks, one destroyed whole and one not at all
    assert conf["high"] - conf["delta"] == pytest.approx(half, abs=1e-3)
    assert conf["delta"] - conf["low"] == pytest.approx(half, abs=1e-3)
    assert "±98.0" in told(cli("inspect", path, CONFIRMED), "checks")


def test_what_a_refused_counterfactual_never_had_is_unknown(cli: Cli) -> None:
    found = node(cli, "chase", REFUSED)
    own = found["counterfactual"]
    assert set(own["checks"].values()) == {None}
    assert (own["fixtures"], own["ranking"], own["disc"], own["conf"]) == (None, None, None, None)
    assert own["refused"] == found["verdicts"][0]["reason"]
    assert told(cli("inspect", recorded("chase"), REFUSED), "checks").count("unknown  ") == 8


def test_a_harness_shows_its_changed_settings_and_scores(cli: Cli) -> None:
    found = node(cli, "chase", CHOSEN)
    own, parent = found["harness"], found["lineage"][-2]["id"]
    assert own["changed"] and all(one["before"] != one["after"] for one in own["changed"])
    said = found["node"]["description"].removeprefix("changes ").partition(":")[0]
    assert {one["field"] for one in own["changed"]} == set(said.split(", "))
    sql = (
        "SELECT avg(1.0 * num / den), count(DISTINCT item) FROM rollout r JOIN item i "
        "ON i.id = r.item WHERE node = ? AND context = 'rel' AND split = 'evo'"
    )
    ((rate, tasks),) = asked(recorded("chase"), sql, CHOSEN)
    row = next(r for r in own["scores"] if (r["split"], r["benchmark"]) == ("evo", "rel"))
    assert (row["rate"], row["tasks"]) == (pytest.approx(rate), tasks)
    assert row["gain"] == own["selection"]["g_rel"]
    printed = cli("inspect", recorded("chase"), CHOSEN)
    shown = [line.split() for line in told(printed, "scores").splitlines()]
    assert ["evo", "rel", str(tasks), f"{100 * rate:.1f}%"] in [cells[:4] for cells in shown]
    assert "@@" in told(printed, f"diff against {parent}")


def test_the_first_harness_is_said_to_have_no_parent(cli: Cli) -> None:
    printed = cli("inspect", recorded("chase"), "H0")
    assert ALONE in told(printed, "diff") and "no difference" not in printed.out
    assert node(cli, "chase", "H0")["harness"]["changed"] == []


def test_an_operator_shows_its_source_its_gates_and_what_it_flags(cli: Cli) -> None:
    printed = cli("inspect", recorded("cegar"), ADMITTED)
    found = node(cli, "cegar", ADMITTED)
    own = found["operator"]
    source, verdicts = told(printed, "source"), own["flags"]["verdicts"]
    assert f"level {own['level']}, op(task, code" in source
    assert all(line in source for line in own["source"].splitlines())
    assert f"flags {verdicts['flag']}  passes {verdicts['pass']}" in told(printed, "flags")
    assert sum(verdicts.values()) == own["flags"]["run"] > verdicts["flag"] > 0
    gates = {row["gate"] for row in found["verdicts"]}
    assert {"screens", "shrinks", "admission"} <= gates
    assert all(gate in told(printed, "verdicts") for gate in gates)


@pytest.mark.parametrize(
    ("search", "name", "title"),
    [("chase", CHOSEN, "trajectories"), ("cegar", ADMITTED, "pair")],
)
def test_texts_of_models_come_on_request_only(cli: Cli, search: str, name: str, title: str) -> None:
    assert f"-- {title}\n" not in cli("inspect", recorded(search), name).out
    assert told(cli("inspect", recorded(search), name, "--content"), title)


def test_a_hostile_text_in_a_chase_run_reaches_no_terminal(cli: Cli, tmp_path: Path) -> None:
    path = hostile(tmp_path / "hostile.evo")
    for name in (CONFIRMED, REFUSED, CHOSEN):
        for words in ((), ("--content",), ("--json",)):
            printed = cli("inspect", path, name, *words)
            assert printed.code == 0, printed.err
            assert not set(printed.out) & set("\x1b\x9b\u202e\u2028\x07"), (name, words)
