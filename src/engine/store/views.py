"""A run's rows as readers get them: frozen, typed, with exact scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class NodeRow:
    """Anything evolved. `score` is exact, and only a lower bound where `bound` says so."""

    seq: int
    id: str
    unit: str
    kind: str
    group: str
    generation: int
    index: int
    origin: Mapping[str, Any]
    parents: tuple[str, ...]
    content_hash: str
    description: str
    created: str
    state: str
    score: Fraction | None
    bound: bool
    entropy: float | None
    vetoed: bool


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One row of the gate ledger; `vote` is None for a rule and for a gate's majority row."""

    seq: int
    time: str
    node: str
    unit: str
    gate: str
    vote: int | None
    outcome: str
    by: str
    reason: str
    detail_hash: str | None
    slot: str | None


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One decision with what it considered."""

    seq: int
    time: str
    unit: str
    step: str
    kind: str
    group: str
    considered: tuple[Mapping[str, Any], ...]
    chosen: tuple[str, ...]
    reason: str
    vetoes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt of a call that brought no result."""

    at: str
    outcome: str
    status: int | None
    wait_s: float | None
    maybe_paid: bool
    message: str


@dataclass(frozen=True, slots=True)
class CallRow:
    """One request to a model; `status` is intended, sent, ambiguous, open, completed or failed."""

    seq: int
    slot: str
    unit: str
    purpose: str
    node: str
    number: int
    role: str
    provider: str
    model: str
    served_model: str | None
    served_provider: str | None
    status: str
    failure: str | None
    finish: str | None
    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost: Decimal | None
    cost_source: str | None
    latency_s: float | None
    params: Mapping[str, Any]
    created: str
    done: str | None
    request_blob: str
    reply_blob: str | None
    attempts: tuple[AttemptRow, ...] = ()


@dataclass(frozen=True, slots=True)
class RolloutRow:
    """One graded response; `sample` is -1 for the greedy completion."""

    node: str
    context: str
    item: str
    sample: int
    unit: str
    outcome: str
    score: Fraction | None
    cls: str | None
    parsed: str | None
    logprob_sum: float | None
    tokens: int | None
    slot: str | None

    @property
    def greedy(self) -> bool:
        """Whether this is the greedy completion."""
        return self.sample < 0


@dataclass(frozen=True, slots=True)
class EventRow:
    """A line for people; `table` and `ref` name the row that it is about."""

    seq: int
    time: str
    kind: str
    table: str
    ref: str


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A person's command, with what became of it."""

    seq: int
    id: str
    author: str
    time: str
    kind: str
    args: Mapping[str, Any]
    reason: str
    outcome: str
    result: str
    acked: str


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A piece of a run: open, done, parked or failed, with its result once it is done."""

    ord: int
    id: str
    kind: str
    state: str
    reason: str
    result: Mapping[str, Any]
    digest: str | None
    started: str | None
    ended: str | None


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A person's answer to one question about a node; `command` is the order that brought it."""

    node: str
    author: str
    question: str
    answer: str
    reason: str
    command: int
