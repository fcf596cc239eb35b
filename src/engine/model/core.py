"""What every search records: items, nodes, rollouts, verdicts, decisions, slots.

Each row has a natural key. A row that is recorded twice must be equal to the first one, else
replay has diverged (design: engine-decisions, item 2).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from .llm import Json

NODE_STATES = (
    "proposed",
    "rejected",
    "abstained",
    "error",
    "collapsed",
    "raced_out",
    "scored",
    "discarded",
    "survivor",
    "parent",
    "promoted",
    "unimprovable",
)
DECISION_KINDS = (
    "select", "promote", "keep", "race", "admit", "archive", "adopt", "fallback",
    "stop", "abandon", "unimprovable", "skip", "park", "open_seal",
)  # fmt: skip

SEALED_SPLIT = "cert"
"""Items of this split can have no rollout before a decision of the kind `open_seal`."""
RELEASE_SPLIT = "release"
"""Items of a separate release: sealed as long, scored once, in no gain and no bound."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a call belongs; unique in the file, and free of run ids, paths, times and order.

    `number` is the vote or sample number, `reask` counts re-asks after a malformed reply,
    `step` the turn of a conversation.
    """

    unit: str
    purpose: str
    node: str = ""
    number: int = 0
    reask: int = 0
    step: int = 0

    @property
    def key(self) -> str:
        """The slot as one string: `unit|purpose|node|number|reask|step`."""
        return f"{self.unit}|{self.purpose}|{self.node}|{self.number}|{self.reask}|{self.step}"


@dataclass(frozen=True, slots=True)
class Item:
    """One sampled source record: `content` is the canonical JSON text of what it holds."""

    id: str
    split: str
    content: str
    ord: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """Anything evolved. `id` comes from position (case/generation/index) or a spec's hash.

    `kind` is case, harness, counterfactual or operator; `origin` holds axis, family or level;
    `content` the canonical JSON text of the node itself. `parents` are (node id, role) pairs.
    """

    id: str
    unit: str
    kind: Literal["case", "harness", "counterfactual", "operator"]
    group: str
    generation: int
    index: int
    content: str
    origin: Mapping[str, Json] = field(default_factory=dict)
    parents: tuple[tuple[str, str], ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One graded response. `score` is exact; None where no response could be had (`outcome` error).

    `context` is the task-model profile (harden) or the benchmark variant (chase); `sample` counts
    from 0, with -1 for the greedy completion. `cls` is the semantic class as text.
    """

    node: str
    unit: str
    context: str
    item: str
    sample: int
    outcome: Literal["graded", "unparsed", "error"]
    score: Fraction | None
    cls: str | None = None
    parsed: str | None = None
    logprob_sum: float | None = None
    tokens: int | None = None
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row of the gate ledger. `vote` is None for a rule and for the majority row of a gate.

    `reason` is short plain text; `detail` (JSON) holds scores, missing information, rationale.
    """

    node: str
    unit: str
    gate: str
    vote: int | None
    outcome: Literal["pass", "fail", "abstain", "error"]
    by: Literal["rule", "model", "human"]
    reason: str = ""
    detail: Json = None
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A selection, promotion, admission, fallback or stop, with what it considered.

    `step` names the decision inside its unit and is unique there. `considered` lists nodes with
    their sort keys; `vetoes` the nodes that human vetoes removed from it.
    """

    unit: str
    step: str
    kind: str
    group: str
    considered: tuple[Mapping[str, Json], ...]
    chosen: tuple[str, ...]
    reason: str
    vetoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeState:
    """An effect: what a node is now. It rides in the transaction of the fact that caused it.

    `score` is exact and `bound` says that it is only a lower bound (raced out).
    """

    node: str
    state: str
    score: Fraction | None = None
    bound: bool = False
    entropy: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """An effect: add `n` to the counter (unit, gate, axis, outcome) that the screens show."""

    unit: str
    gate: str
    axis: str
    outcome: str
    n: int = 1


@dataclass(frozen=True, slots=True)
class Event:
    """An effect: a line that a person would read; `ref` names the row that it is about."""

    kind: str
    table: str
    ref: str


@dataclass(frozen=True, slots=True)
class Directives:
    """What people's commands say at one decision point.

    `vetoed` names the vetoed nodes themselves (their descendants follow from the lineage),
    `skipped` whether this unit is to be finalised with what it has.
    """

    last_command: int
    vetoed: frozenset[str]
    skipped: bool


Fact: TypeAlias = Item | Node | Rollout | Verdict | Decision
Effect: TypeAlias = NodeState | Tally | Event
