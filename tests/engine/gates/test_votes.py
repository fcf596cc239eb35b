"""Vote stopping: fewer calls, never another outcome (checks.md, Votes)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.gates.votes import VoteRule, next_votes, passed, passes_needed


def cast_until_decided(script: list[bool], needed: int) -> list[bool]:
    cast: list[bool] = []
    while numbers := next_votes(cast, len(script), needed, stopping=True):
        assert numbers.start == len(cast)
        cast += [script[number] for number in numbers]
    return cast


@pytest.mark.parametrize(
    ("script", "calls", "outcome"),
    [
        ([True, True, False], 2, True),
        ([False, False, True], 2, False),
        ([True, False, True], 3, True),
        ([True, False, False], 3, False),
    ],
)
def test_a_third_vote_is_asked_for_only_where_the_first_two_differ(
    script: list[bool], calls: int, outcome: bool
) -> None:
    cast = cast_until_decided(script, passes_needed(3, "majority"))
    assert (len(cast), passed(cast, 2)) == (calls, outcome)


def test_a_majority_is_more_than_half() -> None:
    assert [passes_needed(k, "majority") for k in range(1, 7)] == [1, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("rule", ["majority", "unanimity"])
def test_stopping_agrees_with_full_voting_on_every_script(rule: VoteRule) -> None:
    for votes in range(1, 8):
        needed = passes_needed(votes, rule)
        for script in product([True, False], repeat=votes):
            cast = cast_until_decided(list(script), needed)
            assert passed(cast, needed) == passed(script, needed)


def test_unanimity_stops_at_the_first_that_is_no_pass() -> None:
    for first in range(5):
        script = [True] * first + [False] + [True] * (4 - first)
        assert len(cast_until_decided(script, passes_needed(5, "unanimity"))) == first + 1


@given(st.lists(st.booleans(), min_size=1, max_size=15))
def test_nothing_is_asked_that_the_outcome_did_not_need(script: list[bool]) -> None:
    needed = passes_needed(len(script), "majority")
    cast = cast_until_decided(script, needed)
    open_before_last = cast[:-1]
    passes = sum(open_before_last)
    assert passes < needed <= passes + len(script) - len(open_before_last)


def test_without_stopping_all_votes_are_cast_at_once() -> None:
    assert list(next_votes([], 3, 2, stopping=False)) == [0, 1, 2]
    assert not next_votes([True] * 3, 3, 2, stopping=False)
