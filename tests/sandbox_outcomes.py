"""The real sandbox for searches on virtual time: it lives in a process of its own.

The search's clock stands still while a program runs. Outcomes are kept by the job's key, so that
many lives run each program once.
"""

import asyncio
import multiprocessing
import random
from multiprocessing.connection import Connection

import pytest

from evoscope.engine.errors import SandboxUnavailable
from evoscope.engine.sandbox.jobs import Job, Outcome, key
from evoscope.engine.sandbox.pool import Pool


def _serve(pipe: Connection) -> None:
    async def answer() -> None:
        async with await Pool.open(2) as pool:
            while (job := pipe.recv()) is not None:
                pipe.send(await pool.settle(job))

    asyncio.run(answer())


class OutcomeServer:
    """A sandbox behind a pipe, with what it has answered so far."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        self._process.start()
        theirs.close()
        self.known: dict[str, Outcome] = {}

    def settle(self, job: Job) -> Outcome:
        name = key(job)
        if name not in self.known:
            self._pipe.send(job)
            self.known[name] = self._pipe.recv()
        return self.known[name]

    def close(self) -> None:
        self._pipe.send(None)
        self._process.join(30)
        self._pipe.close()


class ServedOutcomes:
    """An executor over a server; each outcome takes a seeded time."""

    def __init__(self, server: OutcomeServer, seed: int = 0) -> None:
        self._server, self._random = server, random.Random(seed)
        self.asked = 0

    async def settle(self, job: Job) -> Outcome:
        self.asked += 1
        await asyncio.sleep(self._random.random())
        return self._server.settle(job)

    async def close(self) -> None:
        return None


async def pool_or_skip() -> Pool:
    """A pool of two workers at the strongest level; skips the test where there is no sandbox."""
    try:
        return await Pool.open(2)
    except SandboxUnavailable as problem:
        pytest.skip(str(problem))
