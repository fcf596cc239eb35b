"""Reading commands: the JSON of json.md, the tables for people, nothing that a terminal obeys."""

import json
from pathlib import Path

import pytest

from evoscope.cli.output import json_text
from tests.cli.conftest import Cli
from tests.store_builder import new_run, small_run

KEYS = {
    "nodes": "id kind group generation index parents origin state score score_is_bound entropy "
    "created description",
    "ledger": "seq time node gate vote outcome by reason call",
    "decisions": "seq time kind group considered chosen reason vetoes",
    "calls": "id purpose node vote sample model served_model served_provider status attempts "
    "tokens cost latency_s params finish_reason",
    "rollouts": "node task sample greedy parsed class score logprob_sum tokens call",
    "axes": "group axis priority applied passed improved in_lineage terms score rank",
    "events": "seq time kind table ref text",
}


def test_status_prints_the_stable_json(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    status = cli("status", "demo", "--json").json
    assert {
        "name", "search", "state", "reason", "offline", "seed", "progress", "eta_s", "calls",
        "tokens", "cost", "effect", "heartbeat_age_s", "pid", "started", "updated",
    } <= set(status)  # fmt: skip
    assert (status["state"], status["offline"], status["seed"]) == ("finished", True, 42)
    assert status["progress"] == {"done": 2, "total": 2, "unit": "case", "parked": []}
    assert status["calls"]["saved_by_racing"] == 5
    assert status["cost"]["amount"] == 0.25
    effect = status["effect"]
    assert (effect["accuracy_before"], effect["accuracy_after"]) == (0.9, 0.75)
    assert effect["ci_before"] is None and effect["ci_note"]


def test_an_engine_that_works_is_in_the_status(cli: Cli, tmp_path: Path) -> None:
    new_run(tmp_path, state="running").heartbeat(in_flight=3, waiting=8)
    status = cli("status", "demo", "--json").json
    assert (status["state"], status["calls"]["in_flight"]) == ("running", 3)
    assert isinstance(status["pid"], int)
    assert "3 in flight, 8 waiting" in cli("status", "demo").out


def test_ls_lists_the_newest_first_and_names_what_it_leaves_out(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path, "old", started="2026-01-01T00:00:00.000Z")
    small_run(tmp_path, "new", started="2026-02-01T00:00:00.000Z")
    (tmp_path / "broken.evo").write_text("no database")
    printed = cli("ls", "--json")
    assert [run["name"] for run in printed.json] == ["new", "old"]
    assert set(printed.json[0]) >= {
        "name", "path", "search", "state", "done", "total", "started", "updated",
        "heartbeat_age_s", "cost", "effect",
    }  # fmt: skip
    assert "left out: " in printed.err and "broken.evo" in printed.err


def test_an_empty_folder_is_said_on_standard_error(cli: Cli) -> None:
    printed = cli("ls")
    assert (printed.code, printed.out) == (0, "")
    assert "no runs in" in printed.err
    assert cli("ls", "--json").json == []


@pytest.mark.parametrize("kind", KEYS)
def test_show_prints_the_stable_json(cli: Cli, tmp_path: Path, kind: str) -> None:
    small_run(tmp_path)
    rows = cli("show", "demo", kind, "--json").json
    assert len(rows) > 0
    for row in rows:
        assert set(KEYS[kind].split()) <= set(row)


@pytest.mark.parametrize("kind", [kind for kind in KEYS if kind != "axes"])
def test_json_lines_hold_the_same_rows(cli: Cli, tmp_path: Path, kind: str) -> None:
    small_run(tmp_path)
    lines = cli("show", "demo", kind, "--jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == cli("show", "demo", kind, "--json").json


@pytest.mark.parametrize("kind", [*KEYS, "archive"])
def test_show_prints_a_table_for_people(cli: Cli, tmp_path: Path, kind: str) -> None:
    small_run(tmp_path)
    printed = cli("show", "demo", kind)
    assert (printed.code, printed.err) == (0, "")
    assert len(printed.out.splitlines()) > 1


def test_statuses_of_calls_are_those_of_the_interface(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path)
    for number, status in enumerate(("intended", "sent", "open", "failed")):
        run.call(f"a|realism||{number}|0|0", status)
    rows = cli("show", "demo", "calls", "--json", "--where", "purpose=realism").json
    assert [row["status"] for row in rows] == ["waiting", "in_flight", "waiting", "failed"]
    assert all(row["node"] is None for row in rows)


def test_the_archive_lists_survivors_and_promotions(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    first, second = cli("show", "demo", "archive", "--json").json["cases"]
    assert first["promoted"] == "a/g2/i0"
    assert first["survivors"][0] == {"node": "a/g2/i0", "score": 0.3, "entropy": 0.9}
    assert (second["case"], second["promoted"]) == ("b", None)
    only = cli("show", "demo", "archive", "--json", "--where", "group=b").json["cases"]
    assert only == [second]


def test_filters_and_limits_apply(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    rows = cli("show", "demo", "nodes", "--json", "--where", "axis=lookup", "--limit", 2).json
    assert [row["id"] for row in rows] == ["a/g1/i0", "a/g1/i1"]


def test_a_cut_table_says_how_much_there_is(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    printed = cli("show", "demo", "nodes", "--limit", 2)
    assert [line.split()[0] for line in printed.out.splitlines()[1:]] == ["a/g2/i1", "b/g0/i0"]
    assert "the newest 2 of 6; --limit shows more" in printed.err


def test_inspect_prints_one_node_whole(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    node = cli("inspect", "demo", "a/g1/i0", "--json").json
    assert set(node) >= {
        "node", "lineage", "input", "diff", "verdicts", "rollouts", "decisions", "export",
    }  # fmt: skip
    assert [link["id"] for link in node["lineage"]] == ["a/g0/i0", "a/g1/i0"]
    assert node["diff"]["against"] == "a/g0/i0"
    assert node["diff"]["hunks"] == [
        {
            "field": "question",
            "lines": ["@@ -1 +1 @@", "-question of a/g0/i0", "+question of a/g1/i0"],
        }
    ]
    assert len(node["rollouts"]) == 3 and len(node["decisions"]) == 1
    assert "texts" not in node, "prompts and responses only with --content"


def test_inspect_compares_with_the_original_on_request(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    printed = cli("inspect", "demo", "a/g2/i0", "--json", "--against", "original")
    assert printed.json["diff"]["against"] == "a/g0/i0"


def test_inspect_adds_texts_of_models_on_request(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path)
    detail = run.blob('{"rationale": "because"}')
    run.verdict("a/g1/i0", "realism", 0, "pass", detail_hash=detail)
    node = cli("inspect", "demo", "a/g1/i0", "--json", "--content").json
    assert node["verdicts"][0]["detail"] == {"rationale": "because"}
    assert node["texts"][0]["response"] == "reply"
    printed = cli("inspect", "demo", "a/g1/i0", "--content")
    assert "because" in printed.out and "reply" in printed.out


def test_no_control_character_reaches_standard_output(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path)
    hostile = "x\x1b[2J\x9b31m\u202ey\u2028z"
    run.sql("UPDATE node SET description = ?, origin = ?", hostile, json.dumps({"axis": hostile}))
    run.sql("UPDATE verdict SET reason = ?", hostile)
    run.sql("UPDATE decision SET reason = ?", hostile)
    run.meta(reason=hostile)
    for words in (
        ("status", "demo"), ("ls",), ("inspect", "demo", "a/g1/i1"), ("show", "demo", "nodes"),
        ("show", "demo", "ledger"), ("show", "demo", "decisions"), ("show", "demo", "events"),
        ("show", "demo", "nodes", "--json"), ("status", "demo", "--json"),
        ("show", "demo", "ledger", "--jsonl"), ("inspect", "demo", "a/g1/i1", "--json"),
    ):  # fmt: skip
        printed = cli(*words).out
        assert not set(printed) & set("\x1b\x9b\u202e\u2028"), words
    assert cli("show", "demo", "ledger", "--json").json[0]["reason"] == hostile


def test_json_has_no_nan_and_keeps_every_character() -> None:
    value = {"x": float("nan"), "list": [float("inf")], "text": "é\u202e\ud83d\U000e0041"}
    text = json_text(value)
    assert json.loads(text) == {
        "x": None, "x_note": "nan", "list": [None], "text": "é\u202e\ud83d\U000e0041",
    }  # fmt: skip
    assert "é" in text and "\u202e" not in text
