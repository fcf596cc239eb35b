"""The realism member's pass is code's, not the model's (checks.md, Votes and flags)."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.gates.realism import judge_realism
from evoscope.engine.model.harden import Dimension, RedFlag, Rubric

RUBRIC = Rubric(
    tuple(Dimension(f"D{k}", "n", "d", "high", "low", 4) for k in range(1, 5)),
    (RedFlag("R1", "table torn", True), RedFlag("R2", "bland words", False)),
    Fraction(4),
)


def reply(*scores: object, flags: Any = (), **more: object) -> str:
    named = {f"D{k}": score for k, score in enumerate(scores, start=1)}
    return json.dumps({"scores": named, "red_flags": list(flags), "pass": True, **more})


@pytest.mark.parametrize(
    "text",
    [
        reply(4, 4, 4, 4),
        reply(5, 5, 4, 4, flags=["R2"]),
        reply(4, 4, 4, 4, flags=["R9"]),
        reply(4, 4, 4, 4, D5=1),
        f"```json\n{reply(4, 4, 4, 4)}\n```",
        reply(4, 4, 4, 4).replace('"pass": true', '"pass": false'),
    ],
)
def test_scores_and_flags_alone_make_a_pass(text: str) -> None:
    assert judge_realism(text, RUBRIC).outcome == "pass"


@pytest.mark.parametrize(
    "text",
    [
        reply(5, 4, 4, 3),
        reply(5, 5, 5, 3),
        reply(4, 4, 4, 4, flags=["R1"]),
        reply(4.0, 4, 4, 4),
        reply("4", 4, 4, 4),
        reply(True, 4, 4, 4),
        reply(4, 4, 4),
        reply(4, 4, 4, None),
        reply(6, 4, 4, 4),
        reply(4, 4, 4, 4, flags=[1]),
        reply(4, 4, 4, 4, flags="R1").replace('["R", "1"]', '"R1"'),
        json.dumps({"scores": {"D1": 4, "D2": 4, "D3": 4, "D4": 4}, "pass": True}),
        "pass",
        f"I think: {reply(4, 4, 4, 4)}",
        '{"scores": {"D1": 1, "D1": 4, "D2": 4, "D3": 4, "D4": 4}, "red_flags": []}',
    ],
)
def test_anything_else_fails_whatever_the_model_says(text: str) -> None:
    assert judge_realism(text, RUBRIC).outcome == "fail"


def test_a_mean_that_equals_the_minimum_passes_exactly() -> None:
    rubric = Rubric(
        tuple(Dimension(f"D{k}", "n", "d", "h", "l", 3) for k in range(1, 4)),
        (),
        Fraction("3.7"),
    )
    assert not judge_realism(reply(3, 4, 4), rubric).passed
    assert judge_realism(reply(3, 4, 5), rubric).passed


def test_true_is_no_score_of_one() -> None:
    lenient = Rubric((Dimension("D1", "n", "d", "h", "l", 1),), (), Fraction(1))
    assert judge_realism(reply(1), lenient).passed
    assert not judge_realism(reply(True), lenient).passed


@given(st.lists(st.integers(1, 5), min_size=4, max_size=4), st.sets(st.sampled_from(["R1", "R2"])))
def test_the_pass_is_the_rubrics_rule(scores: list[int], flags: set[str]) -> None:
    ruling = judge_realism(reply(*scores, flags=sorted(flags)), RUBRIC)
    assert ruling.passed == (min(scores) >= 4 and "R1" not in flags)
    assert ruling.detail is not None
