"""The pool that is left after a veto: a unit for each vetoed operator, behind the ending.

A round knows the pool of its own time only. A veto that comes later takes an operator out of a
pool that no admission has scored, so the figures of what is left are a decision of their own.
"""

from ...context import UnitBody, UnitSpec
from ...model.core import Decision, Effect
from ...model.llm import Json
from .bench import Operator
from .loop import unit_of
from .pool import Desk
from .round import pool_of

KIND = "revision"
"""The kind of these units."""


async def revise(desk: Desk, place: int) -> None:
    """Score the pool without its vetoed operators, once for each of them, in admission order."""
    vetoed = desk.ctx.vetoed()
    for operator in desk.admitted:
        if operator.node in vetoed:
            name = f"revised-{operator.node.replace('/', '-')}"
            await unit_of(desk.ctx, UnitSpec(name, KIND, place), _revised(desk, operator))


def _revised(desk: Desk, operator: Operator) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        said = await desk.ctx.point(unit.id, "revise")
        voting = desk.voting(said.vetoed)
        gone = tuple(sorted(o.node for o in desk.admitted if o.node in said.vetoed))
        considered: dict[str, Json] = {"node": operator.node}
        effects: list[Effect] = []
        if voting:
            considered["pool"], effects = pool_of(desk, unit.id, operator.node, voting)
        await desk.ctx.record(
            Decision(
                unit.id, "revise", "fallback", unit.id, (considered,),
                tuple(one.node for one in voting),
                f"{len(voting)} operators are left since the veto of {operator.node}", gone,
            ),
            effects=effects,
        )  # fmt: skip
        await desk.ctx.finish_unit(unit.id, {"pool": [one.node for one in voting]})

    return body
