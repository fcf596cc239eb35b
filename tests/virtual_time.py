"""An event loop whose clock jumps to the next timer as soon as nothing else is ready.

Hours of waiting pass in milliseconds and always in the same order. Work that other threads do is
announced with `outstanding` (or `outside()`): while it is above zero the clock stands still and
the loop blocks for the wake-up, so that a thread's real speed never shows in virtual time.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

REAL_PATIENCE_S = 60.0
"""How long the loop really waits for outstanding work before it calls the test stuck."""


class Stuck(RuntimeError):
    """Nothing is ready, scheduled or outstanding: the awaited thing can never happen."""


class _JumpingSelector(selectors.DefaultSelector):
    """Answers a wait with a jump of the loop's clock, unless threads are at work."""

    loop: "VirtualTimeLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self.loop.outstanding > 0:
            return self._wait_for_threads()
        if timeout is None:
            raise Stuck("deadlock in virtual time: nothing is ready, scheduled or outstanding")
        self.loop.advance(timeout)
        return []

    def _wait_for_threads(self) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(REAL_PATIENCE_S)
        if not ready:
            raise Stuck(f"{self.loop.outstanding} outstanding pieces of work never came back")
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """See the module. `outstanding` is only touched on the loop's own thread."""

    def __init__(self) -> None:
        selector = _JumpingSelector()
        selector.loop = self
        self._now = 0.0
        self.outstanding = 0
        super().__init__(selector)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock on."""
        self._now += max(seconds, 0.0)

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Hold the clock while the body awaits something that another thread does."""
        self.outstanding += 1
        try:
            yield
        finally:
            self.outstanding -= 1

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> "asyncio.Future[T]":
        """As in asyncio; the clock stands still until the thread is done."""
        future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        self.outstanding += 1
        future.add_done_callback(self._came_back)
        return future

    def _came_back(self, _: "asyncio.Future[Any]") -> None:
        self.outstanding -= 1

    async def shutdown_default_executor(
        self,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is asyncio's
    ) -> None:
        """As in asyncio; joins the threads in real time."""
        with self.outside():
            await super().shutdown_default_executor()


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a fresh loop with virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
