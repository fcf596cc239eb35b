"""Queues, limits and order, in virtual time."""

import asyncio

import pytest

from evoscope.engine.calls.state import LaneState
from evoscope.engine.config import Limits
from evoscope.engine.errors import ProviderError
from evoscope.engine.model.llm import Usage
from tests.engine.calls.scripted import (
    NOTHING_LEFT,
    ScriptedProvider,
    Shop,
    now,
    overloaded,
    rate_limit,
)
from tests.virtual_time import run_virtual


def lane(shop: Shop) -> LaneState:
    return shop.buyer.snapshot().lanes[0]


@pytest.mark.parametrize(("concurrency", "latency_s"), [(1, 0.1), (3, 0.2), (16, 0.5), (40, 0.01)])
def test_concurrency_never_exceeds_the_limit_and_uses_it(
    concurrency: int, latency_s: float
) -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(latency_s=latency_s), Limits(concurrency=concurrency))
        await asyncio.gather(*(shop.buy(n) for n in range(concurrency * 6)))
        assert shop.provider.peak == concurrency
        assert len(shop.ledger.settled) == concurrency * 6
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


@pytest.mark.parametrize("commit_s", [0.0, 0.02])
def test_throughput_reaches_92_percent_of_ideal_at_64_by_half_a_second(commit_s: float) -> None:
    async def main() -> float:
        shop = Shop(ScriptedProvider(latency_s=0.5), Limits(concurrency=64), commit_s=commit_s)
        calls = 64 * 20
        await asyncio.gather(*(shop.buy(n) for n in range(calls)))
        return calls / 64 * 0.5 / now()

    assert run_virtual(main()) >= 0.92


def test_two_models_share_their_providers_concurrency() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), Limits(concurrency=4))
        await asyncio.gather(*(shop.buy(n, model="mn"[n % 2]) for n in range(32)))
        assert shop.provider.peak == 4
        assert len(shop.buyer.snapshot().lanes) == 2

    run_virtual(main())


def test_lower_priorities_leave_first_and_arrival_breaks_ties() -> None:
    async def main() -> list[str]:
        shop = Shop(ScriptedProvider(), Limits(concurrency=1))
        first = shop.buy(0)
        await asyncio.sleep(0.1)
        rest = [shop.buy(n, priority=p) for n, p in ((1, 5), (2, 1), (3, 3), (4, 1), (5, 0))]
        await asyncio.gather(first, *rest)
        return shop.provider.order

    # call 1 had come near (its intent written) before the others arrived
    assert run_virtual(main()) == [f"case {n}" for n in (0, 1, 5, 2, 4, 3)]


def test_at_most_one_limits_worth_of_intents_is_written_ahead() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(latency_s=1.0), Limits(concurrency=4))
        tasks = [shop.buy(n) for n in range(40)]
        await asyncio.sleep(0.5)
        assert shop.provider.in_flight == 4
        assert len(shop.ledger.intents) == 8
        await asyncio.gather(*tasks)

    run_virtual(main())


def test_a_free_provider_writes_no_intent() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(free=True))
        await asyncio.gather(*(shop.buy(n) for n in range(20)))
        assert shop.ledger.intents == shop.ledger.sent_slots == []
        assert len(shop.ledger.settled) == 20

    run_virtual(main())


def test_the_intent_stands_before_the_request_leaves() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(), commit_s=0.2)
        await shop.buy(1)
        assert shop.provider.sent_at == [pytest.approx(0.2)]
        assert shop.ledger.intents == shop.ledger.sent_slots == [next(iter(shop.ledger.settled))]

    run_virtual(main())


def test_rate_limits_cut_and_the_limit_recovers_without_losing_a_call() -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=0.2, capacity=20)
        shop = Shop(provider, Limits(concurrency=64))
        await asyncio.gather(*(shop.buy(n) for n in range(3000)))
        limited = sum(row.outcome == "rate_limit" for _, row in shop.ledger.rows)
        assert len(shop.ledger.settled) == 3000
        assert 0 < limited < 150
        assert 3000 / 20 * 0.2 / now() > 0.75  # of what the server itself can do
        assert 10 <= lane(shop).limit <= 24

    run_virtual(main())


def test_one_burst_of_rate_limits_is_one_cut() -> None:
    async def main() -> None:
        provider = ScriptedProvider(script=lambda _p, _r, n: rate_limit() if n < 16 else None)
        shop = Shop(provider, Limits(concurrency=16))
        tasks = [shop.buy(n) for n in range(16)]
        await asyncio.sleep(0.50001)
        assert lane(shop).limit == 11
        await asyncio.gather(*tasks)

    run_virtual(main())


def test_retry_after_does_not_stretch_the_cooldown_of_a_cut() -> None:
    async def main() -> None:
        def script(_p: object, _r: object, n: int) -> ProviderError | None:
            return rate_limit(60.0) if n == 0 else rate_limit() if now() < 3.4 else None

        shop = Shop(ScriptedProvider(latency_s=0.3, script=script), Limits(concurrency=16))
        tasks = [shop.buy(n) for n in range(200)]
        await asyncio.sleep(3.5)
        assert lane(shop).limit <= 6  # cut again and again, long before the minute is over
        await asyncio.gather(*tasks)

    run_virtual(main())


def test_server_errors_hold_growth_and_never_cut() -> None:
    async def main() -> None:
        def script(_p: object, _r: object, n: int) -> ProviderError | None:
            return overloaded() if n % 3 == 0 else None

        shop = Shop(ScriptedProvider(script=script), Limits(concurrency=64))
        tasks = [shop.buy(n) for n in range(400)]
        seen = set()
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0.25)
            seen.add(lane(shop).limit)
        assert seen == {32}

    run_virtual(main())


@pytest.mark.parametrize("per_minute", [1, 7, 60, 600])
def test_no_minute_sees_more_requests_than_the_user_allows(per_minute: int) -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=0.05)
        shop = Shop(provider, Limits(concurrency=50, requests_per_minute=per_minute))
        calls = 3 * per_minute
        await asyncio.gather(*(shop.buy(n) for n in range(calls)))
        times = provider.sent_at
        windows = (sum(t <= other < t + 60 - 1e-6 for other in times) for t in times)
        assert max(windows) <= per_minute
        assert now() < 60 * calls / per_minute * 1.06

    run_virtual(main())


def test_stated_tokens_per_minute_hold_and_estimates_are_corrected() -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=0.05, usage=Usage(input=900, output=100))
        shop = Shop(provider, Limits(concurrency=50, tokens_per_minute=60_000))
        await asyncio.gather(*(shop.buy(n) for n in range(300)))
        # 300 calls of 1,000 real tokens: five minutes and the twentieth kept for bursts, though
        # each was estimated at 2,000
        assert 290 <= now() <= 320

    run_virtual(main())


def test_a_large_request_is_not_starved_by_small_ones_of_another_model() -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=0.05, input_tokens={"m": 1000, "n": 10})
        provider.usage = Usage()
        shop = Shop(provider, Limits(concurrency=50, tokens_per_minute=6000))
        small = [shop.buy(n, model="n", max_tokens=10) for n in range(20)]
        await asyncio.sleep(0.1)
        large = shop.buy(99)
        small += [shop.buy(n, priority=1, model="n", max_tokens=10) for n in range(100, 400)]
        await large
        assert now() < 10
        await asyncio.gather(*small)

    run_virtual(main())


def test_a_header_budget_that_is_used_up_waits_for_its_reset() -> None:
    async def main() -> None:
        headers = {
            "anthropic-ratelimit-requests-limit": "50",
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2026-11-29T12:00:40Z",
            "date": "Sun, 29 Nov 2026 12:00:10 GMT",
        }
        provider = ScriptedProvider(headers=headers)
        shop = Shop(provider, Limits(concurrency=1))
        await shop.buy(0)
        provider.headers = {}
        await shop.buy(1)
        # a fiftieth of the bucket is back after a fiftieth of the thirty seconds
        assert provider.sent_at == [0.0, pytest.approx(0.5 + 30 / 50)]

    run_virtual(main())


def test_a_new_ceiling_takes_effect_at_once_and_lets_the_surplus_finish() -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=1.0)
        shop = Shop(provider, Limits(concurrency=8))
        tasks = [shop.buy(n) for n in range(60)]
        await asyncio.sleep(0.5)
        shop.buyer.retune("p", 2)
        await asyncio.sleep(1.0)
        assert provider.in_flight == 2 and provider.ended == 8
        shop.buyer.retune("p", 12)
        provider.peak = 0
        await asyncio.gather(*tasks)
        assert 8 < provider.peak <= 12

    run_virtual(main())


def test_the_snapshot_says_what_is_going_on() -> None:
    async def main() -> None:
        def script(_p: object, _r: object, n: int) -> ProviderError | None:
            return rate_limit(30.0) if n == 0 else None

        shop = Shop(ScriptedProvider(script=script), Limits(concurrency=2))
        tasks = [shop.buy(n) for n in range(5)]
        await asyncio.sleep(0.75)
        state = shop.buyer.snapshot()
        assert (state.in_flight, state.retrying, state.retries) == (1, 1, 1)
        assert state.in_flight + state.waiting + state.retrying + len(shop.ledger.settled) == 5
        assert state.next_retry_s is not None and 29 < state.next_retry_s < 31
        assert state.next_retry_reason == "slow down"
        assert lane(shop).errors == {"rate_limit": 1}
        await asyncio.gather(*tasks)
        assert lane(shop).per_minute == 5

    run_virtual(main())
