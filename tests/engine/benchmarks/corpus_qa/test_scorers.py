"""Both OfficeQA scorers, held against the released code's own verdicts."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.corpus_qa.lists import readings
from evoscope.engine.benchmarks.corpus_qa.scorers import fuzzy_match, strict_match
from tests.shared import shared_data


def _fuzzy(answer: str, prediction: str, tolerance: float) -> bool | str:
    try:
        return fuzzy_match(answer, prediction, tolerance)
    except ValueError as error:
        return f"raises {type(error).__name__}"


@pytest.mark.shared
def test_every_golden_vector_matches() -> None:
    path = shared_data("officeqa", "officeqa_scorer_golden.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    wrong = []
    for row in rows:
        arguments = (row["answer"], row["prediction"], row["tolerance"])
        verdicts = (_fuzzy(*arguments), float(strict_match(*arguments)))
        if verdicts != (row["fuzzy_match"], row["score"]):
            wrong.append(row["n"])
    assert len(rows) == 3265 and wrong == []


@pytest.mark.parametrize(
    ("answer", "prediction", "fuzzy", "strict"),
    [
        ("543", "543 million", True, True),
        ("543 billion", "543 million", False, False),
        ("543", "543000000", False, False),
        ("-12", "(12)", True, True),
        ("1,234", "it was 1,234 in 2003", True, True),
        ("[8, 152260]", "[8,152,260]", True, True),
        ("[8, 9]", "[9, 8]", False, False),
        ("March 1977", "April 1977", False, False),
        ("yes", "no, yes", True, False),
        ("5", "5\nsee note", True, False),
    ],
)
def test_forms_of_answers(answer: str, prediction: str, fuzzy: bool, strict: bool) -> None:
    assert (fuzzy_match(answer, prediction), strict_match(answer, prediction)) == (fuzzy, strict)


def test_a_tolerance_or_answer_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="tolerance"):
        fuzzy_match("1", "1", 1.5)
    with pytest.raises(ValueError, match="empty"):
        fuzzy_match("", "1")


@given(st.integers(1, 10**9))
def test_a_number_matches_itself_and_no_other(value: int) -> None:
    assert fuzzy_match(f"{value:,}", str(value)) and strict_match(f"{value:,}", str(value))
    assert not fuzzy_match(str(value), str(value + 1))


@given(st.lists(st.integers(0, 10**7), min_size=2, max_size=5))
def test_a_list_is_among_its_own_readings(values: list[int]) -> None:
    assert tuple(map(float, values)) in readings(str(values), len(values))
