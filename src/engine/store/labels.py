"""What may be labelled in a harden run, and what has been."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import UsageError
from ..model.labels import GATE_OF
from ..model.llm import Json
from .content import fields_of
from .listings import LABELS
from .paging import pages
from .reader import Reader
from .views import LabelRow

_VERDICT = (
    "(SELECT outcome FROM verdict v WHERE v.node = n.id AND v.gate = '{}' AND v.vote = -1 "
    "AND v.outcome IN ('pass', 'fail'))"
)
_POOL = (
    f"SELECT n.id, n.grp, n.generation, n.content_hash, {_VERDICT.format('realism')}, "
    f"{_VERDICT.format('correctness')} FROM node n ORDER BY n.seq"
)
_EXPECTED = "SELECT content_hash FROM item WHERE id = ?"
_GOLD = ("program", "answer")
"""What FinQA's annotators wrote beside the result."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that may be labelled; `gates` has, by question, whether its gate let it pass."""

    node: str
    case: str
    original: bool
    content_hash: str
    gates: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Item:
    """What a labeller sees: the fields of an input and its expected output, None if unknown."""

    node: str
    fields: Mapping[str, Json]
    expected: Json


def require_harden(reader: Reader) -> None:
    """Raise UsageError for a run of another search."""
    search = reader.meta().get("search", "?")
    if search != "harden":
        raise UsageError(f"labelling is for harden runs; {reader.path.stem} is a {search} run")


def read_pool(reader: Reader) -> list[Candidate]:
    """Originals, and candidates with a final verdict of realism or of correctness.

    A candidate that correctness rejects never meets realism, so that one verdict is enough.
    """
    found = []
    for node, case, generation, content, realism, correctness in reader.rows(_POOL):
        outcomes = {"realism": realism, "correctness": correctness}
        gates = {q: outcomes[gate] == "pass" for q, gate in GATE_OF.items() if outcomes[gate]}
        if gates or generation == 0:
            found.append(Candidate(node, case, generation == 0, content, gates))
    return found


def read_labels(reader: Reader, author: str | None = None) -> list[LabelRow]:
    """The labels that the file holds, of one author or of all."""
    where = {} if author is None else {"author": author}
    return [row for rows in pages(reader, LABELS, where=where) for row in rows]


def read_item(reader: Reader, candidate: Candidate) -> Item:
    """What is to be seen of a candidate: nothing that tells its source or a verdict."""
    row = reader.row(_EXPECTED, (candidate.case,))
    record = json.loads(reader.text(row[0])) if row else {}
    fields = fields_of(reader.text(candidate.content_hash))
    return Item(candidate.node, fields, _expected(record))


def _expected(record: Mapping[str, Json]) -> Json:
    metadata = record.get("metadata")
    gold = metadata if isinstance(metadata, dict) else {}
    more = {name: gold[name] for name in _GOLD if name in gold}
    expected = record.get("expected")
    return {"result": expected, **more} if more else expected
