"""The loop of rounds, for the search itself and for each of its arms."""

from collections.abc import Mapping
from dataclasses import replace

from ...context import Context, UnitBody, UnitSpec
from ...errors import DataError
from ...model.llm import Json
from .bench import Operator
from .outcome import RoundResult
from .pool import Desk
from .round import Round
from .trial import REST


async def rounds(desk: Desk, prefix: str, kind: str, first: int) -> list[RoundResult] | None:
    """The units of one loop, until it ends; None where one is parked.

    `desk` grows with what is admitted. `first` is the place of the first unit in the run.
    """
    results: list[RoundResult] = []
    for number in range(desk.arm.limits.rounds + 1):
        spec = UnitSpec(f"{prefix}-{number + 1}", kind, first + number)
        found = await unit_of(desk.ctx, spec, _round(desk, number))
        if found is None:
            return None
        results.append(RoundResult.from_json(found))
        await _apply(desk, results[-1])
        if results[-1].ended not in ("admitted", "abandoned"):
            break
    return results


async def unit_of(ctx: Context, spec: UnitSpec, body: UnitBody) -> Mapping[str, Json] | None:
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


def _round(desk: Desk, number: int) -> UnitBody:
    async def body(unit: UnitSpec) -> None:
        result = await Round(desk, unit.id, number).run()
        await desk.ctx.finish_unit(unit.id, result.as_json())

    return body


async def _apply(desk: Desk, result: RoundResult) -> None:
    """What a finished round changes for the next one."""
    progress = replace(desk.progress, calls=desk.progress.calls + result.calls)
    if result.admitted is not None:
        await join(desk, result.admitted)
        progress = progress.admitted()
    elif result.ended == "abandoned" and result.target is not None:
        abandoned = progress.abandoned | {result.target}
        progress = replace(progress.admitted(), abandoned=abandoned)
    desk.progress = progress


async def join(desk: Desk, operator: Operator) -> None:
    """Let an admitted operator into the pool, with its verdicts on all programs."""
    if operator.node not in desk.columns:
        verdicts = await desk.bench.complete(operator, {}, REST)
        desk.columns[operator.node] = desk.training.column(verdicts)
    desk.admitted.append(operator)
