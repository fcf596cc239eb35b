"""Rollouts of a harness on a set of tasks under a benchmark variant, recorded and scored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from ...benchmarks.environment import AgentTask, Environment
from ...errors import CallFailed
from ...gates.together import together
from ...model.chase import Harness
from ...model.core import Rollout, Slot
from ...model.llm import Json
from .agent import Complete, Loop, Trajectory, opening
from .gains import Sheet
from .setup import Desk
from .state import State

Rolled = tuple[Rollout, Trajectory | None]
Kept = Mapping[str, Any]
"""A rollout as the state keeps it."""


async def evaluate(
    desk: Desk, unit: str, sheet: Sheet, harness: tuple[str, Harness], benchmark: str, rollouts: int
) -> dict[str, list[Json]]:
    """Score a harness on all tasks of the sheet under one benchmark, unless that stands there.

    Gives the trajectories by task. A rollout that cannot be had is recorded as an error and is
    missing from the scores. Raises CallOpen.
    """
    if sheet.has(harness[0], benchmark):
        return {}
    env = desk.variants[benchmark]
    wanted = set(sheet.tasks)
    work = [
        _one(desk, unit, harness, benchmark, env, task, sample)
        for task in env.tasks
        if task.id in wanted
        for sample in range(rollouts)
    ]
    rolled = await together(work)
    await desk.ctx.record(*(rollout for rollout, _ in rolled))
    sheet.put(harness[0], benchmark, _scores(sheet, rolled))
    return _trajectories(rolled)


async def evaluate_evo(desk: Desk, unit: str, state: State, name: str, benchmark: str) -> None:
    """Score one of a method's harnesses on D_evo; its trajectories join the history."""
    own = (name, state.harnesses[name])
    rollouts = desk.settings.rollouts_evo
    found = await evaluate(desk, unit, state.evo, own, benchmark, rollouts)
    if found:
        state.trajectories.setdefault(name, {})[benchmark] = found


async def _one(
    desk: Desk, unit: str, harness: tuple[str, Harness], benchmark: str, env: Environment,
    task: AgentTask, sample: int,
) -> Rolled:  # fmt: skip
    slot = Slot(unit, f"agent:{benchmark}:{task.id}", harness[0], sample)
    outcome: Literal["graded", "unparsed", "error"] = "error"
    try:
        trajectory = await _loop(desk, desk.ctx.complete, slot, harness[1], env, task).run()
    except CallFailed as error:
        rollout = Rollout(
            harness[0], unit, benchmark, task.id, sample, outcome, None, parsed=error.reason,
            slot=error.slot,
        )  # fmt: skip
        return rollout, None
    grade = env.grade(task.id, trajectory.answer) if trajectory.end == "answered" else None
    parsed = trajectory.end if grade is None else grade.parsed
    outcome = "unparsed" if grade is None or grade.cls is None else "graded"
    score = Fraction(0) if grade is None else grade.score
    return (
        Rollout(
            harness[0], unit, benchmark, task.id, sample, outcome, score,
            None if grade is None else grade.cls, parsed, slot=trajectory.slot,
        ),
        trajectory,
    )  # fmt: skip


def _loop(
    desk: Desk, complete: Complete, slot: Slot, harness: Harness, env: Environment, task: AgentTask
) -> Loop:
    profile = desk.setup.profiles["agent"]
    first = replace(opening(profile, harness, env, task), sample=slot.number)
    if first.params.seed is not None:
        first = replace(first, params=replace(first.params, seed=first.params.seed + slot.number))
    return Loop(complete, slot, first, harness, env, task)


async def shown_again(
    desk: Desk, harness: tuple[str, Harness], benchmark: str, task: str, kept: Sequence[Kept]
) -> dict[str, Json]:
    """A task's rollouts in full, as the history shows them, from the calls that the run has.

    `kept` are the state's entries. Nothing is bought: the rollouts are played again from the file.
    """
    env = desk.variants[benchmark]
    asked = next(one for one in env.tasks if one.id == task)
    rollouts: list[Json] = []
    for entry in kept:
        slot = Slot(entry["unit"], f"agent:{benchmark}:{task}", harness[0], entry["sample"])
        played = await _loop(desk, desk.ctx.recall, slot, harness[1], env, asked).run()
        rollouts.append({**played.shown(), "score": entry["score"]})
    return {"question": asked.question, "rollouts": rollouts}


def _scores(sheet: Sheet, rolled: list[Rolled]) -> dict[str, tuple[Fraction, ...]]:
    scores: dict[str, tuple[Fraction, ...]] = {task: () for task in sheet.tasks}
    for rollout, _ in rolled:
        if rollout.score is not None:
            scores[rollout.item] += (rollout.score,)
    return scores


def _trajectories(rolled: list[Rolled]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for rollout, trajectory in rolled:
        if trajectory is not None:
            entry: dict[str, Json] = {**trajectory.plain(), "score": str(rollout.score)}
            entry |= {"unit": rollout.unit, "sample": rollout.sample}
            found.setdefault(rollout.item, []).append(entry)
    return found
