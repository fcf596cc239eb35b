"""Which of several runs becomes the fact."""

from dataclasses import dataclass, field, replace

import pytest

from evoscope.engine.sandbox.jobs import Calls, Case, Job, Limits, Outcome, Program, encoded
from evoscope.engine.sandbox.settle import settled

JOB = Calls(Program("", "f"), encoded([()]), limits=Limits(cpu_s=1.0))
PASS, FAIL = Outcome("pass", limit_share=0.1), Outcome("fail", limit_share=0.1)
CPU, WALL = Outcome("timeout", "cpu", limit_share=1.0), Outcome("timeout", "wall")
LOST = Outcome("abstain", "infrastructure")
HALF = replace(PASS, limit_share=0.5)


@dataclass
class Script:
    """A pool that plays outcomes and keeps what was asked of it."""

    outcomes: list[Outcome]
    asked: list[str] = field(default_factory=list)

    async def run(self, job: Job, worker: int | None = None) -> Outcome:
        """The next outcome."""
        self.asked.append(f"{job.limits.cpu_s:g}@{worker}")
        return self.outcomes.pop(0)

    async def run_alone(self, job: Job) -> Outcome:
        """The next outcome."""
        self.asked.append(f"{job.limits.cpu_s:g} alone")
        return self.outcomes.pop(0)


ALONE = ["1 alone"] * 3


@pytest.mark.parametrize(
    ("outcomes", "asked", "verdict", "flaky", "near"),
    [
        ([PASS, PASS], ["1@0", "1@1"], "pass", False, False),
        ([FAIL, FAIL], ["1@0", "1@1"], "fail", False, False),
        ([CPU, CPU], ["1@0", "2@1"], "timeout", False, False),
        ([WALL, CPU], ["1@0", "2@1"], "timeout", False, False),
        ([PASS, FAIL, FAIL], ["1@0", "1@1", "1@None"], "fail", True, False),
        ([PASS, FAIL, PASS], ["1@0", "1@1", "1@None"], "pass", True, False),
        ([FAIL, PASS, LOST], ["1@0", "1@1", "1@None"], "fail", True, False),
        ([HALF, PASS, PASS, CPU, PASS], ["1@0", "1@1", *ALONE], "pass", False, True),
        ([PASS, CPU, CPU, PASS, CPU], ["1@0", "1@1", *ALONE], "timeout", False, True),
        ([CPU, PASS, PASS, PASS, CPU], ["1@0", "2@1", *ALONE], "pass", False, True),
        ([CPU, FAIL, CPU, WALL, PASS], ["1@0", "2@1", *ALONE], "timeout", False, True),
        ([LOST, PASS], ["1@0", "1@1"], "abstain", False, False),
        ([PASS, LOST], ["1@0", "1@1"], "abstain", False, False),
        ([HALF, HALF, LOST, LOST, LOST], ["1@0", "1@1", *ALONE], "abstain", False, True),
    ],
)
async def test_settled(
    outcomes: list[Outcome], asked: list[str], verdict: str, flaky: bool, near: bool
) -> None:
    script = Script(list(outcomes))
    outcome = await settled(script, JOB)
    assert (outcome.verdict, outcome.flaky, outcome.near_limit) == (verdict, flaky, near)
    assert script.asked == asked and not script.outcomes


async def test_other_values_are_another_fact_but_cost_and_output_are_not() -> None:
    one, two = (replace(PASS, cases=(Case(value),)) for value in encoded([1, 2]))
    noisy = replace(one, cpu_s=0.2, stdout="at 0x7f")
    assert (await settled(Script([one, noisy]), JOB)).flaky is False
    assert (await settled(Script([one, two, two]), JOB)).cases == two.cases


async def test_the_two_runs_are_on_neighbouring_workers() -> None:
    script = Script([PASS, PASS])
    await settled(script, JOB, 5)
    assert script.asked == ["1@5", "1@6"]
