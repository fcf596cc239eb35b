"""EvalCEGAR: an evaluator evolved from its own blind spots (design: cegar.md).

Units: the baseline (labels, starting pool), then one a round, one after another; the last one
says how the search ended, with the certificate where every blind spot left has been abandoned.
"""

from collections.abc import Mapping
from dataclasses import replace

from ...canonical import canonical_json
from ...context import Context, UnitBody, UnitSpec
from ...errors import DataError
from ...model.core import Decision, Event
from ...model.llm import Json
from ..spec import SearchSpec
from . import baseline
from .bench import Operator
from .certificate import Abandoned, Failure, certificate
from .outcome import RoundResult
from .partition import BlindSpot
from .pool import Desk
from .round import Round
from .setup import ROLES, CegarSetup
from .training import LABELS
from .trial import REST
from .verdicts import LETTERS, Member, Verdict

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
    if await _unit(ctx, UnitSpec(baseline.UNIT, "baseline", 0), _baseline(ctx, setup)) is None:
        return
    desk = await baseline.open_desk(ctx, setup)
    results: list[RoundResult] = []
    for number in range(setup.settings.rounds + 1):
        spec = UnitSpec(f"target-{number + 1}", "target", number + 1)
        found = await _unit(ctx, spec, _round(desk, number))
        if found is None:
            return
        results.append(RoundResult.from_json(found))
        await _apply(desk, results[-1])
        if results[-1].ended not in ("admitted", "abandoned"):
            break
    await _unit(ctx, UnitSpec(ENDING, "ending", len(results) + 1), _ending(desk, results))


def check(setup: CegarSetup) -> None:
    """Raise DataError where a role has no model or a task's id cannot stand beside the labels."""
    missing = [role for role in ROLES if role not in setup.profiles]
    if missing:
        raise DataError(f"models: no model for {', '.join(missing)}; add it to [models]")
    if any(task.id == LABELS for task in setup.training.tasks):
        raise DataError(f"task {LABELS!r}: this id is the run's own; rename the task")


async def _unit(ctx: Context, spec: UnitSpec, body: UnitBody) -> Mapping[str, Json] | None:
    """Run one unit and give its result; None while it is parked. Clear errors end the run."""
    errors: list[DataError] = []

    async def guarded(unit: UnitSpec) -> None:
        try:
            await body(unit)
        except DataError as error:
            errors.append(error)
            raise

    await ctx.run_units([spec], guarded)
    if errors:
        raise errors[0]
    return await ctx.unit_result(spec.id)


def _baseline(ctx: Context, setup: CegarSetup) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        await baseline.baseline(ctx, setup, unit)

    return body


def _round(desk: Desk, number: int) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        result = await Round(desk, unit.id, number).run()
        await desk.ctx.finish_unit(unit.id, result.as_json())

    return body


async def _apply(desk: Desk, result: RoundResult) -> None:
    """What a finished round changes for the next one."""
    progress = replace(desk.progress, calls=desk.progress.calls + result.calls)
    if result.admitted is not None:
        await _join(desk, result.admitted)
        progress = progress.admitted()
    elif result.ended == "abandoned" and result.target is not None:
        abandoned = progress.abandoned | {result.target}
        progress = replace(progress.admitted(), abandoned=abandoned)
    desk.progress = progress


async def _join(desk: Desk, operator: Operator) -> None:
    if operator.node not in desk.columns:
        verdicts = await desk.bench.complete(operator, {}, REST)
        desk.columns[operator.node] = desk.training.column(verdicts)
    desk.admitted.append(operator)


def _ending(desk: Desk, results: list[RoundResult]) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        said = await desk.ctx.point(unit.id, "end")
        ended = results[-1].ended
        if ended in ("admitted", "abandoned"):
            ended = "incomplete"
        found = None
        if ended == "insufficient":
            pool = [operator.node for operator in desk.pool(said.vetoed)]
            found = certificate(_given_up(results), pool, desk.training.electorate)
            await desk.ctx.save_text(CERTIFICATE, canonical_json(found))
        left = len(desk.spots(said.vetoed))
        reason = f"{ended}: {left} blind spots are left"
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


def _given_up(results: list[RoundResult]) -> list[Abandoned]:
    return [
        Abandoned(
            spot_of(result.spot),
            result.fault,
            number,
            tuple(Failure(one.level, one.gate, one.reason) for one in result.failures),
        )
        for number, result in enumerate(results)
        if result.ended == "abandoned" and result.spot is not None
    ]


def spot_of(value: Mapping[str, Json]) -> BlindSpot:
    """A class from a unit's result."""

    def members(key: str) -> tuple[Member, ...]:
        listed = value[key]
        assert isinstance(listed, list)
        return tuple(Member(*pair) for pair in listed)  # type: ignore[misc]

    signature = tuple(Verdict(LETTERS.index(letter)) for letter in str(value["signature"]))
    return BlindSpot(signature, members("correct"), members("incorrect"))


CEGAR = SearchSpec("cegar", REPLAY_VERSION, run)
