"""The forecast of calls: never below what a run asks, and what its maximum means."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from evoscope.engine.searches.harden.plan import call_plan, expected_votes
from evoscope.engine.searches.harden.search import run
from tests.engine.searches.harden.memory_context import MemoryContext
from tests.engine.searches.harden.models import Scripted, harder_with_notes, setup

MODEL_ROLES = {
    "analysis": "analysis", "rubric": "analysis", "mutation": "mutation", "extraction": "gates",
    "audit": "gates", "realism": "gates", "task": "task",
}  # fmt: skip


@pytest.mark.parametrize(
    "settings", [{}, {"racing": False, "vote_stopping": False, "futility": False}, {"votes": 5}]
)
def test_no_run_asks_more_than_the_plan_says_at_most(settings: dict[str, Any]) -> None:
    of = setup(6, **settings)
    context = MemoryContext(Scripted(harder_with_notes, 1.0, 1.0))
    asyncio.run(run(context, of))
    asked = Counter(request.role for request, _ in context.store.calls.values())
    plans = {plan.role: plan for plan in call_plan(of, 42)}
    assert {role: plan.model_role for role, plan in plans.items()} == MODEL_ROLES
    for role, plan in plans.items():
        assert asked[role] <= plan.max
        assert plan.expected <= plan.max
        assert plan.input_tokens > 0 and plan.output_tokens > 0


def test_the_papers_run_is_forecast_in_its_order_of_magnitude() -> None:
    paper = setup(
        200, generations=4, offspring=11, survivors=5, racing=False, vote_stopping=False,
        futility=False, final_audit=False,
    )  # fmt: skip
    plans = {plan.role: plan for plan in call_plan(paper, 42)}
    assert plans["mutation"].expected == 200 * 4
    assert plans["audit"].max == plans["realism"].max == 200 * 44 * 3
    assert 200 * 44 * 10 / 3 < plans["task"].expected < plans["task"].max
    assert plans["task"].max == 200 * (44 * 10 + 32)


def test_a_users_own_axes_and_rubric_are_not_asked_for() -> None:
    own = replace(setup(2), axes_text="{}", rubric_text="{}")
    plans = {plan.role: plan for plan in call_plan(own, 42)}
    assert (plans["analysis"].max, plans["rubric"].max) == (0, 0)


def test_savings_lower_the_expectation_only() -> None:
    assert expected_votes(3, stopping=False) == 3
    assert 2 <= expected_votes(3, stopping=True) < 3
    saving, none = call_plan(setup(9), 42), call_plan(setup(9, racing=False, futility=False), 42)
    for a, b in zip(saving, none, strict=True):
        assert a.expected <= b.expected
        assert a.max == b.max
