"""What slow and endless programs may cost when they are labelled, and what stays unasked."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.code_tasks import labels
from evoscope.engine.benchmarks.code_tasks.tasks import Task
from evoscope.engine.sandbox.jobs import Job, Outcome
from evoscope.engine.sandbox.pool import Pool
from tests.sandbox_outcomes import pool_or_skip

TASK = Task(
    "humaneval/0", "humaneval", "", "same", "def same(x):\n    return x\n",
    ("assert same(1) == 1",), ((1,), (2,)), tuple((n,) for n in range(8)),
)  # fmt: skip
WAITS = (
    "import time\n"
    "def same(x):\n"
    "    end = time.process_time() + {seconds}\n"
    "    while time.process_time() < end: pass\n"
    "    return x\n"
)


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[Pool]:
    async with await pool_or_skip() as opened:
        yield opened


class Counted:
    """A pool's runs, counted."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self.jobs = pool, list[Job]()

    async def run(self, job: Job) -> Outcome:
        """One run."""
        self.jobs.append(job)
        return await self._pool.run(job)


async def test_what_fails_the_visible_checks_meets_no_hidden_input(pool: Pool) -> None:
    suite = await labels.prepare(TASK, pool.run)
    wrong, counted = "def same(x):\n    return 0 if x == 1 else x\n", Counted(pool)
    label = await labels.label(suite, wrong, counted.run, thorough=False)
    assert len(counted.jobs) == 1
    assert not label.visible and not label.correct
    label = await labels.label(suite, wrong, counted.run)
    assert not label.visible and not label.base and not label.plus
    assert len(counted.jobs) > 2


@pytest.mark.parametrize(("slow", "plus", "detail"), [(5, True, ""), (0, False, "timeout(all)")])
async def test_a_slow_program_passes_input_by_input_until_it_has_used_too_much(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, slow: int, plus: bool, detail: str
) -> None:
    suite = await labels.prepare(TASK, pool.run)
    monkeypatch.setattr(labels, "SLOW", slow)
    label = await labels.label(suite, WAITS.format(seconds=0.2), pool.run)
    assert (label.base, label.plus) == (True, plus)
    assert detail in label.detail


async def test_a_slow_reference_gives_its_neighbours_as_much_time(pool: Pool) -> None:
    slow = replace(TASK, reference=WAITS.format(seconds="0.3 * (x == 3)"))
    suite = await labels.prepare(slow, pool.run)
    alone = [seconds for portion in suite.portions for seconds in portion.alone]
    assert len(alone) == len(slow.base) + len(slow.plus)
    assert min(alone) == labels.ONE_INPUT_CPU_S
    assert max(alone) > labels.CPU_FACTOR * 0.3


@given(
    st.lists(st.tuples(st.integers(0, 1 << 20), st.floats(0, 1.5)), min_size=1, max_size=60),
    st.integers(1, 9),
)
def test_portions_cover_every_input_once_and_end_where_much_time_is_taken(
    inputs: list[tuple[int, float]], piece: int
) -> None:
    sizes, shares = [size for size, _ in inputs], [share for _, share in inputs]
    cuts = labels._cuts(sizes, shares, piece)
    assert cuts == sorted(set(cuts)) and cuts[-1] == len(inputs)
    for start, end in zip([0, *cuts], cuts, strict=False):
        whole = end - (end % piece or piece)
        assert start >= whole or sum(shares[start:whole]) < labels.USUAL_CPU_S
        assert sum(sizes[start : end - 1]) < labels.PORTION
