"""Sandboxed runs per second against an interpreter per run and a forked process per run.

The same trivial program, a fresh process each time, in alternating rounds on the same machine.
The peers are what graders do: an interpreter that says by its exit status how it went, and a
process forked from the grader that sends its value back within a time limit. For comparison also
a bare forked process, whose value nobody gets and whose time nobody bounds. None of them locks
anything. Targets: 3 times a fresh interpreter, 1.6 times a forked process. Also prints calls per
second when many cases share a process, and operators per second.

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
ROUNDS = 9
LIMIT_S = 10.0
FORK = multiprocessing.get_context("fork")
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
    """A process forked from this one each, two at a time; it sends its value, or is killed."""

    def one(_: int) -> None:
        receiving, sending = FORK.Pipe(duplex=False)
        process = FORK.Process(target=lambda: sending.send(_add()))
        process.start()
        sending.close()
        late = not receiving.poll(LIMIT_S)
        if late:
            process.kill()
        process.join()
        assert not late and receiving.recv() == 3
        receiving.close()

    return _rate(runs, lambda: _in_threads(one, runs))


def bare_process_per_run(runs: int) -> float:
    """A process forked from this one each, two at a time; whatever it does."""

    def one(_: int) -> None:
        process = FORK.Process(target=_add)
        process.start()
        process.join()

    return _rate(runs, lambda: _in_threads(one, runs))


def _add() -> int:
    names: dict[str, Callable[[int, int], int]] = {}
    exec(SOURCE, names)
    return names["add"](1, 2)


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
    fresh, forked, bare, boxed = list[float](), list[float](), list[float](), list[float]()
    async with await Pool.open(WORKERS) as pool:
        for _ in range(ROUNDS):
            fresh.append(interpreter_per_run(40))
            forked.append(process_per_run(80))
            bare.append(bare_process_per_run(80))
            boxed.append(await sandboxed(pool, one, 160))
        print(f"level {pool.level}, {WORKERS} workers, medians of {ROUNDS} rounds")
        _line("interpreter per run", median(fresh), f"sandbox x{_ratio(boxed, fresh):.2f}")
        _line("forked process per run", median(forked), f"sandbox x{_ratio(boxed, forked):.2f}")
        _line("bare forked process", median(bare), f"sandbox x{_ratio(boxed, bare):.2f}")
        _line("sandboxed run", median(boxed), "")
        await _others(pool)


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return median(a / b for a, b in zip(ours, theirs, strict=True))


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
