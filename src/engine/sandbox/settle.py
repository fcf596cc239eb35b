"""From runs to a fact: what is stored of a job, and how far two machines may differ over it."""

from collections import Counter
from dataclasses import replace
from typing import Protocol

from .jobs import Calls, Check, Job, Limits, Outcome

NEAR, FAR = 0.5, 2
"""A job is near its limit when it needs 50% to 200% of it."""
ALONE = 3


class Runner(Protocol):
    """What settling needs of a pool."""

    async def run(self, job: Job, worker: int | None = None) -> Outcome:
        """One run, on a given worker."""
        ...

    async def run_alone(self, job: Job) -> Outcome:
        """One run while no other job runs."""
        ...


async def settled(pool: Runner, job: Job, first_worker: int = 0) -> Outcome:
    """Two runs on two zygotes that agree, or the majority of more; the two are `first_worker` and
    the next one.

    A timeout is confirmed with twice the time, which tells an endless job from one that is near
    its limit. Near the limit three further runs alone decide; without it a disagreement is
    `flaky` and a third run decides. `abstain` is never outvoted: it is handed back as it is.
    """
    first = await pool.run(job, first_worker)
    again = _longer(job) if first.verdict == "timeout" else job
    second = await pool.run(again, first_worker + 1)
    if "abstain" in (first.verdict, second.verdict):
        return first if first.verdict == "abstain" else second
    if _is_near(first, second):
        runs = [await pool.run_alone(job) for _ in range(ALONE)]
        return replace(_majority(runs), near_limit=True)
    if first.fact == second.fact:
        return first
    third = await pool.run(job)
    return replace(_majority([first, second, third]), flaky=True)


def _is_near(first: Outcome, second: Outcome) -> bool:
    if first.verdict == "timeout":
        return second.verdict != "timeout"
    return max(first.limit_share, second.limit_share) >= NEAR


def _majority(runs: list[Outcome]) -> Outcome:
    """The first outcome of the most frequent fact; a tie goes to the earliest."""
    counts = Counter(run.fact for run in runs if run.verdict != "abstain")
    if not counts:
        return runs[0]
    most = max(counts.values())
    return next(run for run in runs if counts[run.fact] == most)


def _longer(job: Job) -> Job:
    """The same job with twice the processor time."""
    if isinstance(job, Calls):
        return replace(job, limits=_twice(job.limits))
    if isinstance(job, Check):
        return replace(job, limits=_twice(job.limits), check_limits=_twice(job.check_limits))
    return replace(job, limits=_twice(job.limits))


def _twice(limits: Limits) -> Limits:
    return replace(limits, cpu_s=limits.cpu_s * FAR)
