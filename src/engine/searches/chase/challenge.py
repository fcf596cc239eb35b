"""The Challenger's side of a round: proposals, firewall, ranking, discovery, confirmation."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...benchmarks.environment import CanonicalCall
from ...benchmarks.transform.activation import activation
from ...benchmarks.transform.composition import Composition, parse
from ...benchmarks.transform.firewall import CHECKS, Ruling, examine
from ...benchmarks.transform.fixtures import changed_fixtures
from ...benchmarks.transform.operators import described
from ...canonical import canonical_json
from ...errors import DataError, MalformedReply
from ...gates.together import together
from ...model.chase import changed_fields
from ...model.core import Decision, Node, NodeState, Slot, Tally, Verdict
from ...model.llm import Json
from .evaluate import evaluate
from .gains import REL, Sheet, pooled_destruction
from .guarantees import eta_from_theory
from .history import ask, history_files
from .ranking import Proposal, most_destructive, novelty, ranked, share, to_try
from .selection import confirmed
from .setup import Desk
from .state import BASE, Member, State, counterfactual_id


@dataclass(frozen=True, slots=True)
class Idea:
    """One proposal as it came: `spec` is unchecked, the claim kept and never used."""

    spec: Json
    description: str
    claim: str


@dataclass(frozen=True, slots=True)
class Ideas:
    """The Challenger's reply: protocol features by its vulnerability map, and the proposals."""

    features: tuple[str, ...]
    proposals: tuple[Idea, ...]


@dataclass(frozen=True, slots=True)
class Admitted:
    """A valid, active, new counterfactual with its ranking keys."""

    proposal: Proposal
    composition: Composition
    description: str


def read_ideas(value: Mapping[str, Json]) -> Ideas:
    """The reply's two lists. Raises MalformedReply."""
    weak, proposals = value.get("vulnerabilities"), value.get("proposals")
    if not isinstance(weak, list) or not isinstance(proposals, list):
        raise MalformedReply("vulnerabilities and proposals: two lists are needed")
    features = [str(entry.get("feature")) for entry in weak if isinstance(entry, dict)]
    ideas = [
        Idea(p.get("transformation"), str(p.get("description", "")), str(p.get("claim", "")))
        for p in proposals
        if isinstance(p, dict)
    ]
    return Ideas(tuple(features), tuple(ideas))


async def challenge(desk: Desk, unit: str, state: State, number: int) -> None:
    """Search for a counterfactual that destroys H_t's gain; archive it if it is confirmed.

    Nothing is bought for an H_t that people have taken out since it was selected.
    """
    said = await desk.ctx.point(unit, "challenge")
    if await _out(desk, unit, state, said.vetoed):
        return
    slot = Slot(unit, "challenge", state.current)
    data = _input(desk, state, said.vetoed)
    archive = state.archived(said.vetoed)
    files = history_files(desk, state, (BASE, state.current), archive)
    ideas = await ask(desk, slot, "challenger", "chase/challenge", data, files, read_ideas)
    admitted: list[Admitted] = []
    if isinstance(ideas, Ideas):
        admitted = await _screen(desk, unit, state, number, ideas)
    tried = to_try([one.proposal for one in admitted])
    problem = ideas if isinstance(ideas, str) else ""
    await _record_ranking(desk, unit, admitted, tried, problem, state.used(said.vetoed))
    by_id = {one.proposal.id: one for one in admitted}
    destruction = await _discover(desk, unit, state, [by_id[one.id] for one in tried])
    measured = [(one, destruction[one.id]) for one in tried if one.id in destruction]
    await _confirm(desk, unit, state, number, by_id, measured)


async def _out(
    desk: Desk, unit: str, state: State, vetoed: frozenset[str], tried: Sequence[Proposal] = ()
) -> bool:
    """Whether H_t is barred by now; then the round's confirmation is skipped and says so."""
    if state.current not in state.barred(vetoed):
        return False
    reason = f"vetoed: {state.current} is out, nothing to challenge"
    used = {*state.used(vetoed), *(one.id for one in tried if one.id in vetoed)}
    await desk.ctx.record(
        Decision(unit, "confirm", "skip", unit, (), (), reason, tuple(sorted(used))),
        effects=[NodeState(one.id, "discarded") for one in tried],
    )
    return True


def _input(desk: Desk, state: State, vetoed: frozenset[str]) -> dict[str, Json]:
    base, current = state.harnesses[BASE], state.harnesses[state.current]
    changes: dict[str, Json] = {
        path: {"before": old, "after": new}
        for path, (old, new) in changed_fields(base, current).items()
    }
    archive: list[Json] = [
        {"id": m.id, "description": m.description, "operators": m.composition.plain()}
        for m in state.archive
        if m.id not in vetoed
    ]
    operators: list[Json] = list(described(desk.setup.operators))
    return {
        "base": base.plain(),
        "current": current.plain(),
        "current_id": state.current,
        "changes": changes,
        "operators": operators,
        "archive": archive,
        "earlier_discovery": list(state.tried),
        "proposals": desk.settings.proposals,
    }


async def _screen(desk: Desk, unit: str, state: State, number: int, ideas: Ideas) -> list[Admitted]:
    """Firewall and duplicate screen, host-side, before any rollout."""
    admitted: list[Admitted] = []
    seen = {member.composition.hash for member in state.archive}
    for order, idea in enumerate(ideas.proposals[: desk.settings.proposals]):
        try:
            composition = parse(idea.spec, desk.setup.operators)
        except DataError as error:
            await _refuse(desk, unit, number, order, idea, "firewall", str(error))
            continue
        if composition.hash in seen:
            reason = "archived already, or an earlier proposal of this round"
            await _refuse(desk, unit, number, order, idea, "duplicate", reason)
            continue
        seen.add(composition.hash)
        ruling = await asyncio.to_thread(examine, composition, desk.setup.released)
        if await _judged(desk, unit, state, number, order, idea, composition, ruling):
            keys = await asyncio.to_thread(
                _keys, desk, state, ideas, order, composition, ruling.change
            )
            admitted.append(Admitted(keys, composition, idea.description))
    return admitted


async def _refuse(
    desk: Desk, unit: str, number: int, order: int, idea: Idea, gate: str, reason: str
) -> None:
    name = f"{unit}/p{order}"
    await desk.ctx.record(
        _node(name, unit, number, order, idea, []),
        Verdict(name, unit, gate, None, "fail", "rule", reason[:300]),
        effects=[NodeState(name, "rejected"), Tally(unit, gate, "", "fail")],
    )


def _node(name: str, unit: str, number: int, order: int, idea: Idea, family: Sequence[str]) -> Node:
    content = canonical_json(
        {"description": idea.description, "claim": idea.claim, "transformation": idea.spec}
    )
    families: list[Json] = list(family)
    return Node(
        name, unit, "counterfactual", unit, number, order, content, {"family": families},
        description=idea.description[:500],
    )  # fmt: skip


async def _judged(
    desk: Desk, unit: str, state: State, number: int, order: int, idea: Idea,
    composition: Composition, ruling: Ruling,
) -> bool:  # fmt: skip
    """Record the firewall's verdict; whether the proposal may be tried.

    A counterfactual that was a node in an earlier round stays that node.
    """
    name = counterfactual_id(composition)
    if name in state.known and ruling.admissible:
        return True
    name = name if ruling.admissible else f"{unit}/p{order}"
    checks: dict[str, Json] = {check: getattr(ruling, check) for check in CHECKS}
    checks |= {"active": ruling.active, "change": str(ruling.change)}
    if ruling.active:
        released = await asyncio.to_thread(desk.setup.released.snapshot)
        checks["fixtures"] = changed_fixtures(released.outputs, ruling.after)
    reason = f"fails {', '.join(ruling.failed)}" if ruling.failed else "" if ruling.active else (
        "inactive: no fixture changes"
    )  # fmt: skip
    gate = "firewall" if ruling.failed or ruling.active else "activity"
    outcome = "pass" if ruling.admissible else "fail"
    effects = [Tally(unit, gate, "", outcome)]
    await desk.ctx.record(
        _node(name, unit, number, order, idea, composition.family),
        Verdict(name, unit, gate, None, "pass" if ruling.admissible else "fail", "rule", reason,
                checks),
        effects=effects if ruling.admissible else [*effects, NodeState(name, "rejected")],
    )  # fmt: skip
    if ruling.admissible:
        state.known.add(name)
    return ruling.admissible


def _keys(
    desk: Desk, state: State, ideas: Ideas, order: int, composition: Composition, change: Fraction
) -> Proposal:
    released = desk.setup.released
    touched = [feature for feature in ideas.features if feature in composition.features]
    return Proposal(
        counterfactual_id(composition),
        order,
        frozenset(composition.family),
        change,
        activation(released, composition.apply(released), _recorded_calls(desk, state)),
        share(len(touched), len(ideas.features)),
        novelty(composition.kinds, [member.composition.kinds for member in state.archive]),
    )


def _recorded_calls(desk: Desk, state: State) -> dict[str, list[list[tuple[str, dict[str, Json]]]]]:
    """H_t's calls on D_evo under B_rel, by task, in the released benchmark's names."""
    released = desk.setup.released
    found: dict[str, list[list[tuple[str, dict[str, Json]]]]] = {}
    for task, rollouts in state.trajectories.get(state.current, {}).get(REL, {}).items():
        found[task] = [
            [released.presented_call(task, CanonicalCall(kind, args)) for kind, args in r["calls"]]
            for r in rollouts
        ]
    return found


async def _record_ranking(
    desk: Desk, unit: str, admitted: Sequence[Admitted], tried: Sequence[Proposal], problem: str,
    vetoes: tuple[str, ...],
) -> None:  # fmt: skip
    order = ranked(one.proposal for one in admitted)
    considered = tuple(_ranking_row(one) for one in order)
    chosen = tuple(one.id for one in tried)
    none = f"no usable reply: {problem}"[:300] if problem else "no admissible proposal"
    reason = "best, and best of another family" if chosen else none
    left = [NodeState(one.id, "discarded") for one in order if one.id not in chosen]
    await desk.ctx.record(
        Decision(unit, "rank", "select", unit, considered, chosen, reason, vetoes), effects=left
    )


def _ranking_row(one: Proposal) -> dict[str, Json]:
    family: list[Json] = list(sorted(one.family))
    return {
        "node": one.id,
        "family": family,
        "fixture_change": str(one.fixture_change),
        "activation": str(one.activation),
        "vulnerability": str(one.vulnerability),
        "novelty": str(one.novelty),
    }


async def _discover(
    desk: Desk, unit: str, state: State, tried: Sequence[Admitted]
) -> dict[str, Fraction]:
    """Gain destruction on all of D_disc of each tried one; without those that have no score."""
    if not tried:
        return {}
    for one in tried:
        _variant(desk, one)
    pairs = [(h, b) for b in (REL, *(one.proposal.id for one in tried)) for h in _both(state)]
    await together(
        evaluate(desk, unit, state.disc, (h, state.harnesses[h]), b, desk.settings.rollouts_disc)
        for h, b in pairs
    )
    found: dict[str, Fraction] = {}
    for one in tried:
        name = one.proposal.id
        if not state.disc.measurable(state.current, BASE, (REL, name)):
            continue
        found[name] = state.disc.gains(state.current, BASE, (REL, name)).destroyed(name)
        entry: dict[str, Json] = {
            "operators": one.composition.plain(),
            "description": one.description,
            "harness": state.current,
            "destroyed": str(found[name]),
        }
        state.tried.append(entry)
    return found


def _variant(desk: Desk, one: Admitted) -> None:
    if one.proposal.id not in desk.variants:
        changed = one.composition.apply(desk.setup.released)
        desk.variants[one.proposal.id] = changed


def _both(state: State) -> tuple[str, str]:
    return BASE, state.current


async def _confirm(
    desk: Desk, unit: str, state: State, number: int, by_id: Mapping[str, Admitted],
    tried: Sequence[tuple[Proposal, Fraction]],
) -> None:  # fmt: skip
    """Freeze the most destructive one and measure it on this round's fresh tasks."""
    said = await desk.ctx.point(unit, "confirm")
    if await _out(desk, unit, state, said.vetoed, [one for one, _ in tried]):
        return
    left = [(one, destroyed) for one, destroyed in tried if one.id not in said.vetoed]
    gone = tuple(one.id for one, _ in tried if one.id in said.vetoed)
    if not left:
        await desk.ctx.record(
            Decision(unit, "confirm", "keep", unit, (), (), "nothing to confirm", gone)
        )
        return
    best = most_destructive(left)
    disc = dict((one.id, destroyed) for one, destroyed in left)
    sheet = Sheet(desk.tasks(f"conf{number}"))
    rollouts = desk.settings.rollouts_conf
    await together(
        evaluate(desk, unit, sheet, (h, state.harnesses[h]), b, rollouts)
        for h in _both(state)
        for b in (REL, best.id)
    )
    own, first = ((sheet.scores[h, REL], sheet.scores[h, best.id]) for h in (state.current, BASE))
    try:
        conf, pairs = pooled_destruction(own, first)
    except ZeroDivisionError:
        await _unmeasured(desk, unit, [one.id for one, _ in left], gone)
        return
    await _settle(desk, unit, state, number, by_id[best.id], disc, conf, pairs, gone)


async def _unmeasured(desk: Desk, unit: str, names: Sequence[str], gone: tuple[str, ...]) -> None:
    reason = "no pair of rollouts could be had"
    await desk.ctx.record(
        Decision(unit, "confirm", "keep", unit, (), (), reason, gone),
        effects=[NodeState(name, "discarded") for name in names],
    )


async def _settle(
    desk: Desk, unit: str, state: State, number: int, best: Admitted,
    disc: Mapping[str, Fraction], conf: Fraction, pairs: int, gone: tuple[str, ...],
) -> None:  # fmt: skip
    name, eta = best.proposal.id, threshold(desk, number)
    enters = confirmed(conf, eta)
    considered: list[Mapping[str, Json]] = [
        {"node": node, "disc": str(destroyed)} for node, destroyed in disc.items()
    ]
    considered.append({"node": name, "conf": str(conf), "pairs": pairs, "threshold": str(eta)})
    reason = f"destroys {float(conf):.2%} over {pairs} pairs, threshold {float(eta):.2%}"
    others = [NodeState(node, "discarded") for node in disc if node != name]
    await desk.ctx.record(
        Decision(
            unit, "confirm", "archive" if enters else "keep", unit, tuple(considered),
            (name,) if enters else (), reason, gone,
        ),
        effects=[*others, NodeState(name, "survivor" if enters else "discarded", conf)],
    )  # fmt: skip
    if enters:
        state.archive.append(
            Member(name, number, best.description, best.composition, disc[name], conf, eta)
        )


def threshold(desk: Desk, number: int) -> Fraction:
    """eta of a round: as set, or from the theory with this round's own size."""
    settings = desk.settings
    if settings.eta != "theory":
        return settings.eta
    return eta_from_theory(
        epsilon=settings.epsilon,
        gamma=settings.gamma,
        rounds=settings.rounds,
        n=len(desk.tasks(f"conf{number}")),
        alpha=settings.alpha,
    )
