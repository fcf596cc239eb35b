"""Reservations, sums, the limit and its pause."""

import asyncio
import random
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.calls.budget import Budget, Estimate
from evoscope.engine.config import Limits
from evoscope.engine.errors import (
    CallFailed,
    CallOpen,
    ConfigError,
    ErrorClass,
    ProviderError,
    RunPaused,
)
from evoscope.engine.model.llm import Request, Usage
from tests.engine.calls.scripted import NOTHING_LEFT, ScriptedProvider, Shop, slot
from tests.virtual_time import run_virtual

CALL = Decimal("0.002")
"""1,000 tokens in at $1 and 500 out at $2 a million."""

RESERVE = Decimal("0.003")
"""The same with the whole output limit of 1,000 tokens."""


def test_a_call_is_reserved_at_its_limit_and_settled_at_its_usage() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), budget="1")
        task = shop.buy(1)
        await asyncio.sleep(0.1)
        assert shop.budget.state().reserved == RESERVE
        assert shop.ledger.estimates[slot(1).key] == RESERVE
        completion = await task
        assert (completion.cost, completion.cost_source) == (CALL, "price table")
        assert (shop.budget.spent, shop.budget.state().reserved) == (CALL, Decimal(0))

    run_virtual(main())


def test_after_twenty_outputs_the_95th_percentile_is_reserved() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), Limits(concurrency=1))
        shop.buyer.estimator.observe("task", "m", range(10, 200, 10))
        assert await _reserve(shop, 1) == RESERVE  # nineteen known
        # now known: 10, 20, ..., 190 and one of 500; the 95th percentile of twenty is the 19th
        assert await _reserve(shop, 2) == Decimal("0.001") + 190 * Decimal("0.000002")
        shop.buyer.estimator.observe("task", "m", [5000] * 20)
        assert await _reserve(shop, 3) == RESERVE  # never above the request's own limit

    run_virtual(main())


async def _reserve(shop: Shop, n: int) -> Decimal | None:
    await shop.buy(n)
    return shop.ledger.estimates[slot(n).key]


def test_reaching_the_limit_pauses_before_sending_and_raising_it_resumes() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), Limits(concurrency=4), budget="0.0205")
        tasks = [shop.buy(n) for n in range(20)]
        await asyncio.sleep(3600)
        assert shop.budget.committed <= Decimal("0.0205")
        assert len(shop.ledger.settled) == 9  # 9 cost 0.018; a tenth might cost 0.021
        assert [(t.kind, t.pause) for t in shop.troubles if t.pause] == [("budget", True)]
        paused = [task for task in tasks if task.done() and task.exception()]
        assert [type(task.exception()) for task in paused] == [RunPaused]
        assert "evoscope set" in str(paused[0].exception())
        shop.budget.set_limit(Decimal("1"))
        shop.buyer.release()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(shop.ledger.settled) == 19
        assert shop.budget.spent == 19 * CALL
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


def test_reaching_the_limit_stops_every_lane_at_once() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), Limits(concurrency=2), budget="0.0045")
        tasks = [shop.buy(n, model="mn"[n % 2]) for n in range(10)]
        await asyncio.sleep(3600)
        raised = [task.exception() for task in tasks if task.done() and task.exception()]
        assert [type(error) for error in raised] == [RunPaused]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(main())


def test_room_made_by_one_provider_lets_the_others_calls_go_on() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), budget="0.0055")
        await asyncio.gather(shop.buy(1), shop.buy(2, provider="q"))
        assert shop.provider.sent_at == [0.0, 0.5]
        assert not [t for t in shop.troubles if t.pause]

    run_virtual(main())


def test_calls_wait_while_settling_may_still_make_room() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), Limits(concurrency=4), budget="0.0091")
        await asyncio.gather(*(shop.buy(n) for n in range(4)))  # three at once, then the fourth
        assert not [t for t in shop.troubles if t.pause]
        assert shop.provider.peak == 3

    run_virtual(main())


def test_four_fifths_of_the_budget_are_told_once() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), budget="0.05")
        await asyncio.gather(*(shop.buy(n) for n in range(23)))
        assert [(t.kind, t.pause) for t in shop.troubles] == [("budget_80", False)]

    run_virtual(main())


def test_a_timed_out_attempt_counts_at_its_estimate_and_a_refused_one_as_nothing() -> None:
    async def main() -> None:
        errors = [
            ProviderError(ErrorClass.TRANSIENT, "cut", maybe_paid=True),
            ProviderError(ErrorClass.TRANSIENT, "refused", maybe_paid=False),
        ]
        provider = ScriptedProvider(script=lambda _p, _r, n: errors[n] if n < 2 else None)
        shop = Shop(provider)
        await shop.buy(1)
        assert (shop.budget.spent, shop.budget.maybe_paid) == (CALL, RESERVE)
        assert [row.maybe_paid for _, row in shop.ledger.rows] == [True, False, False]
        assert shop.ledger.rows[0][1].estimate == RESERVE

    run_virtual(main())


def test_overshoot_is_the_worst_case_above_the_limit() -> None:
    budget = Budget(Decimal(10))
    budget.restore(Decimal(8), Decimal(1))
    assert budget.reserve(Estimate(Decimal("0.5"), Decimal(4))) is not None
    assert budget.state().overshoot == 3


def test_a_budget_refuses_to_start_with_an_unknown_price() -> None:
    async def main() -> None:
        with pytest.raises(ConfigError, match=r"models\.task \(m\).*price"):
            Shop(ScriptedProvider(), budget="1", price=None)

    run_virtual(main())


def test_an_unknown_price_is_counted_as_unknown_and_never_as_nothing() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), price=None)
        completion = await shop.buy(1)
        assert (completion.cost, completion.cost_source) == (None, "unknown")
        assert (shop.budget.unknown, shop.budget.spent) == (1, Decimal(0))

    run_virtual(main())


def test_unreported_usage_counts_at_the_estimate() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(usage=Usage()))
        completion = await shop.buy(1)
        assert completion.cost is None
        assert shop.budget.maybe_paid == RESERVE

    run_virtual(main())


@given(
    st.lists(
        st.sampled_from(["paid", "late", "refused", "bad", "route", "cut"]), min_size=1, max_size=60
    ),
    st.integers(1, 12),
    st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_sums_are_exact_under_concurrency(kinds: list[str], concurrency: int, seed: int) -> None:
    errors = {
        "late": ProviderError(ErrorClass.TRANSIENT, "late", maybe_paid=True),
        "refused": ProviderError(ErrorClass.RATE_LIMIT, "no", status=429),
        "bad": ProviderError(ErrorClass.PERMANENT, "bad", status=400),
        "route": ProviderError(ErrorClass.ROUTE_MISMATCH, "elsewhere"),
        "cut": ProviderError(ErrorClass.TRANSIENT, "cut", maybe_paid=True),
    }

    async def main() -> None:
        draw = random.Random(seed)
        provider = ScriptedProvider(
            latency_s=draw.choice([0.0, 0.01, 1.0]),
            script=lambda _p, _r, n: errors.get(kinds[n]) if n < len(kinds) else None,
        )
        shop = Shop(provider, Limits(concurrency=concurrency), pause_after=10**6)
        calls = len(kinds) // 2 + 1
        results = await asyncio.gather(*(shop.buy(n) for n in range(calls)), return_exceptions=True)
        assert {type(r) for r in results if isinstance(r, Exception)} <= {CallFailed, CallOpen}
        used = kinds[: len(provider.sent_at)]
        attempts = len(shop.ledger.rows)
        assert attempts == len(provider.sent_at)
        paid = sum(row.outcome == "completed" for _, row in shop.ledger.rows)
        assert shop.budget.spent == paid * CALL
        maybe = sum(kind in ("late", "route", "cut") for kind in used)
        assert sum(row.maybe_paid for _, row in shop.ledger.rows) == maybe
        estimates = [row.estimate or 0 for _, row in shop.ledger.rows if row.maybe_paid]
        assert shop.budget.maybe_paid == sum(estimates)
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


@given(st.decimals("0.001", "0.2", places=4), st.integers(1, 16), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_the_limit_is_never_passed_where_estimates_hold(
    limit: Decimal, concurrency: int, seed: int
) -> None:
    draw = random.Random(seed)

    def script(_p: ScriptedProvider, _r: Request, _n: int) -> ProviderError | None:
        late = draw.random() < 0.3
        return ProviderError(ErrorClass.TRANSIENT, "late", maybe_paid=True) if late else None

    async def main() -> None:
        shop = Shop(
            ScriptedProvider(script=script, latency_s=0.1),
            Limits(concurrency=concurrency),
            budget=str(limit),
            pause_after=10**6,
        )
        tasks = [shop.buy(n) for n in range(120)]
        await asyncio.sleep(10_000)
        assert shop.budget.committed <= limit
        assert shop.budget.committed + RESERVE > limit or all(task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())
