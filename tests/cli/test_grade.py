"""`evoscope grade`: official verdicts for files of answers."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evoscope.cli.grade import grade
from evoscope.engine.benchmarks.load import samples
from evoscope.engine.errors import DataError, UsageError
from tests.shared import shared_data


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(*arguments: str | Path) -> Any:
    result = CliRunner().invoke(grade, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    return json.loads(result.stdout)


@pytest.mark.shared
def test_finqa_lines_of_their_own_get_the_evaluators_verdicts(tmp_path: Path) -> None:
    golden = shared_data("finqa", "finqa_evaluator_golden.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(golden.read_bytes()).splitlines()]
    rows = [row for row in rows if row.get("gold_program") and row["category"] != "syn:tokens"]
    lines = [
        {"id": r["n"], "gold_answer": r["gold_exe_ans"], **{k: r[k] for k in ROW}} for r in rows
    ]
    result = run("finqa", written(tmp_path / "f.jsonl", lines))
    assert result["n"] == len(rows) > 1500
    for row, item in zip(rows, result["items"], strict=True):
        assert (item["id"], item["correct"], item["equivalent"]) == (
            row["n"], row["exe_correct"], row["equal_program"],
        )  # fmt: skip
        if not row["invalid_flag"] and row["result"] not in (None, "n/a"):
            assert item["executed"] == row["result"]
        else:
            assert (item["executed"], item["correct"]) == (None, False)


ROW = ("table", "program", "gold_program")


def test_infinite_results_are_null_with_a_note(tmp_path: Path) -> None:
    line = {"table": [], "program": "add(inf, 1)", "gold_answer": 1, "gold_program": "add(0, 1)"}
    (item,) = run("finqa", written(tmp_path / "f.jsonl", [line]))["items"]
    assert (item["id"], item["executed"], item["executed_note"]) == (1, None, "inf")


def test_responses_and_bare_answers_are_graded_against_the_cases(tmp_path: Path) -> None:
    lines = [
        {"id": "90000101", "response": "So it does.\nAnswer: YES"},
        {"id": "90000108", "answer": "no"},
        {"id": "90000115", "label": "perhaps"},
        {"id": "90000122", "response": ""},
    ]
    file = written(tmp_path / "f.jsonl", lines)
    result = run("pubmedqa", file, "--cases", samples("pubmedqa"))
    assert [(item["label"], item["correct"]) for item in result["items"]] == [
        ("yes", True), ("no", True), (None, False), (None, False),
    ]  # fmt: skip
    assert (result["accuracy"], result["unparsed"], result["n"]) == (0.5, 2, 4)
    assert result["macro_f1"] == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert result["items"][2]["problem"]


def test_contracts_and_bundles_take_bare_labels(tmp_path: Path) -> None:
    contract = written(tmp_path / "c.jsonl", [{"id": "901:own-1", "label": "entailment"}])
    bundle = written(tmp_path / "b.jsonl", [{"id": "m01", "answer": "billing"}])
    for kind, file in (("contractnli", contract), ("bundle", bundle)):
        (item,) = run(kind, file, "--cases", samples(kind))["items"]
        assert (item["correct"], item["equivalent"], item["problem"]) == (True, None, None)


def test_the_table_for_people_ends_with_the_accuracy(tmp_path: Path) -> None:
    lines = [{"id": "90000101", "answer": "yes"}, {"id": "90000108", "answer": "\x1b[2J"}]
    file = written(tmp_path / "f.jsonl", lines)
    arguments = ["pubmedqa", str(file), "--cases", str(samples("pubmedqa"))]
    result = CliRunner().invoke(grade, arguments)
    assert result.stdout.splitlines()[-1] == "accuracy 0.5000 over 2, 1 unparsed"
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("line", "cases", "error", "message"),
    [
        ({"id": "x", "response": ""}, True, DataError, r"f\.jsonl, line 1: no case 'x'"),
        ({"id": "x", "response": ""}, False, UsageError, "line 1.*--cases"),
        ({"id": "HWK/2017/page_31.pdf-1"}, True, DataError, "give response, program"),
        ({"gold_answer": 1, "program": "a"}, False, DataError, "table"),
        ({"gold_answer": 1, "table": [[1]], "program": "a"}, False, DataError, "table"),
        ({"gold_answer": "1", "table": [], "program": "a"}, False, DataError, "exe_ans"),
        ({"gold_answer": 1, "table": [], "gold_program": "add(1)"}, False, DataError, "gold"),
    ],
)
def test_lines_that_cannot_be_graded_are_named(
    tmp_path: Path, line: dict[str, Any], cases: bool, error: type[Exception], message: str
) -> None:
    file = written(tmp_path / "f.jsonl", [line])
    arguments = ["finqa", str(file), *(["--cases", str(samples("finqa"))] if cases else [])]
    with pytest.raises(error, match=message):
        CliRunner().invoke(grade, arguments, catch_exceptions=False)


def test_an_empty_file_is_no_accuracy(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text("\n")
    with pytest.raises(DataError, match="no line"):
        CliRunner().invoke(grade, ["finqa", str(tmp_path / "f.jsonl")], catch_exceptions=False)
