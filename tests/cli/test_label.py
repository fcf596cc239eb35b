"""`evoscope label` without its app: blind items, answers from a file, agreement at the end."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.control import person, waiting_commands
from evoscope.engine.model.labels import handle
from evoscope.engine.verify import digest
from tests.cli.conftest import Cli
from tests.label_kit import NODES, label_run
from tests.store_builder import RunFile, small_run

TELLTALE = ("g0", "g1", "lookup", "pass", "fail", "reject", "original", "generated", "score")


@pytest.fixture
def run(tmp_path: Path) -> RunFile:
    """Two originals, three candidates: one passes, one fails realism, one fails correctness."""
    return label_run(tmp_path)


def query(run: RunFile, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(run.path)) as db:
        return db.execute(sql).fetchall()


def answers(folder: Path, *lines: dict[str, str]) -> Path:
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def all_yes(items: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [
        {"node": item["node"], "question": question, "answer": "yes"}
        for item in items
        for question in ("realistic", "correct")
    ]


def test_items_come_blind_and_always_in_the_same_order(cli: Cli, run: RunFile) -> None:
    first = cli("label", "demo", "--items", "--json")
    assert cli("label", "demo", "--items", "--json").out == first.out
    lines = cli("label", "demo", "--items", "--jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == first.json
    assert {item["node"] for item in first.json} == {handle(node) for node in NODES}
    assert all(word not in first.out for word in TELLTALE)
    assert {str(item["expected"]) for item in first.json} == {"yes", "None"}
    assert set(first.json[0]) == {"node", "fields", "expected", "answers"}


def test_a_seed_and_a_sample_choose_another_order_and_size(cli: Cli, run: RunFile) -> None:
    def order(*words: object) -> list[str]:
        printed = cli("label", "demo", "--items", "--json", *words)
        return [item["node"] for item in printed.json]

    assert order() == order("--seed", 42), "the run's own seed is the default"
    assert len({tuple(order("--seed", seed)) for seed in range(5)}) > 1
    assert order("--sample", 2) == order()[:2]


def test_a_file_of_answers_reaches_a_finished_run(cli: Cli, run: RunFile, tmp_path: Path) -> None:
    before = digest(run.path)
    file = answers(
        tmp_path,
        {"node": handle("a/g1/i0"), "question": "realistic", "answer": "yes"},
        {"node": "a/g2/i0", "question": "correct", "answer": "No", "reason": "the year is gone"},
        {"node": handle("a/g1/i0"), "question": "realistic", "answer": "no"},
    )
    printed = cli("label", "demo", "--answers", file)
    assert (printed.code, printed.err) == (0, "demo: 2 of 2 answers stored\n")
    assert query(run, "SELECT node, author, question, answer, reason FROM label ORDER BY 1") == [
        ("a/g1/i0", person(), "realistic", "no", ""),
        ("a/g2/i0", person(), "correct", "no", "the year is gone"),
    ]
    assert waiting_commands(run.path) == []
    assert digest(run.path) == before
    kept = {
        item["node"]: item["answers"] for item in cli("label", "demo", "--items", "--json").json
    }
    assert kept[handle("a/g1/i0")] == {"realistic": "no", "correct": None}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"node": "zz", "question": "correct", "answer": "yes"}, "answers.jsonl:1: no item 'zz'"),
        ({"node": "a/g1/i0", "question": "odd", "answer": "yes"}, "question 'odd' is not"),
        ({"node": "a/g1/i0", "question": "correct", "answer": "maybe"}, "answer 'maybe' is not"),
    ],
)
def test_a_wrong_line_is_refused_before_anything_is_sent(
    cli: Cli, run: RunFile, tmp_path: Path, line: dict[str, str], words: str
) -> None:
    printed = cli("label", "demo", "--answers", answers(tmp_path, line))
    assert printed.code == 2 and words in printed.err
    assert waiting_commands(run.path) == [] and query(run, "SELECT * FROM command") == []


def test_the_agreement_waits_for_the_whole_set(cli: Cli, run: RunFile, tmp_path: Path) -> None:
    items = cli("label", "demo", "--items", "--json").json
    lines = all_yes(items)
    cli("label", "demo", "--answers", answers(tmp_path, *lines[:-1]))
    for words in (("--agreement",), ("--agreement", "--json"), ("--pairs", "correct")):
        printed = cli("label", "demo", *words)
        assert (printed.code, printed.out) == (2, "")
        assert "you have answered 4 of 5 items" in printed.err
    cli("label", "demo", "--answers", answers(tmp_path, lines[-1]))
    assert cli("label", "demo", "--agreement").code == 0


def test_the_agreement_is_that_of_the_statistics_command(
    cli: Cli, run: RunFile, tmp_path: Path
) -> None:
    lines = all_yes(cli("label", "demo", "--items", "--json").json)
    said = {handle("a/g1/i1"): "no"}
    lines = [line | {"answer": said.get(line["node"], "yes")} for line in lines]
    cli("label", "demo", "--answers", answers(tmp_path, *lines))
    found = cli("label", "demo", "--agreement", "--json").json
    assert (found["author"], found["items"]) == (person(), 5)
    correct, realistic = (found["questions"][name] for name in ("correct", "realistic"))
    assert (correct["n"], correct["without_verdict"], correct["labelled"]) == (3, 2, 5)
    assert (correct["agreement"], correct["kappa"], correct["ac1"]) == (1.0, 1.0, 1.0)
    assert (realistic["n"], realistic["agreement"], realistic["kappa"]) == (2, 0.5, 0.0)
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(cli("label", "demo", "--pairs", "correct").out)
    again = cli("stats", "agreement", pairs, "--json").json
    assert again == {name: correct[name] for name in again}
    text = cli("label", "demo", "--agreement").out
    assert "realistic  realism" in text and "generated" in text and "n/a" in text


def test_a_report_holds_the_labels_once_there_are_any(
    cli: Cli, run: RunFile, tmp_path: Path
) -> None:
    config = {
        "search": "harden", "benchmark": {"kind": "pubmedqa"},
        "harden": {"rollouts": 2, "votes": 3, "generations": 2},
    }  # fmt: skip
    run.meta(config=json.dumps(config))
    assert "labels" not in cli("report", "demo", "--json").json["tables"]
    line = {"node": "a/g2/i0", "question": "realistic", "answer": "yes"}
    cli("label", "demo", "--answers", answers(tmp_path, line))
    table = cli("report", "demo", "--json").json["tables"]["labels"]
    assert table["title"] == "Human labels against the gates"
    (whole, generated) = (dict(zip(table["columns"], row, strict=True)) for row in table["rows"])
    assert (whole["source"], generated["source"]) == ("all", "generated")
    assert whole | {"source": ""} == generated | {"source": ""}
    assert (whole["compared"], whole["people say yes, %"], whole["gate passes, %"]) == (1, 100, 0)
    assert (whole["agreement, %"], whole["kappa"], whole["AC1"]) == (0, 0, -1)


@pytest.mark.parametrize("search", ["chase", "cegar"])
@pytest.mark.parametrize("words", [(), ("--items",), ("--agreement",)])
def test_other_searches_are_told_in_one_line(
    cli: Cli, tmp_path: Path, search: str, words: tuple[str, ...]
) -> None:
    small_run(tmp_path, search=search)
    printed = cli("label", "demo", *words)
    assert (printed.code, printed.out) == (2, "")
    assert printed.err == f"evoscope: labelling is for harden runs; demo is a {search} run\n"


def test_without_a_terminal_the_app_names_what_does_without(cli: Cli, run: RunFile) -> None:
    printed = cli("label", "demo")
    assert printed.code == 2 and "--items and --answers do without" in printed.err


def test_one_thing_at_a_time(cli: Cli, run: RunFile) -> None:
    assert cli("label", "demo", "--items", "--agreement").code == 2
