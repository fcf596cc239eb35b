"""Bundles: settings, graders, templates, export."""

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.benchmarks.base import Grade
from evoscope.engine.benchmarks.load import load
from evoscope.engine.config_file import load_config
from evoscope.engine.errors import DataError

ROOT = Path(__file__).resolve().parents[3]
HEAD = 'use_case = "Count."\noutput = "a number"\nmutable = ["text"]\n'
LABEL = '[grader]\nkind = "label"\nlabels = ["C++", "Not sure"]\n'
NUMERIC = '[grader]\nkind = "numeric"\nkeyword = "Total"\nabsolute = 0.1\nrelative = 0.01\n'
REGEX = "[grader]\nkind = \"regex\"\npattern = '^= (\\w+)?$'\n"
PYTHON = '[grader]\nkind = "python"\nfunction = "own.rules:grade"\nclasses = 3\n'
RULES = """
def grade(case, response):
    if response == "half":
        return 0.5
    if response == "crash":
        raise KeyError("lost")
    if response == "beyond":
        return 1.5
    right = response == case["expected"] + case["input"]["text"] + case["metadata"]["unit"]
    return {"score": right, "class": response or None}
"""

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A function that writes a bundle of one case and gives its folder."""

    def write(grader: str, expected: object, head: str = HEAD, **files: str) -> Path:
        folder = tmp_path / "bundle"
        folder.mkdir(exist_ok=True)
        case = {
            "id": 1,
            "input": {"text": "many", "n": [1]},
            "expected": expected,
            "metadata": {"unit": "kg"},
            "note": "kept",
        }
        named = {
            "bundle.toml": head + grader,
            "prompt.md": "How {{ text }}? {{ n[0] }}\n<t>\n{{ text }}\n</t>",
            "cases.jsonl": json.dumps(case) + "\n\n",
            **{name.replace("__", "."): text for name, text in files.items()},
        }
        for name, text in named.items():
            (folder / name).write_text(text)
        (folder / "own").mkdir(exist_ok=True)
        (folder / "own/rules.py").write_text(RULES)
        return folder

    return write


def graded(folder: Path, response: str) -> Grade:
    benchmark = load("bundle", folder)
    return benchmark.grade(benchmark.cases[0], response)


@pytest.mark.parametrize(
    ("response", "cls", "score"),
    [
        ("answer: c++", "C++", 1),
        ("Answer: C++\nAnswer: Not sure", "Not sure", 0),
        ("Answer: C++\nAnswer: Java", "C++", 1),
        ("**Answer: C++**", None, 0),
        ("Answer: C+", None, 0),
    ],
)
def test_labels_may_be_any_text(make: Make, response: str, cls: str | None, score: int) -> None:
    grade = graded(make(LABEL, "C++"), response)
    assert (grade.cls, grade.score) == (cls, score)
    assert grade.tolerant is (cls == "C++" or "**" in response)


@pytest.mark.parametrize(
    ("expected", "response", "cls", "score"),
    [
        (5, "Total: 5", "5", 1),
        (5, "total: 5.1", "51/10", 1),
        (5, "Total: 5.11", "511/100", 0),
        (1000, "Total: 1,010.0", "1010", 1),
        (1000, "Total: 1,010.01", "101001/100", 0),
        (-0.3, "Total: -.3", None, 0),
        (-0.3, "Total: -0.3", "-3/10", 1),
        (5, "Total: $5", None, 0),
        (5, "Total: five", None, 0),
        (5, "5", None, 0),
        (5, "Total: " + "9" * 5000, None, 0),
    ],
)
def test_numbers_are_compared_exactly_at_the_edge_of_the_tolerance(
    make: Make, expected: float, response: str, cls: str | None, score: int
) -> None:
    grade = graded(make(NUMERIC, expected), response)
    assert (grade.cls, grade.score) == (cls, score)


def test_a_tolerant_reading_of_a_number_is_beside_the_score(make: Make) -> None:
    grade = graded(make(NUMERIC, 5000), "Total: $ 5 thousand")
    assert (grade.score, grade.tolerant) == (0, True)


@pytest.mark.parametrize(
    ("response", "cls", "score"),
    [("= no\n= yes\nthat is it", "yes", 1), ("= yes\n= no", "no", 0), ("yes", None, 0),
     ("= yes\n= ", None, 0)],
)  # fmt: skip
def test_a_patterns_last_match_counts(
    make: Make, response: str, cls: str | None, score: int
) -> None:
    grade = graded(make(REGEX, "yes"), response)
    assert (grade.cls, grade.score) == (cls, score)


def test_a_python_grader_sees_the_case_and_may_give_partial_credit(make: Make) -> None:
    folder = make(PYTHON, "5")
    benchmark = load("bundle", folder)
    assert (benchmark.binary, benchmark.entropy_base) == (False, 3)
    right, half, none = (graded(folder, text) for text in ("5manykg", "half", ""))
    assert (right.score, right.cls) == (1, "5manykg")
    assert (half.score, half.cls) == (Fraction(1, 2), "1/2")
    assert (none.score, none.cls) == (0, None)


@pytest.mark.parametrize(("response", "word"), [("crash", "KeyError"), ("beyond", "from 0 to 1")])
def test_a_failing_python_grader_is_an_error_and_no_score(
    make: Make, response: str, word: str
) -> None:
    with pytest.raises(DataError, match=rf"own\.rules:grade, case 1.*{word}"):
        graded(make(PYTHON, "5"), response)


def test_two_bundles_may_have_modules_of_one_name(make: Make, tmp_path: Path) -> None:
    first = load("bundle", make(PYTHON, "5"))
    folder = Path(first.export(first.cases, tmp_path / "other")[0]).parent
    (folder / "own/rules.py").write_text("def grade(case, response):\n    return 0\n")
    assert load("bundle", folder).grade(first.cases[0], "5manykg").score == 0
    assert first.grade(first.cases[0], "5manykg").score == 1


@pytest.mark.parametrize(
    ("grader", "expected", "change", "message"),
    [
        (LABEL, "Java", {}, "case 1: expected is 'Java'; this grader wants one of C"),
        (NUMERIC, "5", {}, "wants a number"),
        (NUMERIC, True, {}, "wants a number"),
        (REGEX, 5, {}, "wants a text"),
        (REGEX.replace("(", "(("), "yes", {}, "grader.pattern"),
        (PYTHON.replace("own.rules", "own.nothing"), "5", {}, "beside bundle.toml"),
        (PYTHON.replace(":grade", ":other"), "5", {}, "beside bundle.toml"),
        (PYTHON.replace(":grade", ""), "5", {}, "grader.python.function"),
        ('[grader]\nkind = "magic"\n', "5", {}, "grader"),
        (LABEL + "labelz = 1\n", "C++", {}, "labelz"),
        (LABEL, "C++", {"head": HEAD + 'prompt = "../x"\n'}, "inside the bundle's folder"),
        (LABEL, "C++", {"head": HEAD.replace('"text"', '"body"')}, "no input field 'body'"),
        (LABEL, "C++", {"head": "mutable = []\n"}, "use_case.*output.*mutable"),
        (LABEL, "C++", {"head": "= 3\n"}, "correct the TOML"),
        (LABEL, "C++", {"prompt__md": "{{ nothing }}"}, "prompt.md.*'nothing' is undefined"),
        (LABEL, "C++", {"prompt__md": "{{ text.__class__.mro() }}"}, "prompt.md.*unsafe"),
        (LABEL, "C++", {"prompt__md": "{% if %}"}, "correct the template"),
        (LABEL, "C++", {"cases__jsonl": '{"id": 1}\n'}, "line 1: no 'input'"),
        (LABEL, "C++", {"cases__jsonl": '\n{"id": null, "input": "x"}\n'}, "line 2: the id"),
        (LABEL, "C++", {"cases__jsonl": "{}\n{"}, "line 1: no 'id'"),
    ],
)
def test_a_wrong_bundle_says_what_to_correct(
    make: Make, grader: str, expected: object, change: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load("bundle", make(grader, expected, **change))


def test_a_rewritten_field_keeps_its_shape(make: Make) -> None:
    benchmark = load("bundle", make(LABEL, "C++", HEAD.replace('["text"]', '["text", "n"]')))
    case = benchmark.cases[0]
    assert benchmark.with_fields(case, {"n": [2, 3]}).fields["n"] == [2, 3]
    for wrong in ({"n": ["2"]}, {"n": 2}, {"text": ["many"]}):
        with pytest.raises(DataError, match="is wanted, got"):
            benchmark.with_fields(case, wrong)


def test_one_text_is_the_field_input(make: Make) -> None:
    head = HEAD.replace('"text"', '"input"')
    lines = '{"id": "a", "input": "{{ 1 }} </t>", "expected": "C++"}\n'
    folder = make(LABEL, "C++", head, cases__jsonl=lines, prompt__md="<t>{{ input }}</t>")
    benchmark = load("bundle", folder)
    assert benchmark.prompt(benchmark.cases[0]) == "<t>{{ 1 }} < /t></t>"
    edited = benchmark.with_fields(benchmark.cases[0], {"input": "new"})
    written = benchmark.export([edited], folder / "out")
    assert json.loads(written[0].read_text())["input"] == "new"


def test_an_export_is_a_whole_bundle(make: Make, tmp_path: Path) -> None:
    benchmark = load("bundle", make(PYTHON, "5"))
    edited = benchmark.with_fields(benchmark.cases[0], {"text": "few"})
    written = benchmark.export([edited], tmp_path / "out")
    assert {path.relative_to(tmp_path / "out").as_posix() for path in written} == {
        "cases.jsonl", "bundle.toml", "prompt.md", "own/rules.py",
    }  # fmt: skip
    again = load("bundle", tmp_path / "out")
    assert again.grade(again.cases[0], "5fewkg").score == 1
    assert json.loads(written[0].read_text())["note"] == "kept"


@pytest.mark.parametrize("part", [".", "bundle.toml", "cases.jsonl"])
def test_a_bundle_is_found_by_any_of_its_names(make: Make, part: str) -> None:
    assert load("bundle", make(LABEL, "C++") / part).cases[0].id == "1"


def test_the_example_is_ready_to_run_and_the_page_shows_its_files() -> None:
    folder = ROOT / "examples/bundle"
    config = load_config(folder / "run.toml")
    assert config.benchmark.path is not None
    benchmark = load(config.benchmark.kind, config.benchmark.path)
    assert len(benchmark.cases) >= 12
    for case in benchmark.cases:
        assert benchmark.grade(case, f"Answer: {case.expected}").score == 1
    page = (ROOT / "docs/bundle.md").read_text()
    settings = (folder / "bundle.toml").read_text()
    for key in re.findall(r"(?m)^(\w+) =", settings):
        assert key in page
