"""EvalCEGAR: an evaluator evolved from its own blind spots (design: cegar.md).

Units: the baseline (labels, starting pool), then one a round, one after another; the next one
says how the search ended, with the certificate where every blind spot left has been abandoned.
Behind it stands a unit for each operator that a person has vetoed. Baselines and ablations that
the configuration asks for come last, each in units of its own.
"""

from ...canonical import canonical_json
from ...context import Context, UnitBody, UnitSpec
from ...errors import DataError
from ...model.core import Decision, Event
from ..spec import SearchSpec
from . import baseline
from .certificate import Abandoned, Failure, certificate
from .comparisons import compare
from .loop import rounds, unit_of
from .outcome import RoundResult
from .partition import BlindSpot
from .pool import Desk
from .pooled import merge
from .revision import revise
from .setup import JUDGE, ROLES, CegarSetup
from .training import LABELS

REPLAY_VERSION = 1
"""Raised in the commit that makes older run files no longer replay."""
ENDING = "ending"
CERTIFICATE = "cegar/certificate"


async def run(ctx: Context, setup: CegarSetup) -> None:
    """Search until no blind spot is left, all are abandoned, or rounds or calls are used up.

    Raises DataError where a task's reference does not run, or a role has no model.
    """
    check(setup)
    await ctx.record(*baseline.items(setup))
    if await unit_of(ctx, UnitSpec(baseline.UNIT, "baseline", 0), _baseline(ctx, setup)) is None:
        return
    desk = await baseline.open_desk(ctx, setup)
    results = await (merge(desk, setup.runs) if setup.runs else rounds(desk, "target", "target", 1))
    if results is None:
        return
    spec = UnitSpec(ENDING, "ending", len(results) + 1)
    if await unit_of(ctx, spec, _ending(desk, results)) is not None:
        await revise(desk, len(results) + 1)
        await compare(desk, len(results) + 2)


def check(setup: CegarSetup) -> None:
    """Raise DataError where a role has no model or a task's id cannot stand beside the labels."""
    wanted = (*(ROLES if setup.authors else ()), *((JUDGE,) if setup.settings.judge else ()))
    missing = [role for role in wanted if role not in setup.profiles]
    if missing:
        raise DataError(f"models: no model for {', '.join(missing)}; add it to [models]")
    if any(task.id == LABELS for task in setup.training.tasks):
        raise DataError(f"task {LABELS!r}: this id is the run's own; rename the task")


def _baseline(ctx: Context, setup: CegarSetup) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        await baseline.baseline(ctx, setup, unit)

    return body


def _ending(desk: Desk, results: list[RoundResult]) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        said = await desk.ctx.point(unit.id, "end")
        spots = desk.spots(said.vetoed)
        given_up = given_up_now(results, spots, desk.arm.limits.attempts)
        ended = ending_of(results[-1].ended, len(spots), len(given_up))
        found = None
        if ended == "insufficient":
            pool = [operator.node for operator in desk.pool(said.vetoed)]
            found = certificate(given_up, pool, desk.training.electorate)
            await desk.ctx.save_text(CERTIFICATE, canonical_json(found))
        reason = f"{ended}: {len(spots)} blind spots are left"
        await desk.ctx.record(
            Decision(
                unit.id, "stop", "stop", unit.id,
                tuple({"node": o.node} for o in desk.admitted),
                tuple(o.node for o in desk.voting(said.vetoed)), reason,
                tuple(sorted(o.node for o in desk.admitted if o.node in said.vetoed)),
            ),
            effects=[Event("stop", "decision", f"{unit.id}|stop")],
        )  # fmt: skip
        await desk.ctx.finish_unit(
            unit.id,
            {"ended": ended, "certificate": None if found is None else found["sha256"]},
        )

    return body


def ending_of(last: str, left: int, given_up: int) -> str:
    """How a search ended whose last round ended as `last`, with `left` blind spots of which
    `given_up` have defeated every attempt: a veto since, or a skipped target, leaves it incomplete.
    """
    untried = last in ("separated", "insufficient") and given_up < left
    return "incomplete" if untried or last in ("admitted", "abandoned") else last


def given_up_now(
    results: list[RoundResult], spots: list[BlindSpot], attempts: int
) -> list[Abandoned]:
    """Those of today's blind spots that defeated every attempt, in the order of their rounds.

    A class that a later operator has split is no blind spot any more, and one that a person
    skipped has not defeated the attempts that were left.
    """
    left = {spot.key: spot for spot in spots}
    return [
        Abandoned(
            left[result.target],
            result.fault,
            number,
            tuple(Failure(one.level, one.gate, one.reason) for one in result.failures),
        )
        for number, result in enumerate(results)
        if result.ended == "abandoned" and result.target in left
        if len(result.failures) >= attempts
    ]


CEGAR = SearchSpec("cegar", REPLAY_VERSION, run)
