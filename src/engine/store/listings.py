"""How each kind of row is selected, ordered, filtered and made: one `Listing` per table."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, TypeVar

from .views import (
    CallRow,
    CommandRow,
    DecisionRow,
    EventRow,
    LabelRow,
    NodeRow,
    RolloutRow,
    UnitRow,
    VerdictRow,
)

T = TypeVar("T")
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """One kind of row. `keys` are the ordering columns, which `key_of` reads from a row.

    `filters` maps the names that a person may filter by to SQL expressions.
    """

    table: str
    columns: str
    keys: tuple[str, ...]
    filters: Mapping[str, str]
    make: Callable[[tuple[Any, ...]], T]
    key_of: Callable[[T], Key]


def _maker(view: type[T], **convert: Callable[[Any], Any]) -> Callable[[tuple[Any, ...]], T]:
    """Makes a view of a row whose columns are the view's fields in order; NULL stays None."""
    names = [field.name for field in fields(view)]  # type: ignore[arg-type]

    def make(row: tuple[Any, ...]) -> T:
        values = dict(zip(names, row, strict=False))
        for name, change in convert.items():
            if values[name] is not None:
                values[name] = change(values[name])
        return view(**values)

    return make


def _json_tuple(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


NODES = Listing(
    "node",
    "seq, id, unit, kind, grp, generation, idx, origin, (SELECT json_group_array(parent) FROM "
    "parent WHERE parent.node = node.id), content_hash, description, created, state, "
    "num || '/' || den, bound, entropy, vetoed",
    ("seq",),
    {
        "id": "id", "unit": "unit", "kind": "kind", "group": "grp", "generation": "generation",
        "index": "idx", "vetoed": "vetoed", "axis": "json_extract(origin, '$.axis')",
        "state": "CASE WHEN vetoed THEN 'vetoed' ELSE state END",
    },
    _maker(
        NodeRow, origin=json.loads, parents=_json_tuple, score=Fraction, bound=bool, vetoed=bool
    ),
    lambda row: (row.seq,),
)  # fmt: skip
VERDICTS = Listing(
    "verdict",
    "seq, time, node, unit, gate, nullif(vote, -1), outcome, by, reason, detail_hash, slot",
    ("seq",),
    {
        "node": "node", "unit": "unit", "gate": "gate", "outcome": "outcome", "by": "by",
        "vote": "CAST(nullif(vote, -1) AS INTEGER)", "call": "slot",
    },
    _maker(VerdictRow),
    lambda row: (row.seq,),
)  # fmt: skip
DECISIONS = Listing(
    "decision",
    "seq, time, unit, step, kind, grp, considered, chosen, reason, vetoes",
    ("seq",),
    {"unit": "unit", "step": "step", "kind": "kind", "group": "grp"},
    _maker(DecisionRow, considered=_json_tuple, chosen=_json_tuple, vetoes=_json_tuple),
    lambda row: (row.seq,),
)
CALLS = Listing(
    "call",
    "seq, slot, unit, purpose, node, number, role, provider, model, served_model, served_provider, "
    "status, failure, finish, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, "
    "cost, cost_source, latency_s, coalesce(params, '{}'), created, done, request_blob, reply_blob",
    ("seq",),
    {
        "id": "slot", "unit": "unit", "purpose": "purpose", "node": "nullif(node, '')",
        "role": "role", "provider": "provider", "model": "model", "status": "status",
        "number": "number", "finish_reason": "finish",
    },
    _maker(CallRow, cost=Decimal, params=json.loads),
    lambda row: (row.seq,),
)  # fmt: skip
ROLLOUTS = Listing(
    "rollout",
    "node, context, item, sample, unit, outcome, num || '/' || den, class, parsed, "
    "logprob_sum, tokens, slot",
    ("node", "context", "item", "sample"),
    {
        "node": "node", "context": "context", "task": "item", "sample": "sample", "unit": "unit",
        "outcome": "outcome", "class": "class", "call": "slot",
    },
    _maker(RolloutRow, score=Fraction),
    lambda row: (row.node, row.context, row.item, row.sample),
)  # fmt: skip
EVENTS = Listing(
    "event",
    "seq, time, kind, tbl, ref",
    ("seq",),
    {"kind": "kind", "table": "tbl", "ref": "ref"},
    _maker(EventRow),
    lambda row: (row.seq,),
)
COMMANDS = Listing(
    "command",
    "seq, id, author, time, kind, args, reason, outcome, result, acked",
    ("seq",),
    {"id": "id", "author": "author", "kind": "kind", "outcome": "outcome"},
    _maker(CommandRow, args=json.loads),
    lambda row: (row.seq,),
)
UNITS = Listing(
    "unit",
    "ord, id, kind, state, reason, coalesce(result, '{}'), digest, started, ended",
    ("ord", "id"),
    {"id": "id", "kind": "kind", "state": "state"},
    _maker(UnitRow, result=json.loads),
    lambda row: (row.ord, row.id),
)
LABELS = Listing(
    "label",
    "node, author, question, answer, reason, command",
    ("node", "author", "question"),
    {"node": "node", "author": "author", "question": "question", "answer": "answer"},
    _maker(LabelRow),
    lambda row: (row.node, row.author, row.question),
)
