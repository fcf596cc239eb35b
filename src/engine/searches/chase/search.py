"""CHASE: counterfactual-guided harness evolution (paper 002; design: chase.md).

H_0's scores are one unit, every round of every method another, then the final choice and the
certification. A method's rounds follow each other and hand their state on as a kept text; the
methods run beside each other and see nothing of one another.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from ...canonical import canonical_json
from ...context import Context, UnitSpec
from ...errors import CallOpen, DataError
from ...model.core import Item, Node, NodeState
from ..spec import SearchSpec
from .certify import certify, choose_final, fix, guarantees, results, score_release
from .evaluate import evaluate_evo
from .gains import REL, Sheet
from .rounds import chase_round, gated_round
from .setup import ROLES, ChaseSetup, Desk
from .state import BASE, NEUTRAL, RELEASE, State, load_state

REPLAY_VERSION = 4
"""Raised in the commit that makes older run files no longer replay."""

START, FINAL, CERTIFICATION = "start", "final", "certification"
ROUND: dict[str, Callable[[Desk, str, State, int], Awaitable[None]]] = {
    "chase": chase_round,
    "compass": gated_round,
    "b0": gated_round,
}


async def run(ctx: Context, setup: ChaseSetup) -> None:
    """Search, choose, certify. Raises DataError for a setup that cannot be run; a unit that cannot
    go on is parked, and those that need it with it."""
    check(setup)
    desk = Desk(ctx, setup, {REL: setup.released})
    if setup.neutral is not None:
        desk.variants[NEUTRAL] = setup.neutral
    if setup.release is not None:
        desk.variants[RELEASE] = setup.release
    await ctx.record(*_items(setup))
    await ctx.run_units([UnitSpec(START, "start", 0)], lambda unit: _start(desk, unit))
    await _beside_each_other(desk)
    ends = (
        (UnitSpec(FINAL, "final", total(setup) - 2), _final),
        (UnitSpec(CERTIFICATION, "certification", total(setup) - 1), _certification),
    )
    for end, body in ends:
        await _reopened(desk)
        await ctx.run_units([end], partial(body, desk))


def total(setup: ChaseSetup) -> int:
    """How many units a run has."""
    return 3 + setup.settings.rounds * len(setup.settings.methods)


def check(setup: ChaseSetup) -> None:
    """Raise DataError where roles, methods or splits do not fit the settings."""
    settings, splits = setup.settings, setup.released.splits
    missing = [role for role in ROLES if role not in setup.profiles]
    if missing:
        raise DataError(f"models: no model for {', '.join(missing)}; add it to [models]")
    if "chase" not in settings.methods or len(set(settings.methods)) < len(settings.methods):
        raise DataError("chase.methods: name chase, and each method once")
    if "b0" in settings.methods and setup.neutral is None:
        raise DataError("chase.methods: b0 needs a benchmark whose B_0 is known; leave it out")
    wanted = ["evo", "disc", "cert", *(f"conf{t}" for t in range(1, settings.rounds + 1))]
    empty = [name for name in wanted if not splits.get(name)]
    if empty:
        raise DataError(f"benchmark: no tasks for {', '.join(empty)}; use fewer rounds, more tasks")


def _items(setup: ChaseSetup) -> list[Item]:
    envs = [setup.released, *([] if setup.release is None else [setup.release])]
    questions = {task.id: task.question for env in envs for task in env.tasks}
    placed = [(split, task) for e in envs for split, ids in e.splits.items() for task in ids]
    return [
        Item(task, split, canonical_json({"question": questions[task]}), place)
        for place, (split, task) in enumerate(placed)
    ]


async def _start(desk: Desk, unit: UnitSpec) -> None:
    """H_0, and its scores on D_evo that every method builds on."""
    base = desk.setup.first
    node = Node(BASE, unit.id, "harness", unit.id, 0, 0, canonical_json(base.plain()))
    await desk.ctx.record(node, effects=[NodeState(BASE, "survivor")])
    state = State("start", {BASE: base}, Sheet(desk.tasks("evo")), Sheet(desk.tasks("disc")))
    await evaluate_evo(desk, unit.id, state, BASE, REL)
    if "b0" in desk.settings.methods:
        await evaluate_evo(desk, unit.id, state, BASE, NEUTRAL)
        state.evo.demand(BASE, (NEUTRAL,))
    state.evo.demand(BASE, (REL,))
    await desk.ctx.save_text(f"state/{unit.id}", state.dump())
    await desk.ctx.finish_unit(unit.id, {"r_rel": str(state.evo.rate(BASE, REL))})


async def _beside_each_other(desk: Desk) -> None:
    """All methods; what ends the run in one of them ends the others too."""
    try:
        async with asyncio.TaskGroup() as group:
            for place, method in enumerate(desk.settings.methods):
                group.create_task(_rounds(desk, method, place))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def _reopened(desk: Desk) -> None:
    """Play the rounds again that a veto has reopened after their method had ended."""
    methods = enumerate(desk.settings.methods)
    units = [unit.id for place, method in methods for unit in _units(desk, method, place)]
    if None in [await desk.ctx.unit_result(unit) for unit in units]:
        await _beside_each_other(desk)


def _units(desk: Desk, method: str, place: int) -> list[UnitSpec]:
    rounds = desk.settings.rounds
    return [
        UnitSpec(f"{method}/r{t}", "round", 1 + place * rounds + t - 1)
        for t in range(1, rounds + 1)
    ]


async def _rounds(desk: Desk, method: str, place: int) -> None:
    units = _units(desk, method, place)

    async def body(unit: UnitSpec) -> None:
        number = units.index(unit) + 1
        before = units[number - 2].id if number > 1 else START
        state = await _load(desk, before, method)
        await ROUND[method](desk, unit.id, state, number)
        await _hand_on(desk, unit.id, state)

    await desk.ctx.run_units(units, body, one_after_another=True)


async def _load(desk: Desk, unit: str, method: str) -> State:
    """The state that a finished unit handed on. Raises CallOpen where it is not finished."""
    text = await desk.ctx.load_text(f"state/{unit}")
    if text is None or await desk.ctx.unit_result(unit) is None:
        raise CallOpen(f"waits for {unit}; retry that one first")
    state = load_state(text, desk.setup.operators)
    if unit == START:
        state.method = method
        if method != "b0":
            state.evo.scores.pop((BASE, NEUTRAL), None)
            state.trajectories[BASE].pop(NEUTRAL, None)
    for member in state.archive:
        if member.id not in desk.variants:
            desk.variants[member.id] = member.composition.apply(desk.setup.released)
    return state


async def _hand_on(desk: Desk, unit: str, state: State) -> None:
    await desk.ctx.save_text(f"state/{unit}", state.dump())
    await desk.ctx.finish_unit(
        unit, {"chosen": state.current, "archive": [member.id for member in state.archive]}
    )


async def _final(desk: Desk, unit: UnitSpec) -> None:
    state = await _load(desk, f"chase/r{desk.settings.rounds}", "chase")
    said = await desk.ctx.point(unit.id, "final")
    best, archive = await choose_final(desk, unit.id, state, said.vetoed)
    await desk.ctx.save_text(f"state/{unit.id}", state.dump())
    await desk.ctx.finish_unit(unit.id, {"chosen": best, "archive": list(archive)})


async def _certification(desk: Desk, unit: UnitSpec) -> None:
    """D_cert, once, after all methods' harnesses and the archive are fixed."""
    result = await desk.ctx.unit_result(FINAL)
    if result is None:
        raise CallOpen(f"waits for {FINAL}; retry that one first")
    state = await _load(desk, FINAL, "chase")
    listed = result["archive"]
    archive = tuple(str(b) for b in listed) if isinstance(listed, list) else (REL,)
    others = {
        method: await _load(desk, f"{method}/r{desk.settings.rounds}", method)
        for method in _others(desk.settings.methods)
    }
    fixed = await fix(desk, unit.id, state, others, str(result["chosen"]), archive)
    chosen, archive = fixed.methods["chase"][0], fixed.archive
    sheet = await certify(desk, unit.id, fixed)
    measured = sheet.measurable(chosen, BASE, archive)
    gains = sheet.gains(chosen, BASE, archive) if measured else None
    await desk.ctx.finish_unit(
        unit.id,
        {
            "methods": results(desk, fixed, sheet, await score_release(desk, unit.id, fixed)),
            "archive": list(archive),
            "guarantees": guarantees(desk, state, archive, gains),
        },
    )


def _others(methods: Sequence[str]) -> list[str]:
    return [method for method in methods if method != "chase"]


CHASE = SearchSpec("chase", REPLAY_VERSION, run)
