"""The lossless savings, alone and together: fewer calls, and not one verdict or choice other."""

import asyncio
from collections import Counter
from functools import cache
from typing import Any

import pytest

from evoscope.engine.model.core import Verdict
from evoscope.engine.model.harden import CaseResult
from evoscope.engine.searches.harden.search import run
from tests.engine.searches.harden.memory_context import MemoryContext, Store
from tests.engine.searches.harden.models import Scripted, harder_with_notes, setup, uniform

CASES = 64
OFF = {"racing": False, "vote_stopping": False, "futility": False}


def accuracy(text: str) -> float:
    """Half of the topics are easy, some so hard that the futility skip applies."""
    level = uniform("level", text.split("topic ")[1].split("\n")[0])
    return harder_with_notes(text) - (0.75 if level < 0.15 else 0.0)


@cache
def searched(**settings: Any) -> tuple[Store, dict[str, CaseResult], Counter[str]]:
    context = MemoryContext(Scripted(accuracy, audit_rate=0.75, realism_rate=0.8), parallel=64)
    asyncio.run(run(context, setup(CASES, **{**OFF, "generations": 2, "survivors": 2, **settings})))
    assert not context.parked
    results = {
        unit: CaseResult.from_json(result)
        for unit, result in context.store.results.items()
        if unit != "domain"
    }
    return context.store, results, Counter(slot.split("|")[1] for slot in context.bought)


@pytest.fixture(scope="module")
def paper() -> tuple[Store, dict[str, CaseResult], Counter[str]]:
    return searched()


def choices(store: Store, skipped: set[str]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Survivors, parents and promotions of all cases but the futile ones."""
    kinds = ("select", "promote", "keep")
    return [
        (d.unit, d.step, d.chosen)
        for kind in kinds
        for d in store.decisions(kind)
        if d.unit not in skipped
    ]


def gates(store: Store, skipped: set[str]) -> dict[tuple[str, str], str]:
    """The outcome of every gate for every node, rollouts aside: racing has none for some."""
    return {
        (v.node, v.gate): v.outcome
        for v in store.all(Verdict)
        if v.vote is None and v.gate != "rollouts" and v.unit not in skipped
    }


@pytest.mark.parametrize(
    "switch",
    [{"racing": True}, {"vote_stopping": True}, {"futility": True},
     {"racing": True, "vote_stopping": True, "futility": True}],
    ids=["racing", "vote stopping", "futility", "all"],
)  # fmt: skip
def test_savings_change_no_gate_no_survivor_no_parent_no_promotion(
    switch: dict[str, bool], paper: tuple[Store, dict[str, CaseResult], Counter[str]]
) -> None:
    store, results, calls = searched(**switch)
    base_store, base, base_calls = paper
    futile = {unit for unit, result in results.items() if result.status == "unimprovable"}
    assert choices(store, futile) == choices(base_store, futile)
    assert gates(store, futile) == gates(base_store, futile)
    for unit, result in results.items():
        assert result.final == base[unit].final
        assert unit in futile or (result.axes, result.survivors) == (
            base[unit].axes, base[unit].survivors,
        )  # fmt: skip
    assert base_calls.total() > calls.total()
    share = 1 - calls.total() / base_calls.total()
    print(f"{sorted(switch)}: {base_calls.total()} -> {calls.total()} calls, {share:.1%} saved")
    if switch.get("futility"):
        assert 3 <= len(futile) <= 20


def test_each_saving_counts_exactly_the_calls_it_left_out(
    paper: tuple[Store, dict[str, CaseResult], Counter[str]],
) -> None:
    base = paper[2]
    store, results, calls = searched(racing=True)
    saved = sum(r.saved_by_racing for r in results.values())
    assert saved == base["rollout"] - calls["rollout"] > 0
    assert store.tally("saved", "calls") == saved + sum(r.saved_greedy for r in results.values())
    _, results, calls = searched(vote_stopping=True)
    votes = ("audit", "realism", "final_audit")
    saved = sum(r.saved_by_vote_stopping for r in results.values())
    assert saved == sum(base[p] - calls[p] for p in votes) > 0


def test_the_greedy_completion_is_bought_for_originals_and_promoted_cases_only(
    paper: tuple[Store, dict[str, CaseResult], Counter[str]],
) -> None:
    _, results, calls = paper
    hardened = sum(r.status == "hardened" for r in results.values())
    assert 0 < hardened < CASES
    assert calls["greedy"] == CASES + hardened
    candidates = calls["rollout"] // 10 - CASES
    assert sum(r.saved_greedy for r in results.values()) == candidates - hardened
