"""Hold, release, drain, and being cancelled at any await."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.config import Limits
from evoscope.engine.errors import ErrorClass, ProviderError
from evoscope.engine.model.llm import Request
from tests.engine.calls.scripted import (
    NOTHING_LEFT,
    PRICE,
    ScriptedProvider,
    Shop,
    now,
    overloaded,
    rate_limit,
)
from tests.virtual_time import run_virtual


def test_a_hold_lets_nothing_leave_and_what_is_in_flight_finish() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(latency_s=1.0), Limits(concurrency=4), commit_s=0.1)
        tasks = [shop.buy(n) for n in range(20)]
        await asyncio.sleep(0.5)
        shop.buyer.hold()
        assert shop.buyer.snapshot().in_flight == 4
        assert await shop.buyer.drain(60) == 0
        assert now() == pytest.approx(1.2)  # one second, and the commit before and after it
        assert len(shop.ledger.settled) == 4
        await asyncio.sleep(3600)
        assert len(shop.provider.sent_at) == 4 and len(shop.ledger.intents) == 8
        shop.buyer.release()
        await asyncio.gather(*tasks)
        assert len(shop.ledger.settled) == 20

    run_virtual(main())


def test_drain_says_how_many_are_left_when_the_time_is_up() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(latency_s=100), Limits(concurrency=3))
        tasks = [shop.buy(n) for n in range(5)]
        await asyncio.sleep(1)
        shop.buyer.hold()
        assert await shop.buyer.drain(20) == 3
        assert now() == pytest.approx(21)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert await shop.buyer.drain(1) == 0

    run_virtual(main())


def test_a_hold_now_cuts_off_what_is_in_flight_counts_it_and_sends_it_again_later() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(latency_s=10), Limits(concurrency=3))
        tasks = [shop.buy(n) for n in range(5)]
        await asyncio.sleep(1)
        shop.buyer.hold(now=True)
        await asyncio.sleep(0.001)
        assert shop.provider.in_flight == shop.buyer.snapshot().in_flight == 0
        rows = [row for _, row in shop.ledger.rows]
        assert [(row.outcome, row.maybe_paid) for row in rows] == [("ambiguous", True)] * 3
        await asyncio.sleep(3600)
        assert len(shop.provider.sent_at) == 3
        shop.buyer.release()
        await asyncio.gather(*tasks)
        assert len(shop.ledger.settled) == 5 and len(shop.provider.sent_at) == 8
        assert shop.buyer.snapshot().lanes[0].errors == {}

    run_virtual(main())


def test_the_deadline_stands_still_in_a_pause() -> None:
    async def main() -> None:
        provider = ScriptedProvider(script=lambda _p, _r, n: overloaded() if n < 3 else None)
        shop = Shop(provider, deadline_s=30)
        task = shop.buy(1)
        await asyncio.sleep(0.7)
        shop.buyer.hold()
        await asyncio.sleep(86_400)
        shop.buyer.release()
        assert (await task).text == "answer"

    run_virtual(main())


def test_holding_and_releasing_twice_changes_nothing() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider())
        shop.buyer.hold()
        shop.buyer.hold()
        shop.buyer.release()
        shop.buyer.release()
        await shop.buy(1)

    run_virtual(main())


@given(
    seed=st.integers(0, 10**9),
    concurrency=st.integers(1, 6),
    budget=st.sampled_from([None, "0.02", "0.1"]),
    free=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_cancelling_at_any_await_leaves_every_counter_right(
    seed: int, concurrency: int, budget: str | None, free: bool
) -> None:
    draw = random.Random(seed)
    errors = [
        rate_limit(),
        rate_limit(2.0),
        overloaded(),
        ProviderError(ErrorClass.TRANSIENT, "cut", maybe_paid=True),
        ProviderError(ErrorClass.PERMANENT, "bad", status=400),
        ProviderError(ErrorClass.ROUTE_MISMATCH, "elsewhere"),
        ProviderError(ErrorClass.SPEND_LIMIT, "enough"),
    ]

    def script(_p: ScriptedProvider, _r: Request, _n: int) -> ProviderError | None:
        return draw.choice(errors) if draw.random() < 0.4 else None

    async def disturb(shop: Shop, tasks: "list[asyncio.Task[object]]") -> None:
        for _ in range(30):
            await asyncio.sleep(draw.choice([0.0, 0.0, 0.01, 0.1, 0.3, 5.0]))
            action = draw.randrange(6)
            if action <= 2:
                draw.choice(tasks).cancel()
            elif action == 3:
                shop.buyer.hold(now=draw.random() < 0.5)
            elif action == 4:
                shop.buyer.release()
            else:
                shop.buyer.retune("p", draw.randint(1, 8))

    async def main() -> None:
        provider = ScriptedProvider(
            latency_s=draw.choice([0.0, 0.1, 0.5]), script=script, free=free
        )
        shop = Shop(
            provider,
            Limits(concurrency=concurrency),
            budget=budget,
            commit_s=draw.choice([0.0, 0.1]),
            price=None if free else PRICE,
        )
        tasks: list[asyncio.Task[object]] = [shop.buy(n, draw.randrange(3)) for n in range(25)]
        await disturb(shop, tasks)
        shop.buyer.hold()
        await shop.buyer.drain(100)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert shop.settled_counters() == NOTHING_LEFT
        assert provider.in_flight == 0
        assert await shop.buyer.drain(0) == 0
        settled = [row for _, row in shop.ledger.rows if row.outcome == "completed"]
        maybe = [row.estimate or 0 for _, row in shop.ledger.rows if row.maybe_paid]
        assert shop.budget.maybe_paid == sum(maybe)
        assert (shop.budget.spent > 0) == (bool(settled) and not free)
        assert len(shop.ledger.rows) == len(provider.sent_at)
        provider.script = lambda _p, _r, _n: None
        shop.budget.set_limit(None)
        shop.buyer.release()
        await asyncio.gather(*(shop.buy(n) for n in range(100, 110)))
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())
