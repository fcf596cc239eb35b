"""Facts and effects as rows: one table of columns per kind, used to write, compare and digest.

A fact's row is the same tuple whether it was just computed or read back; the columns that differ
between two sessions of one run (seq, time) are left out of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..canonical import canonical_json, sha256
from ..clock import utc_now
from ..model.core import (
    Decision,
    Effect,
    Event,
    Fact,
    Item,
    Node,
    NodeState,
    Rollout,
    Tally,
    Verdict,
)
from .writer import Write

Row = tuple[Any, ...]
NO_VOTE = -1


@dataclass(frozen=True, slots=True)
class Table:
    """How one kind of fact is kept. `columns[:keys]` is the natural key."""

    name: str
    columns: tuple[str, ...]
    keys: int
    stamped: bool

    @property
    def select(self) -> str:
        """All canonical columns; the caller adds WHERE."""
        return f"SELECT {', '.join(self.columns)} FROM {self.name}"

    @property
    def insert(self) -> str:
        """Insert the canonical columns, and the time where the table has one."""
        columns = (*self.columns, STAMP[self.name]) if self.stamped else self.columns
        marks = ", ".join("?" * len(columns))
        return f"INSERT INTO {self.name}({', '.join(columns)}) VALUES ({marks})"


STAMP = {"node": "created", "verdict": "time", "decision": "time"}
ITEM = Table("item", ("id", "split", "ord", "content_hash"), 1, False)
NODE = Table(
    "node",
    ("id", "unit", "kind", "grp", "generation", "idx", "origin", "content_hash", "description"),
    1,
    True,
)
ROLLOUT = Table(
    "rollout",
    ("node", "context", "item", "sample", "unit", "outcome", "num", "den", "class", "parsed",
     "logprob_sum", "tokens", "slot"),
    4,
    False,
)  # fmt: skip
VERDICT = Table(
    "verdict",
    ("node", "gate", "vote", "unit", "outcome", "by", "reason", "detail_hash", "slot"),
    3,
    True,
)
DECISION = Table(
    "decision",
    ("unit", "step", "kind", "grp", "considered", "chosen", "reason", "vetoes"),
    2,
    True,
)
UNIT_TABLES = (NODE, ROLLOUT, VERDICT, DECISION)
INSERTS = {table.name: table.insert for table in (ITEM, *UNIT_TABLES)}
PARENT_INSERT = "INSERT OR IGNORE INTO parent(node, parent, role) VALUES (?, ?, ?)"

Blobs = Callable[[bytes], tuple[str, tuple[Write, ...]]]


def _fraction(value: Fraction | None) -> tuple[int | None, int | None]:
    return (None, None) if value is None else (value.numerator, value.denominator)


def clean(text: str) -> str:
    """Text that SQLite can hold: lone surrogates become the replacement character."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _text(value: str | None) -> str | None:
    return None if value is None else clean(value)


def _item(fact: Item, blobs: Blobs) -> tuple[Row, tuple[Write, ...]]:
    digest, writes = blobs(clean(fact.content).encode())
    return (fact.id, fact.split, fact.ord, digest), writes


def _node(fact: Node, blobs: Blobs) -> tuple[Row, tuple[Write, ...]]:
    digest, writes = blobs(clean(fact.content).encode())
    row = (
        fact.id, fact.unit, fact.kind, fact.group, fact.generation, fact.index,
        clean(canonical_json(fact.origin)), digest, clean(fact.description),
    )  # fmt: skip
    parents = tuple(Write(PARENT_INSERT, (fact.id, node, role)) for node, role in fact.parents)
    return row, (*writes, *parents)


def _rollout(fact: Rollout, blobs: Blobs) -> tuple[Row, tuple[Write, ...]]:
    num, den = _fraction(fact.score)
    row = (
        fact.node, fact.context, fact.item, fact.sample, fact.unit, fact.outcome, num, den,
        _text(fact.cls), _text(fact.parsed), fact.logprob_sum, fact.tokens, fact.slot,
    )  # fmt: skip
    return row, ()


def _verdict(fact: Verdict, blobs: Blobs) -> tuple[Row, tuple[Write, ...]]:
    digest: str | None = None
    writes: tuple[Write, ...] = ()
    if fact.detail is not None:
        digest, writes = blobs(clean(canonical_json(fact.detail)).encode())
    row = (
        fact.node, fact.gate, NO_VOTE if fact.vote is None else fact.vote, fact.unit,
        fact.outcome, fact.by, clean(fact.reason), digest, fact.slot,
    )  # fmt: skip
    return row, writes


def _decision(fact: Decision, blobs: Blobs) -> tuple[Row, tuple[Write, ...]]:
    row = (
        fact.unit, fact.step, fact.kind, fact.group,
        canonical_json([dict(c) for c in fact.considered]), canonical_json(list(fact.chosen)),
        clean(fact.reason), canonical_json(list(fact.vetoes)),
    )  # fmt: skip
    return row, ()


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact ready to be compared or written; `writes` are the texts and edges it brings."""

    table: Table
    unit: str
    row: Row
    writes: tuple[Write, ...]

    @property
    def key(self) -> tuple[str, Row]:
        """Table and natural key."""
        return self.table.name, self.row[: self.table.keys]

    def insert(self) -> tuple[Write, ...]:
        """The statements that store it."""
        values = (*self.row, utc_now()) if self.table.stamped else self.row
        return (*self.writes, Write(INSERTS[self.table.name], values))


def fact_row(fact: Fact, blobs: Blobs) -> FactRow:
    """The row of a fact; `blobs` hashes a text and says how to store it."""
    match fact:
        case Item():
            return FactRow(ITEM, "", *_item(fact, blobs))
        case Node():
            return FactRow(NODE, fact.unit, *_node(fact, blobs))
        case Rollout():
            return FactRow(ROLLOUT, fact.unit, *_rollout(fact, blobs))
        case Verdict():
            return FactRow(VERDICT, fact.unit, *_verdict(fact, blobs))
        case Decision():
            return FactRow(DECISION, fact.unit, *_decision(fact, blobs))


def hash_only(data: bytes) -> tuple[str, tuple[Write, ...]]:
    """A `Blobs` that stores nothing, for comparing only."""
    return sha256(data), ()


def effect_write(effect: Effect) -> Write:
    """The statement that an effect is."""
    match effect:
        case NodeState():
            num, den = _fraction(effect.score)
            return Write(
                "UPDATE node SET state = ?, num = coalesce(?, num), den = coalesce(?, den), "
                "bound = CASE WHEN ? IS NULL THEN bound ELSE ? END, "
                "entropy = coalesce(?, entropy) WHERE id = ?",
                (effect.state, num, den, num, int(effect.bound), effect.entropy, effect.node),
            )
        case Tally():
            return Write(
                "INSERT INTO tally(unit, gate, axis, outcome, n) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT(unit, gate, axis, outcome) DO UPDATE SET n = n + excluded.n",
                (effect.unit, effect.gate, clean(effect.axis), effect.outcome, effect.n),
            )
        case Event():
            return event_write(effect.kind, effect.table, effect.ref)


def event_write(kind: str, table: str, ref: str) -> Write:
    """A line for the feed."""
    return Write(
        "INSERT INTO event(time, kind, tbl, ref) VALUES (?, ?, ?, ?)",
        (utc_now(), kind, table, ref),
    )


def meta_write(values: Mapping[str, str]) -> tuple[Write, ...]:
    """Set keys of the run's `meta` table."""
    sql = (
        "INSERT INTO meta(key, value) VALUES (?, ?) "
        "ON CONFLICT(key) DO UPDATE SET value = excluded.value"
    )
    return tuple(Write(sql, (key, value)) for key, value in values.items())
