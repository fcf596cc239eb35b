"""One case from its baseline to its result (harden.md, 3)."""

from collections.abc import Mapping

from ...benchmarks.base import Case
from ...canonical import canonical_json
from ...gates.together import together
from ...model.core import Decision, Effect, Event, Node, NodeState, Rollout, Tally, Verdict
from ...model.harden import AxisCounts, CaseResult, Score
from .finalise import Ending, finalise
from .generation import evolve
from .rollouts import fresh_score, roll, roll_greedy
from .selection import unimprovable
from .state import CaseState, Desk, Variant, entropy_of, node_id, score_of


async def search_case(
    desk: Desk, case: Case, shard: int, base_counts: Mapping[str, AxisCounts]
) -> CaseResult:
    """Search one case. Its unit has the case's id. Raises CallOpen, which parks it."""
    unit = case.id
    original = Variant(node_id(unit, 0, 0), None, 0, 0, case)
    state = CaseState(unit, shard, original, base_counts)
    state.add(original)
    await desk.ctx.record(_original_node(unit, original))
    score = await _baseline(desk, state)
    if score is None:
        return _failed(state)
    state.scores[original.node] = score
    state.population = (state.contender(original.node),)
    if _futile(desk, score):
        return await _keep_unimprovable(desk, state)
    await _record_baseline(desk, state, score)
    for generation in range(1, desk.settings.generations + 1):
        if not await evolve(desk, state, generation):
            break
    ending = await finalise(desk, state)
    return _result(desk, state, ending)


async def _baseline(desk: Desk, state: CaseState) -> Score | None:
    """T rollouts and the greedy completion of the original; None where a rollout failed."""
    total = desk.settings.rollouts
    sampled, _ = await together_two(desk, state, total)
    score = score_of(sampled, total)
    if score is None:
        reason = next(r.parsed or "" for r in sampled if r.outcome == "error")
        await desk.ctx.record(
            Verdict(
                state.original.node, state.unit, "rollouts", None, "error", "rule",
                f"the baseline could not be had: {reason}",
            ),
            effects=[NodeState(state.original.node, "error")],
        )  # fmt: skip
    return score


async def together_two(
    desk: Desk, state: CaseState, total: int
) -> tuple[list[Rollout], list[Rollout]]:
    """The baseline's samples and its greedy completion, asked for at once."""

    async def greedy() -> list[Rollout]:
        return [await roll_greedy(desk, state.unit, state.original)]

    sampled = roll(desk, state.unit, state.original, range(total))
    first, second = await together([sampled, greedy()])
    return first, second


def _futile(desk: Desk, score: Score) -> bool:
    """Whether the futility skip applies; never where a shard shares counts, which would differ."""
    settings = desk.settings
    if not settings.futility or settings.feedback_scope == "shard":
        return False
    return unimprovable(score.value, settings.rollouts, binary=desk.benchmark.binary)


async def _record_baseline(desk: Desk, state: CaseState, score: Score) -> None:
    await desk.ctx.record(
        Verdict(
            state.original.node, state.unit, "rollouts", None, "pass", "rule",
            f"baseline {score.value}",
        ),
        effects=[_scored(desk, state, "parent", score)],
    )  # fmt: skip


async def _keep_unimprovable(desk: Desk, state: CaseState) -> CaseResult:
    """Keep a case that cannot get harder without collapsing; it is scored afresh like all."""
    node, score = state.original.node, state.scores[state.original.node]
    state.saved["futility"] = certain_calls(desk)
    await desk.ctx.record(
        Decision(
            unit=state.unit,
            step="unimprovable",
            kind="unimprovable",
            group=state.unit,
            considered=({"node": node, "score": str(score.value)},),
            chosen=(node,),
            reason=f"{score.value} is at most 1/{desk.settings.rollouts}",
        ),
        effects=[
            _scored(desk, state, "unimprovable", score),
            Tally(state.unit, "saved", "futility", "calls", state.saved["futility"]),
            Event("unimprovable", "decision", f"{state.unit}|unimprovable"),
        ],
    )
    fresh = await fresh_score(desk, state.unit, state.original)
    return _result(desk, state, Ending(state.original, False, fresh, fresh), futile=True)


def certain_calls(desk: Desk) -> int:
    """What a futile search would surely have asked for: its mutation calls. What would have
    followed from them nobody knows, so it is not claimed as saved."""
    return desk.settings.generations


def _original_node(unit: str, original: Variant) -> Node:
    assert original.case is not None
    return Node(
        id=original.node,
        unit=unit,
        kind="case",
        group=unit,
        generation=0,
        index=0,
        content=canonical_json(dict(original.case.fields)),
        description="the original",
    )


def _scored(desk: Desk, state: CaseState, name: str, score: Score) -> Effect:
    entropy = entropy_of(score, desk.entropy_base)
    return NodeState(state.original.node, name, score.value, entropy=entropy)


def _failed(state: CaseState) -> CaseResult:
    return CaseResult(
        case=state.unit,
        shard=state.shard,
        status="failed",
        original=state.original.node,
        final=None,
        reason="the baseline could not be had",
    )


def _result(desk: Desk, state: CaseState, ending: Ending, *, futile: bool = False) -> CaseResult:
    before, after = (state.scores[n] for n in (state.original.node, ending.final.node))
    fresh = [None if s is None else s.value for s in (ending.fresh_before, ending.fresh_after)]
    return CaseResult(
        case=state.unit,
        shard=state.shard,
        status="unimprovable" if futile else "hardened" if ending.promoted else "kept",
        original=state.original.node,
        final=ending.final.node,
        score_before=before.value,
        score_after=after.value,
        fresh_before=fresh[0],
        fresh_after=fresh[1],
        entropy_before=entropy_of(before, desk.entropy_base),
        entropy_after=entropy_of(after, desk.entropy_base),
        generations=state.generations,
        skipped=state.skipped,
        survivors=tuple(member.node for member in state.population),
        axes=dict(state.counts),
        saved_by_vote_stopping=state.saved["vote_stopping"],
        saved_by_racing=state.saved["racing"],
        skipped_by_futility=state.saved["futility"],
        saved_greedy=max(0, state.saved["greedy"] - int(ending.promoted)),
    )
