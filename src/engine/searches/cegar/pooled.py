"""A pool of several runs: what each has admitted, on this run's own pinned candidates.

One run admits about one operator; composition, classes and rarefaction need many (cegar.md, 2;
decisions.md). Nothing is authored here. Each operator is run again, and its verdicts are held
against those of the run that wrote it: on one electorate they must be the same.
"""

from collections.abc import Sequence

from ...canonical import canonical_json
from ...context import UnitBody, UnitSpec
from ...model.core import Decision, Event, NodeState
from ...model.llm import Json
from .baseline import node_of
from .bench import Operator
from .cells import unpack_some
from .from_run import SOURCES, FromRun, merged_operators
from .loop import join, unit_of
from .outcome import RoundResult
from .pool import Desk
from .round import pool_with
from .trial import REST, detail_of

POOLED = "pooled"
"""How such a run ends."""


async def merge(desk: Desk, runs: Sequence[FromRun]) -> list[RoundResult] | None:
    """A unit for each operator; `desk` grows by all of them. None while one is parked."""
    listed: list[Json] = [
        {"name": run.name, "calls": run.calls, "operators": len(run.operators)} for run in runs
    ]
    await desk.ctx.save_text(SOURCES, canonical_json(listed))
    results: list[RoundResult] = []
    for number, (operator, planes) in enumerate(merged_operators(runs)):
        spec = UnitSpec(f"target-{number + 1}", "target", number + 1)
        found = await unit_of(desk.ctx, spec, _admitted(desk, operator, planes, number))
        if found is None:
            return None
        results.append(RoundResult.from_json(found))
        await join(desk, operator)
    return [*results, RoundResult(POOLED, 0)]


def _admitted(desk: Desk, operator: Operator, planes: bytes, number: int) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        said = await desk.ctx.point(unit.id, f"admit:{operator.node}")
        origin: dict[str, Json] = {"kind": "pooled", "run": operator.node.split("/")[0]}
        await desk.ctx.record(node_of(operator, unit.id, unit.id, number + 1, 0, origin))
        verdicts = await desk.bench.complete(operator, {}, REST)
        desk.columns[operator.node] = desk.training.column(verdicts)
        alone = desk.alone(desk.columns[operator.node])
        pool, effects = pool_with(desk, unit.id, operator, said)
        before = unpack_some(planes, len(verdicts))
        changed = sum(one is not before.get(n) for n, one in verdicts.items())
        await desk.ctx.record(
            Decision(
                unit.id, "admit:0", "admit", unit.id,
                ({"node": operator.node, **detail_of(alone), "pool": pool, "changed": changed},),
                (operator.node,), f"admitted by another run; {changed} verdicts differ here",
            ),
            effects=[
                NodeState(operator.node, "promoted", alone.delta),
                Event("admitted", "node", operator.node),
                *effects,
            ],
        )  # fmt: skip
        await _revised(desk, unit.id, operator)
        result = RoundResult("admitted", 0, admitted=operator)
        await desk.ctx.finish_unit(unit.id, result.as_json())

    return body


async def _revised(desk: Desk, unit: str, operator: Operator) -> None:
    """A veto after the merge takes the operator out of the pool from then on."""
    ctx, step = desk.ctx, f"revise:{operator.node}"
    if not ctx.wants_revision(unit, step, [operator.node]):
        return
    said = await ctx.point(unit, step)
    if operator.node in said.vetoed:
        considered = ({"node": operator.node},)
        reason = "vetoed by a person after it was merged"
        await ctx.record(
            Decision(unit, step, "fallback", unit, considered, (), reason, (operator.node,))
        )
