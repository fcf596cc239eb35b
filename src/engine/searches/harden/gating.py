"""A candidate's way through the gates, cheapest first; a failed gate ends it (harden.md, 3)."""

from collections.abc import Sequence
from functools import partial

from ...errors import CallFailed, MalformedReply
from ...gates.ballot import Ballot, Consultation, consult
from ...gates.correctness import Extraction, candidate_lines, judge_audit, read_extraction
from ...gates.evidence import check_evidence
from ...gates.realism import judge_realism
from ...gates.ruling import Ruling
from ...gates.votes import passes_needed
from ...model.core import Effect, NodeState, Slot, Tally, Verdict
from ...model.llm import Finish, Json
from .requests import gate_request, numbered
from .state import CaseState, Desk, Variant, case_of

ASKS = 2
"""A malformed extraction is asked for once more; then its candidates fail closed."""
REFUSED = (Finish.REFUSAL, Finish.CONTENT_FILTER)


def rule_verdict(unit: str, node: str, gate: str, ruling: Ruling) -> Verdict:
    """The ledger's row of a rule."""
    return Verdict(node, unit, gate, None, ruling.outcome, "rule", ruling.reason, ruling.detail)


def gate_effects(unit: str, variant: Variant, gate: str, *, passed: bool) -> list[Effect]:
    """What a gate's outcome does to counters, and to a candidate that it ends."""
    axis, outcome = variant.axis or "", "pass" if passed else "fail"
    effects: list[Effect] = [Tally(unit, gate, axis, outcome)]
    if not passed:
        effects.append(NodeState(variant.node, "rejected"))
    return effects


async def pass_evidence(desk: Desk, state: CaseState, variant: Variant) -> bool:
    """The evidence gate, against the original."""
    ruling = check_evidence(
        desk.benchmark, case_of(state.original), case_of(variant), desk.settings.evidence
    )
    if ruling is None:
        return True
    effects = gate_effects(state.unit, variant, "evidence", passed=ruling.passed)
    if ruling.passed and ruling.reason:
        effects = [Tally(state.unit, "evidence", variant.axis or "", "warn")]
    verdict = rule_verdict(state.unit, variant.node, "evidence", ruling)
    await desk.ctx.record(verdict, effects=effects)
    return ruling.passed


async def pass_models(desk: Desk, state: CaseState, variant: Variant, source: Variant) -> bool:
    """Correctness against the parent's extraction, then realism; the second only after the first.

    The parent's extraction must have been had (`extract`).
    """
    if not await pass_correctness(desk, state, variant, source, "correctness", "audit"):
        return False
    consultation = await consult(desk.ctx, realism_ballot(desk, state.unit, variant))
    await _close(desk, state, variant, consultation)
    return consultation.passed


async def pass_correctness(
    desk: Desk, state: CaseState, variant: Variant, source: Variant, gate: str, purpose: str
) -> bool:
    """K audits of a candidate against what `source` was found to need; fails closed without it."""
    found = state.extractions[source.node]
    if isinstance(found, Ruling):
        verdict = Verdict(
            variant.node, state.unit, gate, None, found.outcome, "model", found.reason
        )
        effects: list[Effect] = [
            Tally(state.unit, gate, variant.axis or "", found.outcome),
            NodeState(variant.node, "abstained" if found.outcome == "abstain" else "rejected"),
        ]
        await desk.ctx.record(verdict, effects=effects if gate == "correctness" else effects[:1])
        return False
    consultation = await consult(
        desk.ctx, audit_ballot(desk, state.unit, variant, found, gate, purpose)
    )
    await _close(desk, state, variant, consultation)
    return consultation.passed


async def extract(desk: Desk, state: CaseState, source: Variant) -> Extraction | Ruling:
    """What the source's expected output needs; a ruling where it could not be had. Kept, so that a
    parent is asked about once, however many generations it has children in."""
    if source.node not in state.extractions:
        state.extractions[source.node] = await _ask_extraction(desk, state, source)
    return state.extractions[source.node]


async def _ask_extraction(desk: Desk, state: CaseState, source: Variant) -> Extraction | Ruling:
    case, problem = case_of(source), ""
    data: dict[str, Json] = {
        "baseline_prompt": desk.benchmark.instructions(),
        "input": dict(case.fields),
        "expected_output": dict(desk.benchmark.gold_summary(case)),
    }
    first = gate_request(desk.profile("gates"), "harden/extraction", data)
    for reask in range(ASKS):
        request = numbered(first, reask)
        slot = Slot(state.unit, "extract", source.node, 0, reask)
        try:
            completion = await desk.ctx.complete(slot, request)
            if completion.finish in REFUSED:
                return Ruling("abstain", f"the extraction was refused: {completion.finish.value}")
            return read_extraction(completion.text)
        except CallFailed as error:
            outcome = "abstain" if error.reason in ("refusal", "content_filter") else "error"
            return Ruling(outcome, f"no extraction: {error.reason}")  # type: ignore[arg-type]
        except MalformedReply as error:
            problem = f"the extraction is malformed: {error}"
    return Ruling("fail", problem)


def audit_ballot(
    desk: Desk, unit: str, variant: Variant, found: Extraction, gate: str, purpose: str
) -> Ballot:
    """The correctness votes: necessary information, baseline prompt and candidate, nothing else."""
    data: dict[str, Json] = {
        **found.for_audit(),
        "baseline_prompt": desk.benchmark.instructions(),
        "candidate_lines": list(candidate_lines(case_of(variant).fields)),
    }
    votes, first = desk.settings.votes, gate_request(desk.profile("gates"), "harden/audit", data)
    return Ballot(
        unit=unit,
        node=variant.node,
        gate=gate,
        purpose=purpose,
        votes=votes,
        needed=passes_needed(votes, "majority"),
        stopping=desk.settings.vote_stopping,
        request=partial(numbered, first),
        judge=judge_audit,
    )


def realism_ballot(desk: Desk, unit: str, variant: Variant) -> Ballot:
    """The realism votes: frozen rubric, reference profile and candidate, nothing else."""
    rubric, rubric_json, profile = desk.rubric.verified()
    data: dict[str, Json] = {
        "rubric": rubric_json,
        "reference_profile": profile,
        "candidate": dict(case_of(variant).fields),
    }
    votes, first = desk.settings.votes, gate_request(desk.profile("gates"), "harden/realism", data)
    return Ballot(
        unit=unit,
        node=variant.node,
        gate="realism",
        purpose="realism",
        votes=votes,
        needed=passes_needed(votes, desk.settings.realism_rule),
        stopping=desk.settings.vote_stopping,
        request=partial(numbered, first),
        judge=partial(judge_realism, rubric=rubric),
        note="" if desk.rubric.calibrated else "rubric uncalibrated",
    )


async def _close(desk: Desk, state: CaseState, variant: Variant, of: Consultation) -> None:
    """Record the gate's own row, and what it does."""
    ballot, saved = of.ballot, of.saved
    state.saved["vote_stopping"] += saved
    effects: Sequence[Effect] = gate_effects(state.unit, variant, ballot.gate, passed=of.passed)
    if ballot.gate == "final_audit":
        effects = effects[:1]
    if saved:
        effects = [*effects, Tally(state.unit, "saved", "vote_stopping", "calls", saved)]
    await desk.ctx.record(of.verdict(), effects=effects)
