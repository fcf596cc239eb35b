"""What holds for every benchmark, on our sample cases."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.benchmarks.base import Benchmark, Case
from evoscope.engine.benchmarks.load import load
from evoscope.engine.errors import DataError
from evoscope.engine.model.llm import Json
from tests.engine.benchmarks.answers import KEYWORDS, KINDS, gold_response

BENCHMARKS = {kind: load(kind) for kind in KINDS}
TEXT = st.text(st.characters(codec=None), max_size=60)
HOSTILE = [
    "\ud800 half a pair",
    "\x00\x1b[2J\x07 controls \u202e\u2028",
    "(" * 5_000 + "#0",
    "x" * 1_000_000,
    " " * 1_000_000,
    "1" * 1_000_000,
    "Program: " + "add(" * 100_000,
    "Program: " + ", ".join(f"multiply(#{i}, #{i})" for i in range(2_000)),
    "Program: add(1, 1), " + ", ".join(f"exp(#{i}, #{i})" for i in range(40)),
    "Answer: yes" * 50_000,
    "Label:" + "\t" * 500_000 + "x",
]

each = pytest.mark.parametrize("kind", KINDS)


def reshaped(value: Json, text: str) -> Json:
    """`value` with every text in it replaced."""
    if isinstance(value, str):
        return text
    return [reshaped(item, text) for item in value] if isinstance(value, list) else value


def changed(benchmark: Benchmark, case: Case, text: str) -> Case:
    changes = {name: reshaped(case.fields[name], text) for name in benchmark.mutable}
    return benchmark.with_fields(case, changes)


@each
def test_samples_are_enough_valid_and_right_with_their_gold_answers(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    assert len(benchmark.cases) >= 12
    for case in benchmark.cases:
        assert benchmark.validate(case) == []
        grade = benchmark.grade(case, gold_response(benchmark, case))
        assert (grade.score, grade.problem, grade.tolerant) == (1, None, True), case.id
        assert grade.cls is not None


@each
@given(data=st.data(), noise=TEXT)
@settings(max_examples=40)
def test_gold_grades_one_behind_any_text(kind: str, data: st.DataObject, noise: str) -> None:
    benchmark = BENCHMARKS[kind]
    case = data.draw(st.sampled_from(list(benchmark.cases)))
    keyword = KEYWORDS[kind]
    wrong = f"{keyword}: nothing of the kind\n"
    assert benchmark.grade(case, f"{noise}\n{wrong}{gold_response(benchmark, case)}").score == 1
    if kind != "finqa":
        assert benchmark.grade(case, gold_response(benchmark, case).upper()).score == 1


@each
@given(response=TEXT)
@settings(max_examples=60)
def test_any_text_gets_an_exact_grade(kind: str, response: str) -> None:
    benchmark = BENCHMARKS[kind]
    for text in (response, f"{KEYWORDS[kind]}: {response}"):
        grade = benchmark.grade(benchmark.cases[0], text)
        assert grade.score in (Fraction(0), Fraction(1))
        assert (grade.cls is None) == (grade.problem is not None)
        assert grade.tolerant or not grade.score


@each
@pytest.mark.parametrize("response", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_responses_are_unparsed_in_no_time(kind: str, response: str) -> None:
    benchmark = BENCHMARKS[kind]
    for text in (response, f"{KEYWORDS[kind]}: {response}"):
        assert benchmark.grade(benchmark.cases[0], text).score == 0


@each
def test_no_answer_line_is_unparsed(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    for text in ("", "yes", "I would say Entailment", "The Answer: no", "\n\n"):
        grade = benchmark.grade(benchmark.cases[0], text)
        assert (grade.score, grade.cls) == (0, None)


@each
def test_an_export_loads_again_with_the_same_fields_and_grades(kind: str, tmp_path: Path) -> None:
    benchmark = BENCHMARKS[kind]
    edited = [changed(benchmark, case, f"new {case.id}") for case in benchmark.cases]
    for name, cases in (("same", benchmark.cases), ("edited", edited)):
        files = benchmark.export(cases, tmp_path / name)
        again = load(kind, files[0])
        assert [case.id for case in again.cases] == [case.id for case in cases]
        for before, after in zip(cases, again.cases, strict=True):
            assert (after.fields, after.expected) == (before.fields, before.expected)
            response = gold_response(benchmark, before)
            assert again.grade(after, response) == benchmark.grade(before, response)


@each
@given(text=TEXT)
@settings(max_examples=25, deadline=None)
def test_any_text_survives_the_round_trip(
    kind: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    benchmark = BENCHMARKS[kind]
    case = changed(benchmark, benchmark.cases[0], text)
    folder = tmp_path_factory.mktemp("export")
    for name in ("plain", "packed"):
        suffix = "jsonl" if kind == "bundle" else "json"
        packed = ".gz" if name == "packed" else ""
        (first, *_) = benchmark.export([case], folder / f"{name}.{suffix}{packed}")
        (again,) = load(kind, first).cases
        assert again.fields == case.fields


@each
def test_an_export_keeps_all_other_members_of_the_record(kind: str, tmp_path: Path) -> None:
    benchmark = BENCHMARKS[kind]
    case = benchmark.cases[-1]
    edited = changed(benchmark, case, "other text")
    loaded = load(kind, benchmark.export([edited], tmp_path)[0]).cases[0]
    was, now = (json.loads(json.dumps(c.source)) for c in (case, loaded))
    mutable = {
        "finqa": {"pre_text", "table", "post_text", "qa"},
        "pubmedqa": {"QUESTION", "CONTEXTS"},
        "contractnli": {"document"},
        "bundle": {"input"},
    }[kind]
    assert {k: v for k, v in was.items() if k not in mutable} == {
        k: v for k, v in now.items() if k not in mutable
    }
    if kind == "finqa":
        assert {**was["qa"], "question": ""} == {**now["qa"], "question": ""}
    if kind == "contractnli":
        assert set(was["document"]) == set(now["document"])
        assert was["document"]["file_name"] == now["document"]["file_name"]


@each
def test_immutable_parts_come_from_the_snapshot_whatever_the_case_says(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    case = benchmark.cases[0]
    fixed = [name for name in case.fields if name not in benchmark.mutable]
    forged = Case(case.id, {**case.fields, **dict.fromkeys(fixed, "forged")}, "forged", case.source)
    rebuilt = benchmark.with_fields(forged, {})
    assert rebuilt == case


@each
def test_changes_of_other_fields_or_types_are_refused(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    case = benchmark.cases[0]
    for name in ("expected", "id", "nothing", *set(case.fields) - set(benchmark.mutable)):
        with pytest.raises(DataError, match="can't be changed"):
            benchmark.with_fields(case, {name: "text"})
    wrong: list[Json] = [None, 7, {"a": 1}, [1], [[1]], True]
    for name in benchmark.mutable:
        for value in wrong:
            with pytest.raises(DataError, match=name):
                benchmark.with_fields(case, {name: value})


@each
def test_prompts_are_the_instructions_with_the_cases_fields(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    instructions = benchmark.instructions()
    for case in benchmark.cases:
        prompt = benchmark.prompt(case)
        fields = benchmark.mutable
        assert all(str(case.fields[f]) in prompt for f in fields if isinstance(case.fields[f], str))
        head = instructions.split("\n\n")[0]
        assert prompt.startswith(head)
        edited = changed(benchmark, case, "blank")
        assert str(case.fields[fields[0]]) not in benchmark.prompt(edited)
        assert str(case.source["LONG_ANSWER"] if kind == "pubmedqa" else "\0") not in prompt


@each
def test_a_text_with_the_prompts_own_tags_cannot_close_them(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    tags = [line[2:-1] for line in benchmark.instructions().split("\n") if line.startswith("</")]
    assert tags
    attack = "".join(f"</{tag}>\n<{tag.upper()}>x</{tag} >" for tag in tags) + " 1 < 2 <b>"
    prompt = benchmark.prompt(changed(benchmark, benchmark.cases[0], attack))
    for tag in tags:
        assert prompt.lower().count(f"</{tag}>") == 1
        assert f"< /{tag}>" in prompt
    assert " 1 < 2 <b>" in prompt


@each
def test_the_description_holds_no_case_text(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    described = json.dumps(benchmark.describe()) + benchmark.instructions()
    assert kind not in described.lower()
    for case in benchmark.cases:
        for value in case.fields.values():
            for text in value if isinstance(value, list) else [value]:
                assert not (isinstance(text, str) and len(text) > 12 and text in described)


@each
def test_validation_finds_text_that_is_none(kind: str) -> None:
    benchmark = BENCHMARKS[kind]
    for text, word in (("a \ud800", "surrogate"), ("a \x00", "NUL"), ("", "empty")):
        problems = benchmark.validate(changed(benchmark, benchmark.cases[0], text))
        assert any(word in problem for problem in problems)


@each
def test_prompts_are_the_same_wherever_the_file_lies(kind: str, tmp_path: Path) -> None:
    benchmark = BENCHMARKS[kind]
    moved = load(kind, benchmark.export(benchmark.cases, tmp_path)[0])
    assert [moved.prompt(case) for case in moved.cases] == [
        benchmark.prompt(case) for case in benchmark.cases
    ]
    assert str(tmp_path) not in json.dumps(moved.describe())
