"""FinQA against what the official evaluator answers."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from evoscope.engine.benchmarks.finqa import FinQA
from evoscope.engine.benchmarks.finqa_equal import equivalent_tokens
from evoscope.engine.benchmarks.finqa_program import Execution, execute, tokenize
from tests.shared import shared_data

pytestmark = pytest.mark.shared
FILES = ("finqa_evaluator_golden", "finqa_example_predictions_golden")
DATA = ("finqa_dev_200", "finqa_train_100")


@cache
def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(shared_data("finqa", f"{name}.jsonl.gz"), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def tokens_of(row: dict[str, Any]) -> list[str]:
    tokens: list[str] = row["tokens"] if "tokens" in row else row["predicted"]
    return tokens


def agrees(execution: Execution, row: dict[str, Any]) -> bool:
    result = execution.result
    if row["result"] is None:
        same = repr(result) == row["result_repr"]
    else:
        same = result == row["result"] and type(result).__name__ == row["result_type"]
    return same and execution.invalid == bool(row["invalid_flag"])


def texts() -> Iterator[dict[str, Any]]:
    return (row for row in rows(FILES[0]) if row["category"] != "syn:tokens")


@pytest.mark.parametrize(("name", "count"), [(FILES[0], 1854), (FILES[1], 1050)])
def test_execution_is_the_evaluators_on_every_vector(name: str, count: int) -> None:
    assert len(rows(name)) == count
    wrong = [
        (tokens_of(row), execution)
        for row in rows(name)
        if not agrees(execution := execute(tokens_of(row), row.get("table", [])), row)
    ]
    assert not wrong


def test_program_texts_part_into_the_evaluators_tokens() -> None:
    assert not [row["program"] for row in texts() if tokenize(row["program"]) != row["tokens"]]


def test_equivalence_is_the_evaluators_on_every_vector() -> None:
    judged = [row for row in rows(FILES[0]) if row.get("equal_program") is not None]
    assert len(judged) > 1500
    wrong = [
        (row["gold_program"], row["tokens"], verdict)
        for row in judged
        if (verdict := equivalent_tokens(tokenize(row["gold_program"]), row["tokens"]))
        is not row["equal_program"]
    ]
    assert not wrong


def test_an_answer_is_right_exactly_where_the_evaluator_says_so() -> None:
    judged = [row for row in rows(FILES[0]) if row.get("exe_correct") is not None]
    wrong = [
        row["program"]
        for row in judged
        if (execute(row["tokens"], row["table"]).answer == row["gold_exe_ans"])
        is not row["exe_correct"]
    ]
    assert len(judged) > 1500
    assert not wrong


@pytest.mark.parametrize("name", DATA)
def test_gold_programs_of_the_official_cases_are_right_and_equivalent(name: str) -> None:
    finqa = FinQA.load(shared_data("finqa", f"{name}.json.gz"))
    for case in finqa.cases:
        grade = finqa.grade(case, f"Reasons.\nProgram: {case.metadata['program']}")
        assert (grade.score, grade.equivalent, grade.tolerant) == (1, True, True), case.id
        assert finqa.validate(case) == []
        assert finqa.missing_evidence(case, case) == []


@pytest.mark.parametrize("name", DATA)
def test_a_case_emptied_of_its_figures_misses_its_evidence(name: str) -> None:
    finqa = FinQA.load(shared_data("finqa", f"{name}.json.gz"))
    empty = {"question": "how much ?", "pre_text": [], "table": [["a", "b"]], "post_text": []}
    for case in finqa.cases:
        assert finqa.missing_evidence(case, finqa.with_fields(case, empty)), case.id
