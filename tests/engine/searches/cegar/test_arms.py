"""Ablations: each arm differs from the loop in one thing; what its gates ask for."""

from dataclasses import fields
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.searches.cegar.arms import CHANGES, Ablation, Arm, ablated
from evoscope.engine.searches.cegar.attempts import Limits
from evoscope.engine.searches.cegar.gate import novelty_gate, overlap_gate, recall_gate
from evoscope.engine.searches.cegar.metric import Score
from evoscope.engine.searches.cegar.verdicts import Member
from evoscope.engine.stats.sets import jaccard

MEMBERS = st.sets(st.integers(0, 12).map(lambda n: Member("t", n)))
CLASSES = st.sets(st.integers(0, 20).map(str))


def score(false_alarms: Fraction | None) -> Score:
    return Score(9, 0, 3, Fraction(1, 2), Fraction(1, 2), Fraction(1), 0, 0, 9, 5, false_alarms)


@pytest.mark.parametrize("name", get_args(Ablation))
def test_an_ablation_changes_one_thing_and_has_as_many_attempts(name: Ablation) -> None:
    limits = Limits(3, 2, 5, 40)
    arm, whole = ablated(name, limits), Arm(limits)
    changed = [f.name for f in fields(Arm) if getattr(arm, f.name) != getattr(whole, f.name)]
    assert len(changed) == 2 and "name" in changed
    assert arm.limits.attempts == limits.attempts
    assert (arm.limits.rounds, arm.limits.calls) == (limits.rounds, limits.calls)
    assert CHANGES[name]


def test_without_escalation_every_attempt_is_at_level_1() -> None:
    limits = ablated("level_1_only", Limits(3, 3)).limits
    assert [limits.level(attempt) for attempt in range(limits.attempts)] == [1] * 6


@given(MEMBERS, st.dictionaries(st.sampled_from("abc"), MEMBERS))
def test_novelty_refuses_exactly_what_one_of_the_pool_nearly_flags(
    flagged: set[Member], pool: dict[str, set[Member]]
) -> None:
    alike = [i for i in (jaccard(flagged, one) for one in pool.values()) if i is not None]
    assert novelty_gate(flagged, pool).admitted == all(i < Fraction(4, 5) for i in alike)


@given(MEMBERS, MEMBERS)
def test_overlap_refuses_exactly_what_the_pool_has_more_than_half_of(
    flagged: set[Member], taken: set[Member]
) -> None:
    ruling = overlap_gate(flagged, taken)
    assert ruling.admitted == (2 * len(flagged & taken) <= len(flagged))
    assert overlap_gate(flagged, set()).admitted


@given(CLASSES, CLASSES, st.fractions(0, 1))
def test_the_recall_floor_asks_for_three_tenths_of_missed_faults_and_few_alarms(
    missed: set[str], covered: set[str], alarms: Fraction
) -> None:
    ruling = recall_gate(missed, covered, score(alarms))
    enough = bool(missed) and 10 * len(missed & covered) >= 3 * len(missed)
    assert ruling.admitted == (enough and alarms <= Fraction(1, 50))


def test_the_recall_floor_admits_at_its_very_bounds() -> None:
    missed = {str(n) for n in range(10)}
    assert recall_gate(missed, {"0", "1", "2"}, score(Fraction(2, 100))).admitted
    assert not recall_gate(missed, {"0", "1"}, score(Fraction(0))).admitted
    assert not recall_gate(missed, missed, score(Fraction(201, 10_000))).admitted
