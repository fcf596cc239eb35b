"""Sampled and greedy responses of the task model, graded (HARDEN, Eq. 1)."""

from collections.abc import Iterable
from typing import Literal

from ...errors import CallFailed
from ...gates.together import together
from ...model.core import Rollout, Slot
from ...model.harden import Score
from ...model.llm import Request
from .requests import greedy_request, numbered, task_request
from .state import CONTEXT, Desk, Variant, case_of, score_of

GREEDY = -1
"""The sample number of the greedy completion."""


async def roll(
    desk: Desk, unit: str, variant: Variant, samples: Iterable[int], purpose: str = "rollout"
) -> list[Rollout]:
    """Rollouts of a variant, by sample number, recorded together once all have ended.

    One that failed for good has the outcome `error` and no score. Raises CallOpen.
    """
    prompt, profile = desk.benchmark.prompt(case_of(variant)), desk.profile("task")
    top = desk.settings.top_logprobs == "always"
    first = task_request(profile, prompt, top_logprobs=top)
    rollouts = await together(
        _one(desk, unit, variant, purpose, k, numbered(first, k)) for k in samples
    )
    if rollouts:
        await desk.ctx.record(*rollouts)
    return rollouts


async def roll_greedy(desk: Desk, unit: str, variant: Variant) -> Rollout:
    """The greedy completion of a variant, recorded; nothing in the search reads it."""
    prompt = desk.benchmark.prompt(case_of(variant))
    request = greedy_request(desk.profile("task"), prompt)
    rollout = await _one(desk, unit, variant, "greedy", GREEDY, request)
    await desk.ctx.record(rollout)
    return rollout


async def fresh_score(desk: Desk, unit: str, variant: Variant) -> Score | None:
    """The score over T rollouts that no selection saw (samples T to 2T - 1); None if one of them
    could not be had."""
    total = desk.settings.rollouts
    rollouts = await roll(desk, unit, variant, range(total, 2 * total), "fresh")
    return score_of(rollouts, total)


async def _one(
    desk: Desk, unit: str, variant: Variant, purpose: str, sample: int, request: Request
) -> Rollout:
    case = case_of(variant)
    slot = Slot(unit, purpose, variant.node, sample)
    try:
        completion = await desk.ctx.complete(slot, request)
    except CallFailed as error:
        return Rollout(
            variant.node, unit, CONTEXT, case.id, sample, "error", None, parsed=error.reason,
            slot=slot.key,
        )  # fmt: skip
    grade = desk.benchmark.grade(case, completion.text)
    outcome: Literal["graded", "unparsed"] = "unparsed" if grade.cls is None else "graded"
    logprobs = completion.logprobs
    return Rollout(
        node=variant.node,
        unit=unit,
        context=CONTEXT,
        item=case.id,
        sample=sample,
        outcome=outcome,
        score=grade.score,
        cls=grade.cls,
        parsed=grade.parsed,
        logprob_sum=None if logprobs is None else logprobs.total,
        tokens=None if logprobs is None else logprobs.count,
        slot=slot.key,
    )
