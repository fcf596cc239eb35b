"""One round of a method: feedback, candidates, selection; for CHASE the Challenger too."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...gates.together import together
from ...model.core import Decision, NodeState
from ...model.llm import Json
from .challenge import challenge
from .evaluate import evaluate_evo
from .gains import REL, Gains
from .propose import Candidate, propose
from .selection import Choice, select_higher, select_round
from .setup import Desk
from .state import BASE, NEUTRAL, State

RULE = (
    "every counterfactual of the archive may destroy at most so much of the gain over H0; "
    "a higher released score alone is not enough"
)


async def chase_round(desk: Desk, unit: str, state: State, number: int) -> None:
    """Round t of CHASE; the state grows by H_t and perhaps a counterfactual. Raises CallOpen."""
    archive = state.archived(await _begin(desk, unit, state))
    known = list(dict.fromkeys((BASE, state.start)))
    await _all(desk, unit, state, known, archive)
    candidates = await propose(desk, unit, state, number, _constraints(desk, state, archive))
    await _all(desk, unit, state, [one.id for one in candidates], archive)
    choice = await _select(desk, unit, state, number, candidates)
    if choice.harness == BASE:
        await desk.ctx.record(
            Decision(unit, "confirm", "skip", unit, (), (), "H_t is H_0: nothing to challenge")
        )
    else:
        await challenge(desk, unit, state, number)


async def _begin(desk: Desk, unit: str, state: State) -> frozenset[str]:
    """Start a round as people's vetoes stand, which a decision names since prompts follow them."""
    said = await desk.ctx.point(unit, "propose")
    state.begin(said.vetoed)
    if used := state.used(said.vetoed):
        reason = f"candidates are revisions of {state.start}, as the vetoes stand"
        await desk.ctx.record(
            Decision(unit, "propose", "keep", unit, (), (state.start,), reason, used)
        )
    return said.vetoed


async def _all(
    desk: Desk, unit: str, state: State, names: Sequence[str], archive: Sequence[str]
) -> None:
    await together(
        evaluate_evo(desk, unit, state, name, benchmark) for name in names for benchmark in archive
    )


def _constraints(desk: Desk, state: State, archive: Sequence[str]) -> list[Json]:
    """What the proposer is told of the archive, with every harness that violates it."""
    found: list[Json] = []
    for member in state.archive:
        if member.id not in archive:
            continue
        changes: list[Json] = list(sorted(member.composition.features))
        violated: dict[str, Json] = {
            name: str(gains.destroyed(member.id))
            for name, gains in _measured(state, (REL, member.id)).items()
            if gains.destroyed(member.id) > desk.settings.epsilon
        }
        found.append(
            {
                "benchmark": member.id,
                "description": member.description,
                "operators": member.composition.plain(),
                "changes": changes,
                "rule": RULE,
                "limit": str(desk.settings.epsilon),
                "violated_by": violated,
            }
        )
    return found


def _measured(state: State, archive: Sequence[str]) -> dict[str, Gains]:
    """The gains of every harness that has a score everywhere on the archive."""
    return {
        name: state.evo.gains(name, BASE, archive)
        for name in state.harnesses
        if state.evo.measurable(name, BASE, archive)
    }


async def _select(
    desk: Desk, unit: str, state: State, number: int, candidates: Sequence[Candidate]
) -> Choice:
    said = await desk.ctx.point(unit, "select")
    archive = state.archived(said.vetoed)
    current, open_ = state.eligible(said.vetoed, [one.id for one in candidates])
    # a veto that was taken back meanwhile brings a benchmark that nothing was scored under
    await _all(desk, unit, state, list(dict.fromkeys((BASE, current, *open_))), archive)
    state.evo.demand(BASE, archive)
    measured = state.evo.compared((BASE, current, *open_), BASE, archive)
    current = current if current in measured else BASE
    alive = [measured[name] for name in open_ if name in measured]
    choice = select_round(alive, measured[current], BASE, desk.settings.epsilon)
    considered = [measured[BASE], *([measured[current]] if current != BASE else []), *alive]
    effects = [
        NodeState(
            one.harness, "survivor" if one.harness == choice.harness else "discarded",
            state.evo.rate(one.harness, REL),
        )
        for one in alive
    ]  # fmt: skip
    rows = tuple(row(one, desk.settings.epsilon) for one in considered)
    decision = Decision(
        unit, "select", choice.outcome, unit, rows, (choice.harness,), choice.reason,
        state.used(said.vetoed),
    )  # fmt: skip
    await desk.ctx.record(decision, effects=effects)
    kinds: dict[str, Json] = {c.id: c.kind for c in candidates}
    state.close(number, choice, {"reason": choice.reason, "candidates": kinds})
    return choice


def row(gains: Gains, epsilon: Fraction) -> dict[str, Json]:
    """A harness as a decision considers it: every gain and Delta, exact."""
    return {
        "node": gains.harness,
        "g_rel": str(gains.released),
        "gains": {b: str(g) for b, g in gains.gains.items()},
        "gamma": str(gains.gamma),
        "binding": gains.binding,
        "feasible": gains.feasible(epsilon),
        "missing": gains.missing,
    }


async def gated_round(desk: Desk, unit: str, state: State, number: int) -> None:
    """A round of HarnessCompass (released score) or B0-Access (B_0's score): the fixed gate, and a
    candidate only on a strictly higher score."""
    benchmark = NEUTRAL if state.method == "b0" else REL
    await _begin(desk, unit, state)
    candidates = await propose(desk, unit, state, number, ())
    await _all(desk, unit, state, [one.id for one in candidates], [benchmark])
    said = await desk.ctx.point(unit, "select")
    current, alive = state.eligible(said.vetoed, [one.id for one in candidates])
    compared, tasks = state.evo.shared((current, *alive), [benchmark])
    rates = {name: state.evo.rate(name, benchmark, tasks) for name in compared}
    scored = [(name, rates[name]) for name in alive if name in rates]
    choice = select_higher(scored, (current, rates[current]))
    missing = len(state.evo.tasks) - len(tasks)
    considered: list[Mapping[str, Json]] = [
        {"node": name, "score": str(value), "missing": missing} for name, value in scored
    ]
    effects = [
        NodeState(
            name, "survivor" if name == choice.harness else "discarded",
            state.evo.rate(name, benchmark),
        )
        for name, _ in scored
    ]  # fmt: skip
    await desk.ctx.record(
        Decision(
            unit, "select", choice.outcome, unit, tuple(considered), (choice.harness,),
            choice.reason, state.used(said.vetoed),
        ),
        effects=effects,
    )  # fmt: skip
    state.close(number, choice, {})
