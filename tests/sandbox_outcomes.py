"""The real sandbox for searches on virtual time: it lives on a thread of its own.

Outcomes are kept by the job's key, so that hundreds of lives run each program once.
"""

import asyncio
import random

from evoscope.engine.sandbox.jobs import Job, Outcome, key
from evoscope.engine.sandbox.pool import Pool

KNOWN: dict[str, Outcome] = {}


async def run_real(jobs: list[Job]) -> None:
    """Fill KNOWN with what the sandbox says of these jobs."""
    async with await Pool.open(2) as pool:
        missing = [job for job in jobs if key(job) not in KNOWN]
        for job, outcome in zip(
            missing, await asyncio.gather(*map(pool.settle, missing)), strict=True
        ):
            KNOWN[key(job)] = outcome


class Missing(Exception):
    """A job that no real run has asked for yet."""


class KnownOutcomes:
    """An executor that answers from KNOWN, after a seeded delay."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self.asked: list[str] = []

    async def settle(self, job: Job) -> Outcome:
        await asyncio.sleep(self._random.random() / 100)
        name = key(job)
        self.asked.append(name)
        if name not in KNOWN:
            raise Missing(name)
        return KNOWN[name]

    async def close(self) -> None:
        return None
