"""Verifier induction: what it commissions against, and its rule of admission."""

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.searches.cegar.gate import induction_gate
from evoscope.engine.searches.cegar.induction import drawn
from evoscope.engine.searches.cegar.metric import Score
from evoscope.engine.searches.cegar.settings import CegarSettings
from evoscope.engine.searches.cegar.training import Labelled
from tests.engine.searches.cegar.small import split

CODES = tuple(f"def f(x):\n    return x + {n}\n" for n in range(20))


def score(caught: int, alarms: int) -> Score:
    none = Fraction(0)
    return Score(9, 0, 3, none, none, none, 0, 0, caught + alarms, caught, None)


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_check_needs_three_true_positives_at_a_precision_of_a_half(
    caught: int, alarms: int
) -> None:
    assert induction_gate(score(caught, alarms)).admitted == (caught >= 3 and caught >= alarms)


def desk(sample: int = 8, characters: int = 60_000, seed: int = 42) -> Any:
    """All that drawing a sample reads: 20 programs of one task, 8 wrong, the last four not in V."""
    task = split().tasks[0]
    training = Labelled(
        (task,), {task.id: CODES}, (tuple(n < 16 for n in range(20)),),
        (tuple(n >= 8 for n in range(20)),), (), "e", everything=True,
    )  # fmt: skip
    settings = CegarSettings(induction_sample=sample, prompt_characters=characters)
    return SimpleNamespace(
        training=training, setup=SimpleNamespace(settings=settings), ctx=SimpleNamespace(seed=seed)
    )


def test_a_sample_is_balanced_and_drawn_anew_for_every_candidate() -> None:
    lots = []
    for number in range(30):
        wrong, right = drawn(desk(), 1, number)
        assert len(wrong) == len(right) == 4
        assert not any(one.correct for one in wrong) and all(one.correct for one in right)
        assert all(one.member.sample < 16 for one in (*wrong, *right))
        lots.append(frozenset(one.member for one in (*wrong, *right)))
    assert len(set(lots)) > 25
    often = Counter(member for lot in lots for member in lot)
    assert len(often) == 16 and max(often.values()) < 30
    assert drawn(desk(), 1, 0) == drawn(desk(), 1, 0)
    assert drawn(desk(), 1, 0) != drawn(desk(), 2, 0) != drawn(desk(seed=43), 2, 0)


@pytest.mark.parametrize("characters", [1000, 1500])
def test_a_sample_that_is_too_long_stays_balanced_and_fits(characters: int) -> None:
    long = desk(16, characters)
    name = long.training.tasks[0].id
    object.__setattr__(long.training, "samples", {name: tuple(c + "#" * 300 for c in CODES)})
    wrong, right = drawn(long, 1, 0)
    assert sum(len(one.code) for one in (*wrong, *right)) <= characters
    assert abs(len(wrong) - len(right)) <= 1 and wrong and right


def test_of_a_rare_class_all_are_shown() -> None:
    wrong, right = drawn(desk(40), 1, 0)
    assert len(wrong) == 8 and len(right) == 8
