"""A round's candidates: two feedback passes, then three harness specs (CHASE, B.2)."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ...canonical import canonical_json
from ...errors import MalformedReply
from ...gates.together import together
from ...model.chase import ACTIONS, CONDITIONS, Harness, changed_fields, harness_schema
from ...model.core import Decision, Node, NodeState, Slot, Tally, Verdict
from ...model.llm import Json
from .gains import REL
from .gate import objections
from .history import History, ask, whole_history
from .selection import KINDS
from .setup import Desk
from .state import BASE, NEUTRAL, State, harness_id

FEEDBACK = ("proactive", "hindsight")
GATED = ("compass", "b0")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A spec that passed what its method asks of it, with its kind and id."""

    id: str
    kind: str
    harness: Harness


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposer's reply: the spec and why."""

    harness: Harness
    rationale: str


def read_feedback(value: Mapping[str, Json]) -> list[Json]:
    """The findings of a feedback pass. Raises MalformedReply."""
    findings = value.get("findings")
    if not isinstance(findings, list):
        raise MalformedReply("findings: a list is needed")
    return findings


def read_draft(value: Mapping[str, Json]) -> Draft:
    """A candidate's spec. Raises MalformedReply that names the field."""
    try:
        harness = Harness.model_validate_json(json.dumps(value.get("harness")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, ("harness", *first["loc"])))
        raise MalformedReply(f"{where}: {first['msg']}") from None
    return Draft(harness, str(value.get("rationale", "")))


async def propose(
    desk: Desk, unit: str, state: State, number: int, constraints: Sequence[Json]
) -> list[Candidate]:
    """The round's usable candidates, in the order of `KINDS`; each is a node, each refusal a
    verdict, a feedback pass that failed a decision to go on without it.

    A spec that stands twice, or is the present harness or H_0, is no candidate. One that an earlier
    round has tried competes again with the scores that it has, since the archive may have changed;
    not for the comparison methods, whose present harness scores as high as all that came before.
    """
    files = whole_history(desk, state)
    data = _input(desk, state, number, constraints)
    passes = [_feedback(desk, unit, state, data, files, stage) for stage in FEEDBACK]
    data["feedback"] = list(await together(passes))
    drafts: dict[str, Draft | str] = dict(
        zip(
            KINDS[:2],
            await together(_draft(desk, unit, state, data, files, kind) for kind in KINDS[:2]),
            strict=True,
        )
    )
    data["candidates"] = [
        {"kind": kind, "rationale": draft.rationale, "harness": draft.harness.plain()}
        for kind, draft in drafts.items()
        if isinstance(draft, Draft)
    ]
    drafts[KINDS[2]] = await _draft(desk, unit, state, data, files, KINDS[2])
    earlier = frozenset(state.harnesses) - {BASE, state.start}
    found: list[Candidate] = []
    for index, kind in enumerate(KINDS):
        again = earlier - {one.id for one in found} if state.method not in GATED else frozenset()
        one = await _admit(desk, unit, state, number, kind, drafts[kind], index, again)
        found += [] if one is None else [one]
    return found


def _input(desk: Desk, state: State, number: int, constraints: Sequence[Json]) -> dict[str, Json]:
    current = state.harnesses[state.start]
    scores: dict[str, Json] = {
        f"{name} under {benchmark}": str(state.evo.rate(name, benchmark))
        for name, benchmark in sorted(state.evo.scores)
        if state.evo.scored(name, benchmark)
    }
    tools: list[Json] = [
        {"name": tool.name, "description": tool.description} for tool in desk.setup.released.tools()
    ]
    budgets: dict[str, Json] = dict(desk.setup.released.limits.groups)
    return {
        "round": number,
        "current": state.start,
        "harness": current.plain(),
        "schema": dict(harness_schema()),
        "conditions": dict(CONDITIONS),
        "actions": dict(ACTIONS),
        "tools": tools,
        "budgets": budgets,
        "scores": scores,
        "selected_by": NEUTRAL if state.method == "b0" else REL,
        "constraints": list(constraints),
        "rounds": list(state.rounds),
        "gate": state.method in GATED,
    }


async def _feedback(
    desk: Desk, unit: str, state: State, data: Mapping[str, Json], files: History,
    stage: str,
) -> Json:  # fmt: skip
    slot = Slot(unit, stage, state.start)
    said = await ask(
        desk, slot, "proposer", "chase/feedback", {**data, "pass": stage}, files, read_feedback
    )
    if not isinstance(said, str):
        return {"pass": stage, "findings": said}
    reason = f"no findings: {said}"[:300]
    await desk.ctx.record(Decision(unit, stage, "skip", unit, (), (), reason))
    return {"pass": stage, "findings": []}


async def _draft(
    desk: Desk, unit: str, state: State, data: Mapping[str, Json], files: History,
    kind: str,
) -> Draft | str:  # fmt: skip
    slot = Slot(unit, kind, state.start)
    return await ask(
        desk, slot, "proposer", "chase/candidate", {**data, "pass": kind}, files, read_draft
    )


async def _admit(
    desk: Desk, unit: str, state: State, number: int, kind: str, draft: Draft | str, index: int,
    again: frozenset[str],
) -> Candidate | None:  # fmt: skip
    """The candidate, recorded; None where there is none or its gate refuses it. `again` are the
    known harnesses that may compete once more."""
    node = f"{unit}/{kind}"
    if isinstance(draft, str):
        await _record(desk, unit, number, index, kind, node, "{}", draft)
        await _refuse(desk, unit, node, "schema", draft)
        return None
    name = harness_id(state.method, draft.harness)
    if draft.harness == state.harnesses[BASE]:
        name = BASE
    if name in state.harnesses:
        content = canonical_json(draft.harness.plain())
        await _record(desk, unit, number, index, kind, node, content, draft.rationale[:500])
        if name in again:
            await _repeat(desk, unit, node, name)
            return Candidate(name, kind, draft.harness)
        await _refuse(desk, unit, node, "duplicate", f"the same spec as {name}")
        return None
    changes = ", ".join(changed_fields(state.harnesses[state.start], draft.harness))
    content = canonical_json(draft.harness.plain())
    words = f"changes {changes}: {draft.rationale}"[:500]
    await _record(desk, unit, number, index, kind, name, content, words, state.start)
    state.harnesses[name] = draft.harness
    if state.method in GATED and not await _passes(desk, unit, state, kind, name):
        return None
    return Candidate(name, kind, draft.harness)


async def _repeat(desk: Desk, unit: str, node: str, name: str) -> None:
    """Say of a proposal that it is a harness of an earlier round, which competes again."""
    reason = f"the same spec as {name}, which competes again with its scores"
    await desk.ctx.record(
        Verdict(node, unit, "duplicate", None, "pass", "rule", reason),
        effects=[NodeState(node, "collapsed"), Tally(unit, "duplicate", "", "pass")],
    )


async def _refuse(desk: Desk, unit: str, node: str, gate: str, reason: str) -> None:
    refusal = Verdict(node, unit, gate, None, "fail", "rule", reason[:300])
    await desk.ctx.record(
        refusal, effects=[NodeState(node, "rejected"), Tally(unit, gate, "", "fail")]
    )


async def _record(
    desk: Desk, unit: str, number: int, index: int, kind: str, node: str, content: str,
    words: str, parent: str | None = None,
) -> None:  # fmt: skip
    origin: dict[str, Any] = {"kind": kind}
    parents = () if parent is None else ((parent, "revision"),)
    await desk.ctx.record(
        Node(node, unit, "harness", unit, number, index, content, origin, parents, words)
    )


async def _passes(desk: Desk, unit: str, state: State, kind: str, name: str) -> bool:
    candidate, base = state.harnesses[name], state.harnesses[state.start]
    found = await asyncio.to_thread(objections, candidate, base, kind, desk.setup.observed)
    outcome = Verdict(
        name, unit, "generalization", None, "fail" if found else "pass", "rule",
        "; ".join(found)[:300], list(found),
    )  # fmt: skip
    tally = Tally(unit, outcome.gate, "", outcome.outcome)
    left = [NodeState(name, "rejected")] if found else []
    await desk.ctx.record(outcome, effects=[tally, *left])
    return not found
