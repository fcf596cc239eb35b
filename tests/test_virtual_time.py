"""The virtual clock itself: jumps, order, threads, deadlocks."""

import asyncio
import threading
import time

import pytest

from tests.virtual_time import Stuck, VirtualTimeLoop, run_virtual


def test_a_week_of_sleep_passes_at_once_and_shows_on_the_clock() -> None:
    async def main() -> float:
        await asyncio.sleep(7 * 86400)
        return asyncio.get_running_loop().time()

    started = time.monotonic()
    assert run_virtual(main()) == pytest.approx(7 * 86400)
    assert time.monotonic() - started < 5


def test_timers_fire_in_the_order_of_their_times() -> None:
    async def main() -> list[int]:
        order: list[int] = []

        async def sleeper(n: int) -> None:
            await asyncio.sleep(n)
            order.append(n)

        await asyncio.gather(*(sleeper(n) for n in (5, 1, 4, 2, 3)))
        return order

    assert run_virtual(main()) == [1, 2, 3, 4, 5]


def test_a_timeout_ends_a_longer_sleep() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2.5):
                await asyncio.sleep(100)
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == pytest.approx(2.5)


def test_the_clock_stands_still_while_an_executor_thread_works() -> None:
    async def main() -> tuple[float, list[str]]:
        order: list[str] = []

        async def timer() -> None:
            await asyncio.sleep(0.001)
            order.append("timer")

        async def threaded() -> None:
            await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.05)
            order.append("thread")

        await asyncio.gather(timer(), threaded())
        return asyncio.get_running_loop().time(), order

    clock, order = run_virtual(main())
    assert order == ["thread", "timer"]
    assert clock == pytest.approx(0.001)


def test_a_thread_of_ones_own_is_waited_for_inside_outside() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        done = loop.create_future()
        pill = asyncio.create_task(asyncio.sleep(3600))

        def work() -> None:
            time.sleep(0.05)
            loop.call_soon_threadsafe(done.set_result, None)

        thread = threading.Thread(target=work)
        thread.start()
        with loop.outside():
            await done
        clock = loop.time()
        thread.join()
        pill.cancel()
        return clock

    assert run_virtual(main()) == 0.0


def test_a_deadlock_is_named_instead_of_hanging() -> None:
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Stuck, match="deadlock"):
        run_virtual(main())
