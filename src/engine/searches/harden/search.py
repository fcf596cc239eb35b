"""HARDEN: harder, answer-preserving evaluation cases (Kumaran et al. 2026; design: harden.md).

The domain analysis is one unit, every case another. A search is deterministic given its seed, the
recorded calls and people's commands: it runs again from the top on every start.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...benchmarks.base import Case
from ...benchmarks.sampling import sample, shards
from ...canonical import canonical_json
from ...context import Context, UnitBody, UnitSpec
from ...errors import CallOpen, DataError
from ...model.core import Item
from ...model.harden import AxisCounts, CaseResult
from ...model.llm import Json
from ..spec import SearchSpec
from .case import search_case
from .domain import analyse, restore
from .racing import wave_ends
from .research import UNIT
from .setup import ROLES, HardenSetup
from .state import Desk

REPLAY_VERSION = 1
"""Raised in the commit that makes older run files no longer replay."""


async def run(ctx: Context, setup: HardenSetup) -> None:
    """Search all sampled cases. Raises DataError where the domain analysis gives nothing usable;
    a case that fails is parked or counted as failed, and the others go on."""
    settings = setup.settings
    wave_ends(settings.rollouts, settings.waves, racing=settings.racing)
    cases = sampled_cases(ctx.seed, setup)
    parts = shards(cases, settings.shards)
    await ctx.record(*_items(parts))
    result = await _domain(ctx, setup, cases)
    if result is None:
        return
    found = restore(result)
    desk = Desk(ctx, setup, found.axes, found.rubric)
    await _search_all(desk, parts)


def sampled_cases(seed: int, setup: HardenSetup) -> list[Case]:
    """The cases of the run, in source order; raises DataError where an id cannot name a unit or a
    role has no model."""
    missing = [role for role in ROLES if role not in setup.profiles]
    if missing:
        raise DataError(f"models: no model for {', '.join(missing)}; add it to [models]")
    cases = sample(setup.benchmark.cases, setup.sample, seed)
    if not cases:
        raise DataError("benchmark: it holds no case; give a file with cases")
    if any(case.id == UNIT for case in cases):
        raise DataError(f"case {UNIT!r}: this id is the run's own; rename the case")
    return cases


async def _domain(
    ctx: Context, setup: HardenSetup, cases: Sequence[Case]
) -> Mapping[str, Json] | None:
    """The analysis's result; None while it is parked. Its clear errors end the run."""
    errors: list[DataError] = []

    async def body(unit: UnitSpec) -> None:
        try:
            await ctx.finish_unit(unit.id, await analyse(ctx, setup, cases))
        except DataError as error:
            errors.append(error)
            raise

    await ctx.run_units([UnitSpec(UNIT, "domain", 0)], body)
    if errors:
        raise errors[0]
    return await ctx.unit_result(UNIT)


async def _search_all(desk: Desk, parts: Sequence[Sequence[Case]]) -> None:
    """All cases; where a shard shares its axis counts, its cases one after another."""
    specs: list[list[UnitSpec]] = []
    place = 1
    for part in parts:
        specs.append([UnitSpec(case.id, "case", place + k) for k, case in enumerate(part)])
        place += len(part)
    by_id = {case.id: (case, number) for number, part in enumerate(parts) for case in part}

    async def alone(unit: UnitSpec) -> None:
        case, shard = by_id[unit.id]
        result = await search_case(desk, case, shard, {})
        await desk.ctx.finish_unit(unit.id, result.as_json())

    async def in_turn(unit: UnitSpec) -> None:
        case, shard = by_id[unit.id]
        earlier = [spec for spec in specs[shard] if spec.ord < unit.ord]
        counts = await shard_counts(desk.ctx, earlier)
        result = await search_case(desk, case, shard, counts)
        await desk.ctx.finish_unit(unit.id, result.as_json())

    if desk.settings.feedback_scope == "case":
        await desk.ctx.run_units([unit for shard in specs for unit in shard], alone)
    else:
        await _each_in_turn(desk.ctx, specs, in_turn)


async def _each_in_turn(ctx: Context, specs: Sequence[Sequence[UnitSpec]], body: UnitBody) -> None:
    """The shards beside each other; what ends the run in one of them ends the others too."""
    try:
        async with asyncio.TaskGroup() as group:
            for shard in specs:
                group.create_task(ctx.run_units(shard, body, one_after_another=True))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def shard_counts(ctx: Context, earlier: Sequence[UnitSpec]) -> dict[str, AxisCounts]:
    """The axis counts of a shard's finished cases, from their recorded results.

    Raises CallOpen where an earlier case is not finished: counts without it would differ on replay,
    so the later ones wait for it.
    """
    total: defaultdict[str, AxisCounts] = defaultdict(AxisCounts)
    for unit in earlier:
        result = await ctx.unit_result(unit.id)
        if result is None:
            raise CallOpen(f"waits for case {unit.id} of its shard; retry that one first")
        for axis, counts in CaseResult.from_json(result).axes.items():
            total[axis] += counts
    return dict(total)


def _items(parts: Sequence[Sequence[Case]]) -> list[Item]:
    placed = [(number, case) for number, part in enumerate(parts) for case in part]
    return [
        Item(case.id, f"shard {number}", canonical_json(_record(case)), place)
        for place, (number, case) in enumerate(placed)
    ]


def _record(case: Case) -> dict[str, Json]:
    return {
        "fields": dict(case.fields),
        "expected": case.expected,
        "metadata": dict(case.metadata),
        "source": case.source,
    }


HARDEN = SearchSpec("harden", REPLAY_VERSION, run)
