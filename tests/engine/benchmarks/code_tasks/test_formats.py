"""EvalPlus's files, visible checks, input conversions and comparison rules."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.code_tasks import compare, evalplus, visible
from evoscope.engine.benchmarks.code_tasks.conversions import mbpp_arguments
from evoscope.engine.benchmarks.code_tasks.tasks import Example, Task
from evoscope.engine.errors import DataError
from tests.shared import shared_data


def task(dataset: str = "mbpp", entry: str = "f", atol: float = 0.0) -> Task:
    return Task("x/1", dataset, "", entry, "", (), (), atol=atol)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "given_", "expected"),
    [
        (2, [[1, 2], [3]], ((1, 2), (3,))),
        (63, [[[1, 2]]], ([(1, 2)],)),
        (75, [[[1, 2]], 6], ([(1, 2)], 6)),
        (106, [[1], [2, 3]], ([1], (2, 3))),
        (115, [[[1], [], 3]], ([{1}, {}, {}],)),
        (124, ["1", "2+1j"], (1.0, 2 + 1j)),
        (252, ["3j"], (3j,)),
        (250, [[1, 2], 2], ((1, 2), 2)),
        (259, [[[1, 2]], [[3]]], (((1, 2),), ((3,),))),
        (278, [[1, [2, 3]]], ((1, (2, 3)),)),
        (307, [[1], 2, 3], ((1,), 2, 3)),
        (580, [[1, [2, [3]]]], ((1, (2, (3,))),)),
        (722, [{"a": [1, 2]}, 3, 4], ({"a": (1, 2)}, 3, 4)),
        (3, [[1], 2], ([1], 2)),
    ],
)
def test_mbpp_inputs_are_turned_back_by_task(number: int, given_: list[Any], expected: Any) -> None:
    got = mbpp_arguments(number, given_)
    assert got == expected and repr(got) == repr(expected)


def counts(*args: Any, **options: Any) -> bool:
    got, want = args
    place = compare.first_difference(task(**options), [options.pop("given", (1,))], [got], [want])
    return place is None


def judged(entry: str, given_: tuple[Any, ...], got: Any, want: Any, dataset: str = "mbpp") -> bool:
    return compare.first_difference(task(dataset, entry), [given_], [got], [want]) is None


def test_equality_is_exact_but_for_floats() -> None:
    assert counts([1, (2, "a")], [1, (2, "a")])
    assert not counts((1, 2), [1, 2])
    assert counts(1, True) and counts(2.0, 2)
    assert counts(0.1 + 0.2, 0.3) and not counts(0.31, 0.3)
    assert counts([0.1 + 0.2, 1.0], [0.3, 1.0]) and not counts((0.1 + 0.2,), [0.3])
    assert not counts([0.3], [0.3, 0.3]) and not counts([0.30000001, "a"], [0.3, "b"])
    assert not counts([1.0000001, 2], [1.0, 2])  # not all floats: exact
    assert counts(float("inf"), float("inf")) and not counts(float("nan"), float("nan"))
    assert not counts(2.0 + 1e-9, 2)
    assert not counts(10**400, 0.5)


def test_a_stated_tolerance_reaches_numbers_of_any_kind() -> None:
    assert counts(100.4, 100.0, atol=0.5) and not counts(100.6, 100.0, atol=0.5)
    assert counts([[1.4], [2]], [[1.0], [2]], atol=0.5)
    assert not counts("a", "b", atol=0.5) and not counts({1: 2}, {1: 3}, atol=0.5)


def test_the_float_tolerance_stays_for_the_rest_of_the_suite() -> None:
    outputs, expected = [0.5, [1.0000001, 2]], [0.5, [1.0, 2]]
    assert compare.first_difference(task(), [(1,), (2,)], outputs, expected) is None
    assert compare.first_difference(task(), [(2,)], outputs[1:], expected[1:]) == 0


def test_tasks_with_an_oracle_of_their_own() -> None:
    assert judged("similar_elements", (), [4, 5, 4], (5, 4))
    assert not judged("similar_elements", (), 7, (5, 4))
    assert not judged("other", (), [4, 5], (5, 4))
    assert judged("check_str", ("a",), "match", True) and judged("check_str", ("b",), None, False)
    assert not judged("check_str", ("a",), False, True)
    assert judged("are_equivalent", (1, 2), "anything", False)
    assert judged("sum_div", (8,), 0, 7) and not judged("sum_div", (8,), 1, 7)
    assert judged("surface_Area", (3, 4), 35, 33)  # 9 + 6 * sqrt(18.25) is 34.6
    assert not judged("surface_Area", (3, 4), 34, 33)
    assert judged("digit_distance_nums", (1, 123), 1 + 2 + 2, 99)
    assert judged("find_zero", ([1.0, 2.0],), -0.5, 9.9, "humaneval")
    assert not judged("find_zero", ([1.0, 2.0],), -0.4, -0.4, "humaneval")
    assert not judged("find_zero", ([1.0, 2.0],), None, -0.5, "humaneval")


@given(st.recursive(st.integers() | st.text() | st.booleans() | st.none(), st.lists, max_leaves=8))
def test_every_plain_value_without_nan_equals_itself(value: Any) -> None:
    assert counts(value, value)


def test_asserts_are_found_in_prompts_even_over_several_lines() -> None:
    prompt = '"""\nDo it.\nassert f([1,\n  2]) == 3\nassert not f(4)\nasserted\n"""\n'
    assert visible.prompt_asserts(prompt) == ("assert f([1,\n2]) == 3", "assert not f(4)")


def test_docstring_examples_become_asserts() -> None:
    prompt = (
        'def f(a, b):\n    """Add.\n    >>> f(1, 2)\n    3\n    f([1], 2) ➞ [1, 2]\n'
        "    f(0, 0) == 0, f('x', 1) => 'x1'\n    f(2, 2) returns 4.\n"
        '    f(a, b) -> 5\n    f(1, 2) -> 3\n    """\n'
    )
    assert visible.docstring_asserts(prompt, "f") == (
        "assert f(1, 2) == 3",
        "assert f([1], 2) == [1, 2]",
        "assert f(0, 0) == 0",
        "assert f('x', 1) == 'x1'",
        "assert f(2, 2) == 4",
    )


def test_plain_asserts_are_data_and_others_are_programs() -> None:
    assert visible.as_example("assert f(1, [2]) == {3}", "f") == Example((1, [2]), {3})
    assert visible.as_example("assert f([]) is None", "f") == Example(([],), None)
    for other in ("assert f(1)", "assert not f(1)", "assert f(x) == 1", "assert g(1) == 1",
                  "assert set(f(1)) == {1}", "assert f(1) != 2", "assert f(a=1) == 2"):  # fmt: skip
        assert visible.as_example(other, "f") is None
    known = visible.known_arguments(["assert math.isclose(f((1, 2)), f(3))", "assert f(x)"], "f")
    assert known == (((1, 2),), (3,))


def test_a_prompts_helpers_are_in_scope_where_the_candidate_kept_them() -> None:
    prompt = "import math\ndef h(x):\n    return x\ndef f(x):\n    pass\n"
    kept = visible.helpers(prompt, "f", "def h(x):\n    return 9\ndef f(x):\n    return x\n")
    assert "return x" in kept and "import math" in kept and "def f" not in kept
    assert visible.helpers(prompt, "f", "def f(x):\n    return x\n") == ""


@pytest.mark.shared
def test_the_official_files_hold_what_their_readme_says() -> None:
    checks = shared_data("humaneval", "humaneval_visible_checks.jsonl.gz")
    human = evalplus.load_tasks(shared_data("humaneval", "HumanEvalPlus.jsonl.gz"), checks)
    mbpp = evalplus.load_tasks(shared_data("mbpp", "MbppPlus.jsonl.gz"))
    assert (len(human), len(mbpp)) == (164, 378)
    assert (sum(len(t.base) for t in human), sum(len(t.plus) for t in human)) == (1570, 122_683)
    assert (sum(len(t.base) for t in mbpp), sum(len(t.plus) for t in mbpp)) == (1174, 39_841)
    assert all(len(t.visible) == 1 for t in mbpp) and all(t.visible for t in human)
    converted = [
        t.id
        for t in mbpp
        if t.base and any(isinstance(a, tuple | set | complex) for a in t.base[0])
    ]
    assert len(converted) > 25
    samples = evalplus.load_samples(shared_data("mbpp", "mbpp_samples.jsonl.gz"), mbpp)
    assert len(samples) == 6021 and samples[0].place == 0
    plain = evalplus.load_tasks(shared_data("humaneval", "HumanEvalPlus.jsonl.gz"))
    assert sum(bool(t.visible) for t in plain) >= 115  # the paper keeps 125


def test_samples_may_be_completions_and_errors_name_their_line(tmp_path: Path) -> None:
    record = {
        "task_id": "HumanEval/0", "prompt": "def f(x):\n", "entry_point": "f", "atol": 0,
        "canonical_solution": "    return x\n", "base_input": [[1]], "plus_input": {},
    }  # fmt: skip
    path = tmp_path / "tasks.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(record) + "\n\n").encode()))
    (found,) = evalplus.load_tasks(path)
    assert (found.reference, found.base, found.plus) == ("def f(x):\n    return x\n", ((1,),), ())
    lines = [
        {"task_id": "HumanEval/0", "completion": "    return 2\n"},
        {"task_id": "HumanEval/9", "solution": "x"},
        {"task_id": "HumanEval/0", "solution": "def f(x): return Infinity", "source": "me"},
    ]
    samples = tmp_path / "samples.jsonl"
    samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    first, second = evalplus.load_samples(samples, [found])
    assert first.text == "def f(x):\n    return 2\n" and (second.place, second.source) == (1, "me")
    samples.write_text('{"task_id": "HumanEval/0"}\n')
    with pytest.raises(DataError, match="line 1: neither 'solution'"):
        evalplus.load_samples(samples, [found])
    samples.write_text("[1]\n")
    with pytest.raises(DataError, match="line 1: an object"):
        evalplus.load_samples(samples, [found])
    path.write_bytes(b'{"task_id": "HumanEval/0"}')
    with pytest.raises(DataError, match="line 1: no 'prompt'"):
        evalplus.load_tasks(path)


@pytest.mark.shared
def test_infinite_numbers_are_read_as_inputs() -> None:
    mbpp = evalplus.load_tasks(shared_data("mbpp", "MbppPlus.jsonl.gz"))
    odd = [t.id for t in mbpp if "inf" in repr(t.plus) and any(_infinite(a) for a in t.plus)]
    assert odd


def _infinite(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_infinite(part) for part in value)
    return isinstance(value, float) and abs(value) == float("inf")
