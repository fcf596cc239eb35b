"""Cells of the tables that `evoscope show` prints for people; `output.table` cleans them."""

from fractions import Fraction

from ..engine.store.views import (
    CallRow,
    DecisionRow,
    EventRow,
    NodeRow,
    RolloutRow,
    VerdictRow,
)
from ..tui.format import local_time, money
from .as_json import CALL_STATUS


def node_cells(node: NodeRow) -> tuple[str, ...]:
    """node state axis score entropy description"""
    return (
        node.id,
        "vetoed" if node.vetoed else node.state,
        str(node.origin.get("axis", "")),
        score_text(node.score, bound=node.bound),
        "" if node.entropy is None else f"{node.entropy:.2f}",
        node.description,
    )


def verdict_cells(verdict: VerdictRow) -> tuple[str, ...]:
    """time node gate vote outcome by reason"""
    vote = "" if verdict.vote is None else str(verdict.vote + 1)
    return (
        local_time(verdict.time),
        verdict.node,
        verdict.gate,
        vote,
        verdict.outcome,
        verdict.by,
        verdict.reason,
    )


def decision_cells(decision: DecisionRow) -> tuple[str, ...]:
    """time group step kind chosen reason"""
    return (
        local_time(decision.time),
        decision.group,
        decision.step,
        decision.kind,
        ", ".join(decision.chosen),
        decision.reason,
    )


def call_cells(call: CallRow) -> tuple[str, ...]:
    """call status model tries tokens cost seconds"""
    tokens = (call.input_tokens or 0) + (call.cached_input_tokens or 0) + (call.output_tokens or 0)
    return (
        call.slot,
        CALL_STATUS.get(call.status, call.status).replace("_", " "),
        call.served_model or call.model,
        str(len(call.attempts)),
        str(tokens) if call.output_tokens is not None else "",
        "" if call.cost is None else money(call.cost),
        "" if call.latency_s is None else f"{call.latency_s:.1f}",
    )


def rollout_cells(rollout: RolloutRow) -> tuple[str, ...]:
    """node task sample outcome score class parsed"""
    return (
        rollout.node,
        rollout.item,
        "greedy" if rollout.greedy else str(rollout.sample + 1),
        rollout.outcome,
        score_text(rollout.score),
        rollout.cls or "",
        rollout.parsed or "",
    )


def event_cells(event: EventRow, text: str) -> tuple[str, ...]:
    """time event"""
    return local_time(event.time), text


def score_text(score: Fraction | None, *, bound: bool = False) -> str:
    """A score with two decimals; a lower bound is marked."""
    return "" if score is None else f"{'>=' if bound else ''}{float(score):.2f}"
