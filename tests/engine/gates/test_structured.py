"""Structured replies: strict for gates, mended for proposals."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from evoscope.engine.errors import MalformedReply
from evoscope.engine.gates.structured import read_repaired, read_strict, strip_fences


class Part(BaseModel):
    name: str
    score: int


class Reply(BaseModel):
    passed: bool
    parts: list[Part] = []


GOOD = '{"passed": true, "parts": [{"name": "a", "score": 3}]}'
VALUE = Reply(passed=True, parts=[Part(name="a", score=3)])


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n  {GOOD} \n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"  ```JSON \r\n{GOOD}\r\n```  ",
    ],
)
def test_a_gate_takes_json_in_code_fences_at_most(text: str) -> None:
    read = read_strict(text, Reply, "audit")
    assert (read.value, read.repaired) == (VALUE, False)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "audit: "),
        (f"Here it is:\n```json\n{GOOD}\n```", "audit: "),
        (GOOD[:-1], "audit: "),
        (GOOD.replace("true", '"yes"'), "audit: passed: "),
        (GOOD.replace("true", "1"), "audit: passed: "),
        (GOOD.replace("3", "3.5"), r"audit: parts\.0\.score: "),
        (GOOD.replace("3", '"3"'), r"audit: parts\.0\.score: "),
        ('{"parts": []}', "audit: passed: "),
        (r'{"passed": true, "parts": [{"name": "\ud83d", "score": 3}]}', "audit: "),
    ],
)
def test_a_gate_refuses_anything_else_and_names_the_part(text: str, where: str) -> None:
    with pytest.raises(MalformedReply, match=f"^{where}") as caught:
        read_strict(text, Reply, "audit")
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        GOOD[:-1],
        GOOD.replace("}]}", "},]}"),
        GOOD.replace('"', "'").replace("true", "True"),
        f"Sure:\n```json\n{GOOD}\n```",
    ],
)
def test_a_proposal_is_mended_and_says_so(text: str) -> None:
    read = read_repaired(text, Reply, "manifest")
    assert (read.value, read.repaired) == (VALUE, True)


def test_a_good_proposal_is_not_marked_as_repaired() -> None:
    assert not read_repaired(GOOD, Reply, "manifest").repaired


@pytest.mark.parametrize("text", ["", "no json at all", '{"passed": "yes"}', '{"parts": [{}]}'])
def test_repair_never_changes_what_valid_json_says(text: str) -> None:
    with pytest.raises(MalformedReply, match=r"^manifest"):
        read_repaired(text, Reply, "manifest")


def test_many_problems_are_counted_not_listed() -> None:
    parts = ", ".join("{}" for _ in range(50))
    with pytest.raises(MalformedReply, match="and 97 more") as caught:
        read_strict(f'{{"passed": true, "parts": [{parts}]}}', Reply, "audit")
    assert len(str(caught.value)) < 200


@given(st.text(max_size=200))
def test_any_text_is_a_value_or_a_malformed_reply(text: str) -> None:
    for read in (read_strict, read_repaired):
        try:
            assert isinstance(read(text, Reply, "x").value, Reply)
        except MalformedReply as error:
            assert str(error).startswith("x")


@given(st.text(max_size=60).filter(lambda text: "`" not in text))
def test_fences_are_stripped_only_around_a_whole_reply(text: str) -> None:
    assert strip_fences(f"```json\n{text}\n```").strip() == text.strip()
    assert strip_fences(f"a ```json\n{text}\n``` b").startswith("a ```")


@pytest.mark.parametrize("read", [read_strict, read_repaired])
def test_five_megabytes_of_noise_are_refused_quickly(read: object) -> None:
    started = time.perf_counter()
    with pytest.raises(MalformedReply):
        read("{" * 10 + "word " * 1_000_000, Reply, "audit")  # type: ignore[operator]
    assert time.perf_counter() - started < 2
