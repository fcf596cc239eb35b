"""Who runs code for the engine: the sandbox, opened when the first program is to be run.

A run that runs no code starts no process; where isolation is missing the first program ends the
run with what is missing, and nothing was run.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from .model.outcomes import UNSAFE
from .observations import Observations
from .sandbox.jobs import Job, LevelName, Outcome
from .sandbox.levels import STRONGEST_FIRST
from .sandbox.pool import Pool


def accepted(meta: Mapping[str, str]) -> Sequence[LevelName]:
    """The levels that a run may use; none but "none" where a person has asked for that."""
    return ("none",) if meta.get(UNSAFE) == "1" else STRONGEST_FIRST


class Executor(Protocol):
    """What the engine needs of a sandbox."""

    async def settle(self, job: Job) -> Outcome:
        """The outcome to be stored; `abstain` where there is none to be had."""
        ...

    async def close(self) -> None:
        """End what was started."""
        ...


class SandboxExecutor:
    """The sandbox of one run, with its observations beside the run's file."""

    def __init__(
        self,
        cache: Path | None,
        workers: int,
        opened: Callable[[dict[str, str]], None] = lambda provenance: None,
        accept: Sequence[LevelName] = STRONGEST_FIRST,
    ) -> None:
        self._cache, self._workers, self._opened = cache, workers, opened
        self._accept = accept
        self._pool: Pool | None = None
        self._memo: Observations | None = None
        self._opening = asyncio.Lock()

    async def settle(self, job: Job) -> Outcome:
        """See `Executor.settle`. Raises SandboxUnavailable."""
        await self.open()
        assert self._pool is not None
        return await self._pool.settle(job)

    async def open(self) -> None:
        """Start the sandbox where that has not happened. Raises SandboxUnavailable."""
        async with self._opening:
            if self._pool is None:
                self._memo = Observations(self._cache)
                self._pool = await Pool.open(self._workers, self._accept, self._memo)
                self._opened(self._pool.provenance)

    async def close(self) -> None:
        """End the sandbox's processes and keep the observations."""
        if self._pool is not None:
            await self._pool.close()
        if self._memo is not None:
            self._memo.close()
