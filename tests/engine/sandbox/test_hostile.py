"""Every hostile program gets its verdict, at every level, and leaves nothing behind."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evoscope.engine.sandbox.jobs import Calls, Limits, Program, encoded
from evoscope.engine.sandbox.pool import Pool
from tests.engine.sandbox import hostile

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(cpu_s=0.1, memory_mb=32)
EXPECTED = encoded([42])
REFUSALS = ("PermissionError", "OSError", "BlockingIOError", "RuntimeError", "ValueError",
            "KeyError")  # fmt: skip
"""How Python tells a program that the kernel has refused; KeyError for the environment."""
ONCE = encoded([()])


@pytest.fixture(scope="module")
def secret() -> Iterator[Path]:
    """A file that anybody on this machine may read and write."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        file = Path(folder, "secret")
        file.write_text("the secret")
        file.chmod(0o666)
        os.environ["EVOSCOPE_TEST_SECRET"] = "planted"
        yield file
        del os.environ["EVOSCOPE_TEST_SECRET"]


async def judge(pool: Pool, secret: Path, program: hostile.Hostile) -> None:
    """Run one program and compare its verdict."""
    source = program.source(str(secret), os.getpid())
    outcome = await pool.run(Calls(Program(source, "f"), ONCE, EXPECTED, limits=LIMITS))
    assert outcome.verdict in program.verdicts, outcome
    if program in hostile.STOPPED:
        assert outcome.detail in REFUSALS, outcome
    assert secret.read_text() == "the secret"
    assert [file.name for file in secret.parent.iterdir()] == ["secret"]


@pytest.mark.parametrize("program", hostile.STOPPED, ids=lambda program: program.name)
async def test_the_kernel_stops_it(leveled: Pool, secret: Path, program: hostile.Hostile) -> None:
    await judge(leveled, secret, program)


@pytest.mark.parametrize("program", hostile.REST, ids=lambda program: program.name)
async def test_it_gets_its_verdict(pool: Pool, secret: Path, program: hostile.Hostile) -> None:
    await judge(pool, secret, program)


@pytest.mark.slow
@pytest.mark.parametrize("program", hostile.REST, ids=lambda program: program.name)
async def test_it_gets_its_verdict_at_every_level(
    leveled: Pool, secret: Path, program: hostile.Hostile
) -> None:
    await judge(leveled, secret, program)


async def test_neither_earlier_jobs_nor_expected_values_can_be_found(pool: Pool) -> None:
    mark = "marker-of-a-secret"
    planting = Program(f"KEPT = ['{mark}'] * 99\ndef f(x): return [x, KEPT]", "f")
    inputs, expected = encoded([(mark * 999,)]), encoded([mark * 9])
    for worker in (0, 0, 1, 1):
        assert (await pool.run(Calls(planting, inputs, expected), worker)).verdict == "fail"
        looked = await pool.run(Calls(Program(hostile.SCAN, "f"), ONCE, expected), worker)
        assert looked.cases[0].plain() == "nothing"


async def test_the_scan_finds_what_is_there(pool: Pool) -> None:
    source = f"KEPT = ['marker-of-a-secret']\n{hostile.SCAN}"
    found = await pool.run(Calls(Program(source, "f"), ONCE))
    assert found.cases[0].plain() == "in an object"


SUCCEED = (
    "reads a file", "reads a file by system call", "reads /etc/passwd", "reads its own memory map",
    "lists a folder", "opens UDP", "opens a UNIX socket", "makes executable memory",
    "duplicates its socket",
)  # fmt: skip


async def test_attacks_succeed_where_nothing_is_locked(secret: Path) -> None:
    tried = [program for program in hostile.STOPPED if program.name in SUCCEED]
    assert len(tried) == len(SUCCEED)
    async with await Pool.open(1, ("none",)) as unsafe:
        for program in tried:
            source = program.source(str(secret), os.getpid())
            outcome = await unsafe.run(Calls(Program(source, "f"), ONCE, limits=LIMITS))
            assert (outcome.verdict, outcome.level) == ("pass", "none"), (program.name, outcome)
