"""The reading thread: one job at a time, its result handed to the app's thread.

Every query of the screens runs here, on connections that keep no statement open, so that neither a
slow disk nor a big file holds up a key, and no reader holds up the engine's log.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class Feed:
    """Jobs in order. `failed` is told of a job that raised."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="evoscope-read")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="evoscope-filter")
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, job: Callable[[], T], then: Callable[[T], None], *, slow: bool = False) -> None:
        """Run `job` in a reading thread, then `then` with its result here.

        `slow` is for jobs of seconds (filters over a whole table): they have a thread of their own.
        """
        task = asyncio.get_running_loop().create_task(self._one(job, then, slow))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _one(self, job: Callable[[], Any], then: Callable[[Any], None], slow: bool) -> None:
        pool = self._slow if slow else self._quick
        try:
            then(await asyncio.get_running_loop().run_in_executor(pool, job))
        except Exception as error:
            self._failed(error)

    @property
    def idle(self) -> bool:
        """Whether nothing is being read."""
        return not self._tasks

    def close(self) -> None:
        """Take no more jobs; those that wait are dropped."""
        for task in self._tasks:
            task.cancel()
        self._quick.shutdown(wait=False, cancel_futures=True)
        self._slow.shutdown(wait=False, cancel_futures=True)
