"""Sandboxed runs per second against an interpreter per run and a forked process per run.

The same trivial program, a fresh process each time, in alternating rounds on the same machine.
Targets: 3 times a fresh interpreter, 1.6 times a forked process. Also prints calls per second
when many cases share a process, and operators per second.

Run: python perf/sandbox.py
"""

import asyncio
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from evoscope.engine.sandbox.jobs import Calls, Check, Operate, Program, encoded, encoded_one
from evoscope.engine.sandbox.memo import Memo
from evoscope.engine.sandbox.pool import Pool

WORKERS = 2
ROUNDS = 5
SOURCE = "def add(a, b):\n    return a + b\n"
PROGRAM = Program(SOURCE, "add")
CHECKER = "def check(candidate):\n    assert candidate(1, 2) == 3\n"
OPERATOR = Program(
    "def op(ctx):\n"
    "    return [len(ctx.run_many(p, [(i, p) for i in range(37)])) for p in range(16)]\n",
    "op",
)


def interpreter_per_run(runs: int) -> float:
    """A fresh interpreter each, two at a time."""

    def one(_: int) -> None:
        code = f"{SOURCE}assert add(1, 2) == 3"
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)

    return _rate(runs, lambda: _in_threads(one, runs))


def process_per_run(runs: int) -> float:
    """A process forked from this one each, two at a time."""
    context = multiprocessing.get_context("fork")

    def one(_: int) -> None:
        process = context.Process(target=_add)
        process.start()
        process.join()

    return _rate(runs, lambda: _in_threads(one, runs))


def _add() -> None:
    names: dict[str, Callable[[int, int], int]] = {}
    exec(SOURCE, names)
    assert names["add"](1, 2) == 3


def _in_threads(one: Callable[[int], None], runs: int) -> None:
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, range(runs)))


def _rate(runs: int, work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return runs / (time.perf_counter() - start)


async def sandboxed(pool: Pool, job: Calls | Check | Operate, runs: int) -> float:
    """Jobs of one kind; more wait than the pool has workers, as in a search."""

    async def many(count: int) -> None:
        for _ in range(count):
            assert (await pool.run(job)).verdict == "pass"

    start = time.perf_counter()
    waiting = 2 * WORKERS
    await asyncio.gather(*(many(runs // waiting) for _ in range(waiting)))
    return runs / (time.perf_counter() - start)


async def main() -> None:
    """Print the table."""
    one = Calls(PROGRAM, encoded([(1, 2)]), encoded([3]))
    fresh, forked, boxed = list[float](), list[float](), list[float]()
    async with await Pool.open(WORKERS) as pool:
        for _ in range(ROUNDS):
            fresh.append(interpreter_per_run(40))
            forked.append(process_per_run(80))
            boxed.append(await sandboxed(pool, one, 160))
        print(f"level {pool.level}, {WORKERS} workers, medians of {ROUNDS} rounds")
        _line("interpreter per run", median(fresh), "")
        _line("forked process per run", median(forked), "")
        against = [b / a for a, b in zip(fresh, boxed, strict=True)]
        over = [b / a for a, b in zip(forked, boxed, strict=True)]
        ratios = f"x{median(against):.2f} interpreter, x{median(over):.2f} forked process"
        _line("sandboxed run", median(boxed), ratios)
        await _others(pool)


async def _others(pool: Pool) -> None:
    for cases in (10, 100):
        inputs = encoded([(n, 1) for n in range(cases)])
        expected = encoded(n + 1 for n in range(cases))
        rate = await sandboxed(pool, Calls(PROGRAM, inputs, expected), 80)
        _line(f"calls, {cases} a process", rate * cases, "")
    _line("check(candidate)", await sandboxed(pool, Check(PROGRAM, CHECKER), 80), "two processes")
    peers = tuple(Program(f"{SOURCE}# {n}\n", "add") for n in range(16))
    operator = Operate(OPERATOR, encoded_one(()), encoded_one({}), peers)
    rates = []
    for _ in range(4):
        pool.memo = Memo()
        rates.append(await sandboxed(pool, operator, 4))
    _line("operators, 592 observations", median(rates), "cold")
    _line("operators, 592 observations", await sandboxed(pool, operator, 20), "memo warm")


def _line(name: str, rate: float, note: str) -> None:
    print(f"{name:<30}{rate:>10.1f}/s  {note}".rstrip())


if __name__ == "__main__":
    asyncio.run(main())
