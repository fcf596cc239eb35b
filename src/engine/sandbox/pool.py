"""The sandbox's face: `Pool.run(job)` gives one run's outcome, `Pool.settle(job)` the fact.

At most `workers` jobs compute at a time, whatever their kind: a job that waits for its peers
lends them its place, and one that has given its values leaves it while its process ends. The
verdicts do not depend on the number of workers.
"""

import asyncio
import contextlib
import platform
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from ..errors import SandboxUnavailable
from . import levels, selftest
from .calls import run_calls
from .checks import run_check
from .jobs import Calls, Check, Job, LevelName, Outcome
from .memo import Memo
from .operators import run_operator
from .settle import settled
from .zygotes import Zygote

LEAST_ZYGOTES = 2
Done = Callable[[], None] | None


class Place:
    """A worker's place; left once, at the latest when the job has ended."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places, self._held = places, True

    def leave(self) -> None:
        """Give the place to the next job."""
        if self._held:
            self._held = False
            self._places.release()


class Pool:
    """Running zygotes of one level; made by `Pool.open`, closed by `close`."""

    def __init__(self, level: LevelName, workers: int, zygotes: list[Zygote], memo: Memo) -> None:
        self.level, self.workers, self.memo = level, workers, memo
        self._zygotes = zygotes
        self._places = asyncio.Semaphore(workers)
        self._alone = asyncio.Lock()
        self._mending = asyncio.Lock()
        self._turn = 0

    @classmethod
    async def open(
        cls,
        workers: int = 2,
        accept: Sequence[LevelName] = levels.STRONGEST_FIRST,
        memo: Memo | None = None,
    ) -> "Pool":
        """The first level of `accept` that works here, tested from inside.

        Raises SandboxUnavailable, saying what each level lacks. The level "none" isolates
        nothing; it is taken only where a person has asked for it by name.
        """
        problems = []
        for level in accept:
            try:
                zygotes = await _zygotes(level, max(workers, LEAST_ZYGOTES))
                return cls(level, workers, zygotes, Memo() if memo is None else memo)
            except SandboxUnavailable as problem:
                problems.append(str(problem))
        raise SandboxUnavailable(
            f"no sandbox: {'; '.join(problems)}; nothing was run (see `evoscope doctor`)"
        )

    @property
    def provenance(self) -> dict[str, str]:
        """What every stored result carries: level, kernel, Python."""
        return {
            "level": self.level,
            "kernel": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
        }

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that were started."""
        return tuple(zygote.pid for zygote in self._zygotes)

    @property
    def landlock_abi(self) -> int:
        """The version of Landlock in force, 0 without it."""
        return min(zygote.landlock_abi for zygote in self._zygotes)

    async def run(self, job: Job, worker: int | None = None) -> Outcome:
        """One run. Where the infrastructure failed, it is tried once more on a fresh zygote."""
        place = Place(self._places)
        await self._places.acquire()
        try:
            return await self._run(job, worker, place.leave)
        finally:
            place.leave()

    async def settle(self, job: Job) -> Outcome:
        """The outcome to be stored: run twice, and more often where runs differ or time is near.

        The first settled outcome is the fact; whoever stores it (by `jobs.key`) serves it from
        then on.
        """
        self._turn += 1
        return await settled(self, job, self._turn)

    async def run_alone(self, job: Job) -> Outcome:
        """One run while no other job runs."""
        async with self._everything():
            return await self._run(job, None, None)

    async def close(self) -> None:
        """End all zygotes and wait until they are gone."""
        await asyncio.gather(*(zygote.close() for zygote in self._zygotes))

    async def __aenter__(self) -> "Pool":
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    async def _run(self, job: Job, worker: int | None, done: Done) -> Outcome:
        zygote = self._pick(worker)
        outcome = await self._on(zygote, job, done)
        if outcome.verdict == "abstain" and outcome.detail == "infrastructure":
            outcome = await self._on(await self._mended(zygote), job, done)
        return replace(outcome, level=self.level)

    def _pick(self, worker: int | None) -> Zygote:
        if worker is not None:
            return self._zygotes[worker % len(self._zygotes)]
        return min(self._zygotes, key=lambda zygote: zygote.load)

    async def _on(self, zygote: Zygote, job: Job, done: Done) -> Outcome:
        match job:
            case Calls():
                return await run_calls(zygote, job, done)
            case Check():
                return await run_check(zygote, job)
            case _:
                return await run_operator(zygote, job, self.memo)

    async def _mended(self, broken: Zygote) -> Zygote:
        """A fresh zygote in the place of a broken one; tested like every other."""
        async with self._mending:
            place = next((i for i, z in enumerate(self._zygotes) if z is broken), None)
            if place is None:
                return self._pick(None)
            (fresh,) = await _zygotes(self.level, 1, broken.number)
            self._zygotes[place] = fresh
        await broken.close()
        return fresh

    @contextlib.asynccontextmanager
    async def _everything(self) -> AsyncIterator[None]:
        async with self._alone, contextlib.AsyncExitStack() as stack:
            for _ in range(self.workers):
                await stack.enter_async_context(self._places)
            yield


async def _zygotes(level: LevelName, count: int, first: int = 0) -> list[Zygote]:
    """Started and tested zygotes; raises SandboxUnavailable if any of them fails."""
    if problem := levels.missing(level):
        raise SandboxUnavailable(f"{level}: {problem}")
    started: list[Zygote] = []
    try:
        with selftest.Canaries() as canary:
            for number in range(first, first + count):
                started.append(Zygote(level, number))
            tests = (_tested(zygote, canary) for zygote in started)
            for failed in await asyncio.gather(*tests, return_exceptions=True):
                if failed is not None:
                    raise failed
    except BaseException:
        await asyncio.gather(*(zygote.close() for zygote in started))
        raise
    return started


async def _tested(zygote: Zygote, canary: selftest.Canary) -> None:
    await zygote.ready()
    problem = await selftest.works(zygote)
    if not problem and zygote.level != "none":
        problem = await selftest.holds(zygote, canary)
    if problem:
        raise SandboxUnavailable(f"{zygote.level}: the self-test failed: {problem}")
