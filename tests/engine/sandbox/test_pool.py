"""A pool's life: fails closed, mends itself, leaves nothing, dies with its engine."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from evoscope.engine.errors import SandboxUnavailable
from evoscope.engine.sandbox import levels, selftest
from evoscope.engine.sandbox.jobs import (
    Calls,
    Check,
    Job,
    Limits,
    Operate,
    Program,
    encoded,
    encoded_one,
)
from evoscope.engine.sandbox.pool import Pool
from evoscope.engine.sandbox.zygotes import Zygote

ONCE = encoded([()])
GOOD = Program("def f(x=1): return x", "f")
EASY = Calls(GOOD, ONCE, encoded([1]))
QUICK = Limits(cpu_s=0.02, memory_mb=32)


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    """Its children, zombies included."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def resident_kb(pid: int) -> int:
    """Its resident memory."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS")))


async def until(condition: object) -> None:
    """Wait until a condition holds; fails after ten seconds."""
    assert callable(condition)
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to hold")


async def test_closing_leaves_no_process_and_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    async with await Pool.open(2) as pool:
        pids = pool.pids
        assert (await pool.run(EASY)).verdict == "pass" and all(map(alive, pids))
        assert set(pool.provenance) == {"level", "kernel", "python"}
    assert not any(map(alive, pids)) and len(os.listdir("/proc/self/fd")) == before


async def test_a_killed_zygote_is_replaced_and_the_job_run_again() -> None:
    async with await Pool.open(1) as pool:
        victim = pool.pids[0]
        slow = Calls(Program("import time\ndef f():\n    time.sleep(0.5)\n    return 1", "f"), ONCE)
        running = asyncio.create_task(pool.run(slow, 0))
        await asyncio.sleep(0.2)
        os.kill(victim, signal.SIGKILL)
        outcome = await running
        assert (outcome.verdict, outcome.cases[0].plain()) == ("pass", 1)
        assert victim not in pool.pids and not alive(victim)
        assert (await pool.run(EASY, 0)).verdict == "pass"


async def test_what_cannot_be_had_abstains_and_is_not_a_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refused(self: Zygote, command: bytes, descriptors: list[int]) -> bool:
        return False

    async with await Pool.open(1, ("L2",)) as pool:
        send = Zygote._send
        monkeypatch.setattr(Zygote, "_send", refused)
        monkeypatch.setattr(selftest, "works", lambda zygote: asyncio.sleep(0, ""))
        monkeypatch.setattr(selftest, "holds", lambda zygote, canary: asyncio.sleep(0, ""))
        outcome = await pool.run(EASY)
        assert outcome.label == "abstain(infrastructure)"
        monkeypatch.setattr(Zygote, "_send", send)


async def test_a_level_that_does_not_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    command = levels.command
    monkeypatch.setattr(levels, "command", lambda level, fd, n: command("none", fd, n))
    with pytest.raises(SandboxUnavailable, match=r"L2: the self-test failed: \w+ succeeded"):
        await Pool.open(1, ("L2",))


async def test_a_level_that_is_missing_is_refused_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(levels, "missing", lambda level: f"no lock for {level}")
    with pytest.raises(SandboxUnavailable, match=r"L1: no lock for L1; L2: no lock for L2"):
        await Pool.open(1, ("L1", "L2"))


async def test_a_zygote_that_cannot_start_says_its_last_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = [sys.executable, "-c", "raise SystemExit('no luck')"]
    monkeypatch.setattr(levels, "command", lambda level, fd, n: words)
    with pytest.raises(SandboxUnavailable, match="no luck"):
        await Pool.open(1, ("L2",))


async def test_nothing_is_weaker_than_asked_and_none_must_be_named() -> None:
    assert "none" not in levels.STRONGEST_FIRST
    async with await Pool.open(1, ("none",)) as pool:
        assert (await pool.run(EASY)).level == "none"


def test_a_pool_is_refused_outside_the_main_thread() -> None:
    caught: list[BaseException] = []

    def elsewhere() -> None:
        try:
            asyncio.run(Pool.open(1))
        except SandboxUnavailable as error:
            caught.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert "main thread" in str(caught[0])


ENGINE = """
import asyncio
from evoscope.engine.sandbox.jobs import Calls, Limits, Program, encoded
from evoscope.engine.sandbox.pool import Pool
async def main():
    pool = await Pool.open(2)
    sleeper = Program("import time\\ndef f(): time.sleep(60)", "f")
    job = Calls(sleeper, encoded([()]), limits=Limits(cpu_s=30))
    tasks = [asyncio.create_task(pool.run(job, n)) for n in (0, 1)]
    await asyncio.sleep(0.5)
    print(*pool.pids, flush=True)
    await asyncio.gather(*tasks)
asyncio.run(main())
"""


async def test_everything_dies_with_the_engine() -> None:
    engine = subprocess.Popen([sys.executable, "-c", ENGINE], stdout=subprocess.PIPE, text=True)
    with engine:
        assert engine.stdout is not None
        zygotes = [int(word) for word in engine.stdout.readline().split()]
        everyone = zygotes + [pid for zygote in zygotes for pid in children(zygote)]
        assert len(zygotes) == 2 and len(everyone) >= 4 and all(map(alive, everyone))
        engine.kill()
    await until(lambda: not any(map(alive, everyone)))


async def test_no_more_jobs_compute_than_there_are_workers() -> None:
    program = Program("import time\ndef f():\n    time.sleep(0.15)\n    return time.time()", "f")
    job = Calls(program, ONCE)
    async with await Pool.open(2) as pool:
        start = time.monotonic()
        await asyncio.gather(*(pool.run(job) for _ in range(6)))
        assert time.monotonic() - start > 0.44
        alone = [asyncio.create_task(pool.run_alone(job)) for _ in range(2)]
        others = [asyncio.create_task(pool.run(job)) for _ in range(2)]
        assert all(outcome.verdict == "pass" for outcome in await asyncio.gather(*alone, *others))


ADD = Program("def add(a, b): return a + b", "add")
MIXED: list[tuple[Job, str]] = [
    (EASY, "pass"),
    (Calls(GOOD, ONCE, encoded([2])), "fail"),
    (Calls(Program("def f(): raise KeyError", "f"), ONCE), "error(KeyError)"),
    (Calls(Program("import os\ndef f(): os._exit(0)", "f"), ONCE), "no_result"),
    (Calls(Program("def f(): return bytearray(10**12)", "f"), ONCE), "memory"),
    (Calls(Program("def f(): return 'x' * 10**6", "f"), ONCE), "output_limit"),
    (Calls(Program("import os\ndef f(): os.write(3, b'\\0\\0\\0\\0R')", "f"), ONCE), "bad_output"),
    (Calls(Program("import ctypes\ndef f(): ctypes.string_at(0)", "f"), ONCE), "crash(SIGSEGV)"),
    (Check(ADD, "assert add(1, 2) == 3"), "pass"),
    (Check(ADD, "assert add(1, 2) == 4"), "fail"),
    (Calls(Program("def f():\n    while True: pass", "f"), ONCE, limits=QUICK), "timeout(cpu)"),
    (
        Operate(
            Program("def op(ctx): return [o.value for o in ctx.run_many(0, [(1, 2)])]", "op"),
            encoded_one(()), encoded_one({}), (ADD,),
        ),
        "pass",
    ),
]  # fmt: skip


async def run_mixed(pool: Pool, count: int) -> None:
    """Run mixed jobs at full width; every verdict must be right."""
    numbers = iter(range(count))

    async def one() -> None:
        for number in numbers:
            job, label = MIXED[number % len(MIXED)]
            outcome = await pool.run(job)
            assert outcome.label == label, outcome

    await asyncio.gather(*(one() for _ in range(4)))


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_many_mixed_runs_leave_no_zombie_no_descriptor_and_no_growth(count: int) -> None:
    async with await Pool.open(2, ("L1", "L2")) as pool:
        await run_mixed(pool, 120)
        pids = pool.pids
        memory = [resident_kb(pid) for pid in (*pids, os.getpid())]
        descriptors = [len(os.listdir(f"/proc/{pid}/fd")) for pid in (*pids, "self")]
        await run_mixed(pool, count)
        assert pool.pids == pids and [children(pid) for pid in pids] == [[], []]
        assert [len(os.listdir(f"/proc/{pid}/fd")) for pid in (*pids, "self")] == descriptors
        grown = [
            resident_kb(pid) - was for pid, was in zip((*pids, os.getpid()), memory, strict=True)
        ]
        assert max(grown[:2]) < 512 and grown[2] < 8192
