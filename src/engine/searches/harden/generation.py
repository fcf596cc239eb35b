"""One generation: rank axes, mutate the parent, gates, rollouts, selection (harden.md, 3)."""

from collections.abc import Sequence

from ...canonical import canonical_json
from ...gates.ruling import Ruling
from ...gates.together import together
from ...gates.validity import build_candidate, fingerprint
from ...model.core import Decision, Effect, Event, Node, NodeState, Tally, Verdict
from ...model.harden import AxisCounts
from ...model.llm import Json
from .gating import extract, gate_effects, pass_evidence, pass_models, rule_verdict
from .manifest import Entry
from .mutation import Proposal, propose
from .race import Race
from .ranking import rank_axes
from .selection import Contender, select, vetoed_closure
from .state import CaseState, Desk, Variant, case_of, entropy_of, node_id


async def evolve(desk: Desk, state: CaseState, generation: int) -> bool:
    """One generation of a case; false where a person skipped the case. Raises CallOpen."""
    said = await desk.ctx.point(state.unit, f"g{generation}/mutate")
    if said.skipped:
        await _skip(desk, state, generation, [])
        return False
    members = retained(state, vetoed_closure(said.vetoed, state.parents))
    parent = state.variants[members[0].node]
    ranked = rank_axes(
        desk.axes, state.axis_counts(), state.lineage_axes(parent.node), desk.settings.bonus
    )
    proposal = await propose(desk, state, generation, members, ranked)
    valid = await admit(desk, state, generation, parent, proposal)
    approved = await screen(desk, state, valid, parent)
    race = Race(desk, state, generation, parent, approved)
    finished = await race.run()
    went_on = finished and await settle(desk, state, race, proposal)
    if not went_on:
        await _skip(desk, state, generation, [] if finished else _left_effects(state, race))
    for candidate in approved:
        if race.improved(candidate.node):
            state.count(candidate.axis, AxisCounts(improved=1))
    state.saved["greedy"] += len(race.rollouts)
    return went_on


def retained(state: CaseState, barred: frozenset[str]) -> list[Contender]:
    """The population without the vetoed, best first; the original if nothing is left."""
    members = [member for member in state.population if member.node not in barred]
    return members or [state.contender(state.original.node)]


async def admit(
    desk: Desk, state: CaseState, generation: int, parent: Variant, proposal: Proposal
) -> list[Variant]:
    """Record every entry of the manifest as a node, with the validity gate's verdict on it.

    Returns the valid ones. An entry with a known axis counts as an application of it.
    """
    siblings: set[str] = set()
    nodes: list[Node] = []
    verdicts: list[Verdict] = []
    effects: list[Effect] = []
    valid: list[Variant] = []
    for place, entry in enumerate(proposal.entries):
        variant, ruling = _variant(desk, state, generation, parent, place, entry, siblings)
        state.add(variant)
        state.count(entry.axis, AxisCounts(applied=1))
        nodes.append(_node(state.unit, variant, entry, proposal.repaired))
        verdicts.append(rule_verdict(state.unit, variant.node, "validity", ruling))
        effects += gate_effects(state.unit, variant, "validity", passed=ruling.passed)
        if entry.axis is not None:
            effects.append(Tally(state.unit, "axis", entry.axis, "applied"))
        if variant.case is not None:
            siblings.add(fingerprint(variant.case))
            valid.append(variant)
    if nodes:
        await desk.ctx.record(*nodes, *verdicts, effects=effects)
    return valid


async def screen(
    desk: Desk, state: CaseState, valid: Sequence[Variant], parent: Variant
) -> list[Variant]:
    """The candidates that pass evidence, correctness and realism, all tried at once."""
    kept = await together(pass_evidence(desk, state, variant) for variant in valid)
    evident = [variant for variant, ok in zip(valid, kept, strict=True) if ok]
    if not evident:
        return []
    await extract(desk, state, parent)
    passed = await together(pass_models(desk, state, variant, parent) for variant in evident)
    approved = [variant for variant, ok in zip(evident, passed, strict=True) if ok]
    for variant in approved:
        state.count(variant.axis, AxisCounts(passed=1))
    return approved


async def settle(desk: Desk, state: CaseState, race: Race, proposal: Proposal) -> bool:
    """The selection, at its own decision point; false where a person skipped the case there.

    Vetoes that arrive while stopped candidates are continued wait for the next point.
    """
    step = f"g{race.generation}/select"
    said = await desk.ctx.point(state.unit, step)
    race.bar(said.vetoed)
    if not said.skipped:
        await race.settle()
    members = retained(state, race.barred)
    children = race.contenders()
    chosen = select(members, children, survivors=desk.settings.survivors, base=desk.entropy_base)
    gone = [*(m.node for m in state.population), *(c.node for c in race.candidates)]
    decision = Decision(
        unit=state.unit,
        step=step,
        kind="select",
        group=state.unit,
        considered=tuple(contender_row(c) for c in [*members, *children]),
        chosen=tuple(contender.node for contender in chosen),
        reason=proposal.problem or f"lowest {len(chosen)} of {len(members) + len(children)}",
        vetoes=tuple(node for node in gone if node in race.barred),
    )
    raced, effects = race.saved_calls(), _select_effects(desk, state, race, children, chosen)
    state.saved["racing"] += raced
    if raced:
        effects.append(Tally(state.unit, "saved", "racing", "calls", raced))
    effects.append(Event("select", "decision", f"{state.unit}|{step}"))
    await desk.ctx.record(decision, effects=effects)
    state.population, state.generations = chosen, race.generation
    return not said.skipped


def contender_row(contender: Contender) -> dict[str, Json]:
    """A contender with its sort keys, as a decision keeps it."""
    return {
        "node": contender.node,
        "score": str(contender.score.value),
        "counts": list(contender.score.counts),
        "generation": contender.generation,
        "index": contender.index,
    }


def _variant(
    desk: Desk,
    state: CaseState,
    generation: int,
    parent: Variant,
    place: int,
    entry: Entry,
    siblings: set[str],
) -> tuple[Variant, Ruling]:
    case, ruling = None, Ruling("fail", entry.problem or "")
    if entry.problem is None:
        case, ruling = build_candidate(desk.benchmark, case_of(parent), entry.fields, siblings)
    variant = Variant(
        node=node_id(state.unit, generation, place),
        parent=parent.node,
        generation=generation,
        index=place,
        case=case,
        axis=entry.axis,
        subtypes=entry.subtypes,
        description=entry.description,
    )
    return variant, ruling


def _node(unit: str, variant: Variant, entry: Entry, repaired: bool) -> Node:
    origin: dict[str, Json] = {"axis": entry.axis, "subtypes": list(entry.subtypes)}
    if entry.careless is not None:
        origin["careless"] = entry.careless
    if repaired:
        origin["repaired"] = True
    content = entry.fields if variant.case is None else variant.case.fields
    return Node(
        id=variant.node,
        unit=unit,
        kind="case",
        group=unit,
        generation=variant.generation,
        index=variant.index,
        content=canonical_json(dict(content)),
        origin=origin,
        parents=((variant.parent or "", "parent"),),
        description=variant.description,
    )


def _select_effects(
    desk: Desk,
    state: CaseState,
    race: Race,
    children: Sequence[Contender],
    chosen: Sequence[Contender],
) -> list[Effect]:
    """Survivors, parent and discarded ones, and the axes that made the case harder."""
    effects: list[Effect] = []
    places = {contender.node: place for place, contender in enumerate(chosen)}
    alive = [child for child in children if child.score.value > 0]
    for contender in [*state.population, *alive]:
        place = places.get(contender.node)
        name = "discarded" if place is None else "survivor" if place else "parent"
        entropy = entropy_of(contender.score, desk.entropy_base)
        effects.append(NodeState(contender.node, name, contender.score.value, entropy=entropy))
    if not any(m.node in places for m in state.population) and state.original.node in places:
        effects.append(NodeState(state.original.node, "parent"))
    return effects + _improved(state, race)


def _improved(state: CaseState, race: Race) -> list[Effect]:
    return [
        Tally(state.unit, "axis", candidate.axis, "improved")
        for candidate in race.candidates
        if candidate.axis is not None and race.improved(candidate.node)
    ]


def _left_effects(state: CaseState, race: Race) -> list[Effect]:
    """What becomes of candidates whose race a person ended."""
    left: list[Effect] = [NodeState(c.node, "discarded") for c in race.candidates]
    return left + _improved(state, race)


async def _skip(desk: Desk, state: CaseState, generation: int, effects: Sequence[Effect]) -> None:
    """Record that a person ended this case's search here."""
    state.skipped = True
    step = f"g{generation}/skip"
    await desk.ctx.record(
        Decision(
            unit=state.unit,
            step=step,
            kind="skip",
            group=state.unit,
            considered=(),
            chosen=tuple(member.node for member in state.population[:1]),
            reason="a person skipped the rest of this case",
        ),
        effects=[*effects, Event("skip", "decision", f"{state.unit}|{step}")],
    )
