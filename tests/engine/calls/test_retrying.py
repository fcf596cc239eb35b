"""What each class of failure does to a call, in virtual time."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.calls.retry import backoff_s
from evoscope.engine.config import Limits
from evoscope.engine.errors import CallFailed, CallOpen, ErrorClass, ProviderError, RunPaused
from evoscope.engine.model.llm import Finish, Request
from evoscope.engine.providers.wire_errors import retry_after
from tests.engine.calls.scripted import (
    NOTHING_LEFT,
    Script,
    ScriptedProvider,
    Shop,
    now,
    overloaded,
    rate_limit,
    slot,
)
from tests.virtual_time import run_virtual


def failing(*errors: ProviderError) -> Script:
    """The first attempts fail so, the rest succeed."""
    return lambda _p, _r, n: errors[n] if n < len(errors) else None


def always(error: ProviderError) -> Script:
    return lambda _p, _r, _n: error


def permanent(status: int, reason: str = "") -> ProviderError:
    return ProviderError(ErrorClass.PERMANENT, "no", status=status, reason=reason)


@pytest.mark.parametrize(
    ("asked_s", "low", "high"),
    [(89.0, 89.0, 89.5), (0.0, 0.0, 0.5), (120.0, 120.0, 120.5), (4e9, 120.0, 120.5)],
)
def test_retry_after_is_honoured_up_to_two_minutes(asked_s: float, low: float, high: float) -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(script=failing(rate_limit(asked_s))))
        await shop.buy(1)
        first, second = shop.provider.sent_at
        assert low <= second - (first + 0.5) <= high
        limited, completed = (row for _, row in shop.ledger.rows)
        assert limited.wait_s == pytest.approx(second - first - 0.5)
        assert (limited.outcome, limited.status) == ("rate_limit", 429)
        assert (completed.outcome, completed.wait_s) == ("completed", None)

    run_virtual(main())


def test_a_retry_after_date_counts_from_the_servers_own_clock() -> None:
    told = retry_after(
        {
            "retry-after": "Sun, 29 Nov 2026 12:01:39 GMT",
            "date": "Sun, 29 Nov 2026 12:00:10 GMT",
        }
    )

    async def main() -> None:
        shop = Shop(ScriptedProvider(script=failing(rate_limit(told))))
        await shop.buy(1)
        first, second = shop.provider.sent_at
        assert 89.0 <= second - (first + 0.5) <= 89.5

    run_virtual(main())


@given(st.integers(), st.text(max_size=20), st.integers(1, 60))
def test_backoff_is_full_jitter_below_a_doubling_ceiling(
    seed: int, name: str, attempt: int
) -> None:
    wait_s = backoff_s(seed, name, attempt, None)
    assert 0 <= wait_s < min(30.0, 0.5 * 2.0 ** (attempt - 1))
    assert wait_s == backoff_s(seed, name, attempt, None)


def test_backoff_fills_its_range_and_differs_between_slots_attempts_and_seeds() -> None:
    draws = [backoff_s(1, f"s{n}", 4, None) for n in range(400)]
    assert min(draws) < 0.1 and max(draws) > 3.9 and 1.8 < sum(draws) / 400 < 2.2
    assert len({backoff_s(seed, name, 9, None) for seed in (1, 2) for name in "ab"}) == 4
    assert backoff_s(1, "a", 8, None) != backoff_s(1, "a", 9, None)


def test_a_transient_failure_is_retried_and_the_result_kept() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(script=failing(overloaded(), overloaded())))
        assert (await shop.buy(1)).text == "answer"
        outcomes = [row.outcome for _, row in shop.ledger.rows]
        assert outcomes == ["transient", "transient", "completed"]
        assert shop.buyer.snapshot().retries == 2

    run_virtual(main())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (permanent(400), "bad_request"),
        (permanent(404), "not_found"),
        (permanent(413), "too_large"),
        (permanent(422), "unprocessable"),
        (permanent(400, "content_filter"), "content_filter"),
    ],
)
def test_a_permanent_failure_is_recorded_at_once(error: ProviderError, reason: str) -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(script=always(error)))
        with pytest.raises(CallFailed) as caught:
            await shop.buy(1)
        assert caught.value.reason == reason
        assert shop.ledger.failed == {slot(1).key: reason}
        assert len(shop.provider.sent_at) == 1
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


@pytest.mark.parametrize("finish", [Finish.REFUSAL, Finish.CONTENT_FILTER, Finish.CONTEXT_EXCEEDED])
def test_a_refusal_is_a_result_for_the_search_to_judge(finish: Finish) -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(script=lambda _p, _r, _n: finish))
        assert (await shop.buy(1)).finish is finish
        assert list(shop.ledger.settled) == [slot(1).key]

    run_virtual(main())


@pytest.mark.parametrize("kind", [ErrorClass.AUTH, ErrorClass.SPEND_LIMIT])
def test_a_bad_key_or_a_spend_limit_pauses_and_is_not_retried(kind: ErrorClass) -> None:
    async def main() -> None:
        provider = ScriptedProvider(script=always(ProviderError(kind, "see your account")))
        shop = Shop(provider, Limits(concurrency=2))
        tasks = [shop.buy(n) for n in range(10)]
        await asyncio.sleep(3600)
        assert len(provider.sent_at) == 2
        assert [(t.kind, t.pause) for t in shop.troubles] == [(kind.value, True)]
        assert "see your account" in shop.troubles[0].message
        raised = [type(task.exception()) for task in tasks if task.done()]
        assert raised == [RunPaused, RunPaused]
        provider.script = lambda _p, _r, _n: None
        shop.buyer.release()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(shop.ledger.settled) == 8
        await asyncio.gather(*(shop.buy(n) for n in range(2)))
        assert len(shop.ledger.settled) == 10
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


def test_a_call_stays_open_at_its_deadline_and_says_what_was_said_last() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(script=always(overloaded())), deadline_s=60, pause_after=999)
        with pytest.raises(CallOpen, match="overloaded"):
            await shop.buy(1)
        assert now() <= 60
        assert "60 s" in shop.ledger.open[slot(1).key]
        assert not shop.ledger.failed
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


def test_no_attempt_outlives_its_timeout_or_the_deadline() -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=1e6)
        shop = Shop(provider, attempt_timeout_s=10, deadline_s=35)
        with pytest.raises(CallOpen, match="no answer within"):
            await shop.buy(1)
        assert now() <= 36 and len(provider.sent_at) >= 3
        assert provider.in_flight == 0
        assert all(row.maybe_paid for _, row in shop.ledger.rows)

    run_virtual(main())


def test_a_wait_beyond_the_deadline_is_not_waited_for() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(script=always(rate_limit(89.0))), deadline_s=60)
        with pytest.raises(CallOpen):
            await shop.buy(1)
        assert now() == pytest.approx(0.5)

    run_virtual(main())


def test_waiting_in_the_queue_does_not_use_up_the_deadline() -> None:
    async def main() -> None:
        shop = Shop(ScriptedProvider(latency_s=10), Limits(concurrency=1), deadline_s=15)
        await asyncio.gather(*(shop.buy(n) for n in range(20)))

    run_virtual(main())


def test_another_route_is_tried_three_times_and_counts_as_paid() -> None:
    async def main() -> None:
        error = ProviderError(ErrorClass.ROUTE_MISMATCH, "served by elsewhere")
        shop = Shop(ScriptedProvider(script=always(error)))
        with pytest.raises(CallOpen, match=r"another route.*elsewhere"):
            await shop.buy(1)
        assert len(shop.provider.sent_at) == 3
        assert shop.budget.maybe_paid == sum(row.estimate or 0 for _, row in shop.ledger.rows) > 0
        assert not shop.ledger.failed

    run_virtual(main())


@pytest.mark.parametrize("error", [overloaded(), rate_limit(), rate_limit(1.0), permanent(404)])
def test_a_dead_provider_pauses_the_run_and_is_not_hammered(error: ProviderError) -> None:
    async def main() -> None:
        provider = ScriptedProvider(latency_s=0.05, script=always(error))
        shop = Shop(provider, Limits(concurrency=64), pause_after=20)
        tasks = [shop.buy(n) for n in range(1000)]
        await asyncio.sleep(3600)
        assert [(t.kind, t.provider, t.pause) for t in shop.troubles] == [("failures", "p", True)]
        assert error.message in shop.troubles[0].message
        assert len(provider.sent_at) < 1000 and shop.buyer.snapshot().held
        if error.kind is not ErrorClass.PERMANENT:
            assert len(provider.sent_at) < 400
        provider.script = lambda _p, _r, _n: None
        shop.buyer.release()
        done = Counter(type(r) for r in await asyncio.gather(*tasks, return_exceptions=True))
        assert done[CallOpen] == 0
        assert shop.settled_counters() == NOTHING_LEFT

    run_virtual(main())


def test_half_a_minute_of_outage_pauses_nothing_and_loses_nothing() -> None:
    async def main() -> None:
        def script(_p: ScriptedProvider, _r: Request, _n: int) -> ProviderError | None:
            return overloaded() if 5 < now() < 35 else None

        provider = ScriptedProvider(script=script)
        shop = Shop(provider, Limits(concurrency=64))
        await asyncio.gather(*(shop.buy(n) for n in range(3000)))
        assert not shop.troubles
        assert len(shop.ledger.settled) == 3000
        assert len(provider.sent_at) - 3000 < 300
        assert now() < 3000 / 64 * 0.5 + 30 + 15

    run_virtual(main())


def test_every_second_failure_never_pauses() -> None:
    async def main() -> None:
        shop = Shop(
            ScriptedProvider(script=lambda _p, _r, n: overloaded() if n % 2 else None),
            pause_after=2,
        )
        await asyncio.gather(*(shop.buy(n) for n in range(200)))
        assert not shop.troubles

    run_virtual(main())
