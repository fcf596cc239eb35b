"""The end of a case: promotion or keeping, rebuilt from the snapshot, scored afresh
(HARDEN, A.5.1; design: harden.md 3, decisions.md "Winner's curse")."""

from dataclasses import dataclass

from ...errors import DataError
from ...gates.ruling import Ruling
from ...gates.validity import fingerprint
from ...model.core import Decision, Effect, Event, NodeState, Tally
from ...model.harden import Score
from .gating import extract, gate_effects, pass_correctness, rule_verdict
from .generation import contender_row
from .rollouts import fresh_score, roll_greedy
from .selection import Contender, promotable, vetoed_closure
from .state import CaseState, Desk, Variant, case_of

FIRST = "promote0"


@dataclass(frozen=True, slots=True)
class Ending:
    """Which variant stands for the case, and both fresh scores (None: could not be had)."""

    final: Variant
    promoted: bool
    fresh_before: Score | None
    fresh_after: Score | None


async def finalise(desk: Desk, state: CaseState) -> Ending:
    """Promote the best variant that holds, or keep the original; again while a veto that came
    meanwhile supersedes what was promoted. Raises CallOpen.

    The original is scored afresh whatever happens, so that means over cases compare like with
    like; a kept case has the same fresh score before and after.
    """
    before = await fresh_score(desk, state.unit, state.original)
    turn, last = 0, None
    while True:
        chosen = await _promote(desk, state, f"promote{turn}", last)
        after = before
        if chosen is not None:
            after = await fresh_score(desk, state.unit, chosen)
            await roll_greedy(desk, state.unit, chosen)
        turn, last = turn + 1, chosen
        links = () if chosen is None else state.chain(chosen.node)[1:]
        if not desk.ctx.wants_revision(state.unit, f"promote{turn}", [v.node for v in links]):
            break
    return Ending(chosen or state.original, chosen is not None, before, after)


async def _promote(desk: Desk, state: CaseState, step: str, last: Variant | None) -> Variant | None:
    """One promotion. One that supersedes `last` is a promotion even where it falls back to the
    original."""
    said = await desk.ctx.point(state.unit, step)
    barred = vetoed_closure(said.vetoed, state.parents)
    able = promotable(state.population, state.baseline, barred)
    chosen = await _first_that_holds(desk, state, able)
    effects: list[Effect] = []
    if last is not None and last is not chosen:
        effects.append(NodeState(last.node, "survivor"))
    if chosen is not None:
        effects.append(NodeState(chosen.node, "promoted"))
    if step == FIRST and (unbought := state.saved["greedy"] - (chosen is not None)) > 0:
        effects.append(Tally(state.unit, "saved", "greedy", "calls", unbought))
    await desk.ctx.record(
        Decision(
            unit=state.unit,
            step=step,
            kind="keep" if chosen is None and last is None else "promote",
            group=state.unit,
            considered=tuple(contender_row(member) for member in state.population),
            chosen=(state.original.node if chosen is None else chosen.node,),
            reason=_reason(state, able, chosen),
            vetoes=tuple(m.node for m in state.population if m.node in barred),
        ),
        effects=[*effects, Event("promote", "decision", f"{state.unit}|{step}")],
    )
    return chosen


async def _first_that_holds(desk: Desk, state: CaseState, able: list[Contender]) -> Variant | None:
    """The best contender that can be rebuilt and, where it is asked for, passes the final audit."""
    for contender in able:
        variant = state.variants[contender.node]
        if variant.node not in state.held:
            rebuilt = await _rebuilt(desk, state, variant)
            state.held[variant.node] = rebuilt and await _audited(desk, state, variant)
        if state.held[variant.node]:
            return variant
    return None


async def _rebuilt(desk: Desk, state: CaseState, variant: Variant) -> bool:
    """Rebuild the case from the immutable snapshot with the mutable parts alone, and check it."""
    ruling = rebuild(desk, state.original, variant)
    verdict = rule_verdict(state.unit, variant.node, "rebuild", ruling)
    effects = gate_effects(state.unit, variant, "rebuild", passed=ruling.passed)[:1]
    await desk.ctx.record(verdict, effects=effects)
    return ruling.passed


def rebuild(desk: Desk, original: Variant, variant: Variant) -> Ruling:
    """Whether original plus the variant's mutable parts gives the variant, valid once more."""
    case = case_of(variant)
    changes = {name: case.fields[name] for name in desk.benchmark.mutable}
    try:
        again = desk.benchmark.with_fields(case_of(original), changes)
    except DataError as error:
        return Ruling("fail", str(error))
    problems = desk.benchmark.validate(again)
    if problems:
        return Ruling("fail", problems[0])
    same = fingerprint(again) == fingerprint(case)
    return Ruling("pass") if same else Ruling("fail", "an immutable part differs")


async def _audited(desk: Desk, state: CaseState, variant: Variant) -> bool:
    """The final audit against the original; a child of the original has passed it already."""
    if not desk.settings.final_audit or variant.parent == state.original.node:
        return True
    await extract(desk, state, state.original)
    return await pass_correctness(
        desk, state, variant, state.original, "final_audit", "final_audit"
    )


def _reason(state: CaseState, able: list[Contender], chosen: Variant | None) -> str:
    if chosen is not None:
        return f"{state.scores[chosen.node].value} is below {state.baseline}"
    if state.skipped:
        return "skipped, and nothing that holds is below the original"
    return "nothing below the original holds" if able else "nothing is below the original"
