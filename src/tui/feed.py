"""The reading threads: jobs in order, their results handed to the app's thread.

Every query of the screens runs here, on connections that keep no statement open, so that neither a
slow disk nor a big file holds up a key, and no reader holds up the engine's log. The threads are
daemons: leaving the app waits for none of them.
"""

import asyncio
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
Job = Callable[[], Any]
Then = Callable[[Any], None]


class Feed:
    """Quick jobs in one thread, slow ones in another. `failed` is told of a job that raised."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._queues: dict[bool, SimpleQueue[tuple[Job, Then, Context] | None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pending = 0
        self._closed = False

    def run(self, job: Callable[[], T], then: Callable[[T], None], *, slow: bool = False) -> None:
        """Run `job` in a reading thread, then `then` with its result here.

        `slow` is for jobs of seconds (filters over a whole table): they have a thread of their own.
        """
        if self._closed:
            return
        self._loop = asyncio.get_running_loop()
        if slow not in self._queues:
            self._queues[slow] = SimpleQueue()
            name = f"evoscope-{'slow' if slow else 'read'}"
            thread = threading.Thread(target=self._work, args=(slow,), name=name, daemon=True)
            thread.start()
        self._pending += 1
        self._queues[slow].put((job, then, copy_context()))

    def _work(self, slow: bool) -> None:
        queue = self._queues[slow]
        while (task := queue.get()) is not None and not self._closed:
            job, then, context = task
            try:
                result, error = job(), None
            except Exception as caught:
                result, error = None, caught
            self._hand_over(context, then, result, error)

    def _hand_over(
        self, context: Context, then: Then, result: Any, error: Exception | None
    ) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(self._finish, then, result, error, context=context)
        except RuntimeError:
            self._closed = True  # the app has ended while this was being read

    def _finish(self, then: Then, result: Any, error: Exception | None) -> None:
        self._pending -= 1
        if self._closed:
            return
        try:
            if error is not None:
                raise error
            then(result)
        except Exception as caught:
            self._failed(caught)

    @property
    def idle(self) -> bool:
        """Whether nothing is being read."""
        return self._pending == 0

    def close(self) -> None:
        """Take no more jobs; those that wait are dropped."""
        self._closed = True
        for queue in self._queues.values():
            queue.put(None)
