"""Rows and summaries as the JSON of `json.md`: names may be added there, never changed."""

from collections.abc import Mapping
from typing import Any

from ..engine.store.status import HardenEffect, RunStatus
from ..engine.store.views import (
    CallRow,
    DecisionRow,
    EventRow,
    NodeRow,
    RolloutRow,
    VerdictRow,
)

_CI_NOTE = "intervals are bootstrapped by `evoscope report`"
CALL_STATUS = {"intended": "waiting", "open": "waiting", "sent": "in_flight"}


def status_json(status: RunStatus) -> dict[str, Any]:
    """`status RUN --json`."""
    beat, calls = status.heartbeat, status.calls
    live = beat if status.alive else None
    return {
        "name": status.name,
        "path": str(status.path),
        "search": status.search,
        "state": status.state,
        "reason": status.reason,
        "offline": status.offline,
        "unsafe_no_sandbox": status.unsafe,
        "seed": status.seed,
        "progress": _progress(status),
        "eta_s": _range(status.eta_s),
        "calls": {
            "completed": calls.completed,
            "in_flight": live.in_flight if live else 0,
            "waiting": live.waiting if live else 0,
            "retries": calls.retries,
            "failed": calls.failed,
            "reused": live.extra.get("reused") if live else None,
            "ambiguous": calls.ambiguous,
            "saved_by_vote_stopping": status.effect.saved_by_vote_stopping,
            "saved_by_racing": status.effect.saved_by_racing,
            "skipped_by_futility": status.effect.skipped_by_futility,
        },
        "tokens": {
            "input": calls.input_tokens,
            "cached_input": calls.cached_input_tokens,
            "output": calls.output_tokens,
        },
        "cost": {
            "amount": calls.cost,
            "budget": status.budget,
            "source": calls.cost_source,
            "maybe_paid": calls.maybe_paid,
            "possible_overshoot": _overshoot(live.extra) if live else None,
        },
        "effect": dict(status.found) or effect_json(status.effect),
        "heartbeat_age_s": beat.age_s() if beat else None,
        "pid": live.pid if live else None,
        "host": live.host if live else None,
        "started": status.started,
        "updated": status.updated,
    }


def _progress(status: RunStatus) -> dict[str, Any]:
    return {
        "done": status.done,
        "total": status.total,
        "unit": status.unit,
        "parked": list(status.parked),
    }


def run_json(status: RunStatus) -> dict[str, Any]:
    """One entry of `ls --json`."""
    beat = status.heartbeat
    return {
        "name": status.name,
        "path": str(status.path),
        "search": status.search,
        "state": status.state,
        "done": status.done,
        "total": status.total,
        "started": status.started,
        "updated": status.updated,
        "heartbeat_age_s": beat.age_s() if beat else None,
        "cost": status.calls.cost,
        "effect": dict(status.found) or effect_json(status.effect),
        "offline": status.offline,
        "unsafe_no_sandbox": status.unsafe,
    }


def effect_json(effect: HardenEffect) -> dict[str, Any]:
    """The effect so far; accuracies are shares of 1 on fresh rollouts, which no selection saw."""
    return {
        "accuracy_before": effect.fresh_before,
        "accuracy_after": effect.fresh_after,
        "ci_before": None,
        "ci_after": None,
        "ci_note": _CI_NOTE,
        "selection_accuracy_before": effect.selection_before,
        "selection_accuracy_after": effect.selection_after,
        "hardened": effect.hardened,
        "cases": effect.cases,
        "failed_cases": effect.failed,
        "scored_cases": effect.scored,
        "entropy_before": effect.entropy_before,
        "entropy_after": effect.entropy_after,
    }


def node_json(node: NodeRow) -> dict[str, Any]:
    """One entry of `show RUN nodes --json`."""
    return {
        "id": node.id,
        "kind": node.kind,
        "group": node.group,
        "generation": node.generation,
        "index": node.index,
        "parents": list(node.parents),
        "origin": node.origin,
        "state": "vetoed" if node.vetoed else node.state,
        "score": node.score,
        "score_is_bound": node.bound,
        "entropy": node.entropy,
        "created": node.created,
        "description": node.description,
    }


def verdict_json(verdict: VerdictRow) -> dict[str, Any]:
    """One entry of `show RUN ledger --json`."""
    return {
        "seq": verdict.seq,
        "time": verdict.time,
        "node": verdict.node,
        "gate": verdict.gate,
        "vote": verdict.vote,
        "outcome": verdict.outcome,
        "by": verdict.by,
        "reason": verdict.reason,
        "call": verdict.slot,
    }


def decision_json(decision: DecisionRow) -> dict[str, Any]:
    """One entry of `show RUN decisions --json`."""
    return {
        "seq": decision.seq,
        "time": decision.time,
        "unit": decision.unit,
        "step": decision.step,
        "kind": decision.kind,
        "group": decision.group,
        "considered": list(decision.considered),
        "chosen": list(decision.chosen),
        "reason": decision.reason,
        "vetoes": list(decision.vetoes),
    }


def call_json(call: CallRow) -> dict[str, Any]:
    """One entry of `show RUN calls --json`. `vote` and `sample` are one number by two names."""
    return {
        "id": call.slot,
        "purpose": call.purpose,
        "role": call.role,
        "node": call.node or None,
        "vote": call.number,
        "sample": call.number,
        "model": call.model,
        "served_model": call.served_model,
        "served_provider": call.served_provider,
        "status": CALL_STATUS.get(call.status, call.status),
        "failure": call.failure,
        "attempts": [
            {"at": a.at, "outcome": a.outcome, "status": a.status, "wait_s": a.wait_s}
            for a in call.attempts
        ],
        "tokens": {
            "input": call.input_tokens,
            "cached_input": call.cached_input_tokens,
            "output": call.output_tokens,
            "reasoning": call.reasoning_tokens,
        },
        "cost": call.cost,
        "cost_source": call.cost_source or "unknown",
        "latency_s": call.latency_s,
        "params": {name: call.params.get(name, []) for name in _PARAMS},
        "finish_reason": call.finish,
    }


def rollout_json(rollout: RolloutRow) -> dict[str, Any]:
    """One entry of `show RUN rollouts --json`."""
    return {
        "node": rollout.node,
        "task": rollout.item or None,
        "context": rollout.context,
        "sample": rollout.sample,
        "greedy": rollout.greedy,
        "outcome": rollout.outcome,
        "parsed": rollout.parsed,
        "class": rollout.cls,
        "score": rollout.score,
        "logprob_sum": rollout.logprob_sum,
        "tokens": rollout.tokens,
        "call": rollout.slot,
    }


def event_json(event: EventRow, text: str) -> dict[str, Any]:
    """One entry of `show RUN events --json`; `text` is what a person reads."""
    return {
        "seq": event.seq,
        "time": event.time,
        "kind": event.kind,
        "table": event.table,
        "ref": event.ref,
        "text": text,
    }


def _range(eta: tuple[float, float] | None) -> dict[str, float] | None:
    return None if eta is None else {"low": eta[0], "high": eta[1]}


def _overshoot(extra: Mapping[str, Any]) -> Any:
    budget = extra.get("budget")
    return budget.get("overshoot") if isinstance(budget, Mapping) else None


_PARAMS = ("sent", "not_supported", "dropped")
