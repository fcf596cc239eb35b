"""Settled outcomes through the engine: run once, recorded, served; the cache is no evidence."""

import asyncio
from pathlib import Path

import pytest

from evoscope.engine.context import Context, Run, UnitSpec
from evoscope.engine.executor import SandboxExecutor
from evoscope.engine.model.outcomes import Outcomes, Place
from evoscope.engine.observations import Observations
from evoscope.engine.outcomes import recorded
from evoscope.engine.sandbox.jobs import Calls, Job, Operate, Outcome, Program, encoded, encoded_one
from evoscope.engine.sandbox.memo import Observed
from tests.replay_kit import Kit, Life

PLACES = [Place("double", "all", shard) for shard in range(4)]


async def search(ctx: Context) -> None:
    async def body(unit: UnitSpec) -> None:
        found = await asyncio.gather(*(ctx.settle(place, work(place.shard)) for place in PLACES))
        await ctx.finish_unit(unit.id, {"sizes": [len(one.planes) for one in found]})

    await ctx.run_units([UnitSpec("u", "baseline", 0)], body)


def work(shard: int):  # type: ignore[no-untyped-def]
    async def run(run: Run) -> Outcomes:
        outcome = await run(Calls(Program("def f(x): return 2 * x", "f"), encoded([(shard,)])))
        return Outcomes(bytes([outcome.cases[0].plain()]), {"verdict": outcome.verdict})

    return run


class Counted:
    """An executor that doubles, and counts."""

    asked = 0

    def __init__(self, verdict: str = "pass") -> None:
        self.verdict = verdict

    async def settle(self, job: Job) -> Outcome:
        assert isinstance(job, Calls)
        Counted.asked += 1
        await asyncio.sleep(0.01)
        from evoscope.engine.sandbox.inside import codec
        from evoscope.engine.sandbox.jobs import Case

        (x,) = codec.decode(job.inputs[0])
        return Outcome(self.verdict, cases=(Case(codec.encode(2 * x)),))  # type: ignore[arg-type]

    async def close(self) -> None:
        return None


def kit(tmp_path: Path, verdict: str = "pass") -> Kit:
    Counted.asked = 0
    return Kit(lambda: search, tmp_path, lambda seed: {}, executor=lambda: Counted(verdict))


def test_outcomes_are_run_once_and_served_by_every_later_life(tmp_path: Path) -> None:
    made = kit(tmp_path)
    whole = made.file("whole")
    assert made.finish(whole, 1).state == "finished"
    assert Counted.asked == 4
    for stop in range(2, 8):
        path = made.file(f"stopped{stop}")
        made.live(path, stop, Life(stop_after=stop))
        kept = len(recorded(path))
        Counted.asked = 0
        assert made.finish(path, 3).state == "finished"
        assert Counted.asked == 4 - kept
        assert made.digest(path) == made.digest(whole)


def test_a_program_that_could_not_be_run_parks_its_unit_and_is_no_fact(tmp_path: Path) -> None:
    made = kit(tmp_path, "abstain")
    path = made.file("run")
    end = made.finish(path, 1)
    assert end.state == "stopped" and "1 parked" in end.reason
    assert recorded(path) == {}


def test_the_file_alone_verifies_and_a_changed_outcome_changes_the_digest(tmp_path: Path) -> None:
    import sqlite3

    made = kit(tmp_path)
    path = made.file("run")
    made.finish(path, 1)
    assert made.verify(path).ok
    before = made.digest(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE matrix SET planes = x'07' WHERE shard = 2")
    db.close()
    assert made.digest(path) != before


def test_observations_outlive_an_engine_and_a_spoilt_file_of_them_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "run.cache"
    first = Observations(path)
    first.put(b"k", Observed(b"v", "", 0.5))
    first.close()
    again = Observations(path)
    assert again.get(b"k") == Observed(b"v", "", 0.5)
    again.close()
    path.write_bytes(b"no database at all" * 100)
    spoilt = Observations(path)
    spoilt.put(b"k", Observed(b"v", "", 0.5))
    assert spoilt.get(b"k") is not None
    spoilt.close()
    assert "made again" in caplog.text


async def test_the_sandbox_opens_with_the_first_program_and_leaves_observations(
    tmp_path: Path,
) -> None:
    cache, told = tmp_path / "run.cache", []
    executor = SandboxExecutor(cache, 2, told.append)
    assert not told
    source = "def op(task, code, ctx): return ctx.run(0, (3,)).value"
    job = Operate(
        Program(source, "op"), encoded_one(({}, "")), context=encoded_one({"own": 0}),
        peers=(Program("def f(x): return x + 1", "f"),),
    )  # fmt: skip
    outcome = await executor.settle(job)
    await executor.close()
    assert outcome.cases[0].plain() == 4
    assert told[0]["level"] in ("L0", "L1", "L2")
    kept = Observations(cache)
    assert len(kept) == 1
    kept.close()
