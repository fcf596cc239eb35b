"""The protocol of a corpus: how documents, tools and replies are named, cut, ordered and nested.

Every presentation has its inverse, so that a reply can be read back as the released one.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from ...model.llm import Json

Identifiers: TypeAlias = Literal["source", "numbered", "hashed"]
Order: TypeAlias = Literal["source", "reverse", "shuffled"]
Scheme: TypeAlias = Literal["plain", "verbose", "terse"]
Where: TypeAlias = Literal["inline", "before", "after"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """One variant's presentation; the defaults are the released one."""

    identifiers: tuple[Identifiers, int] = ("source", 0)
    encoding: tuple[str, str] | None = None
    """(field, placement): a result's text stands in that field, nested beside its placement."""
    boundaries: int = 0
    """Lines by which inner passage boundaries are moved."""
    tools: Scheme = "plain"
    fields: Scheme = "plain"
    documents: tuple[Order, int] = ("source", 0)
    results: tuple[Order, int] = ("source", 0)
    context: Where = "inline"
    """Where a result's lines around tables stand."""


RELEASED = Protocol()
FEATURES = tuple(field.name for field in fields(Protocol))

TOOL_NAMES: dict[Scheme, dict[str, str]] = {
    "plain": {name: name for name in ("list", "search", "open", "calculator")},
    "verbose": {
        "list": "enumerate_documents", "search": "find_passages", "open": "read_document",
        "calculator": "evaluate_expression",
    },
    "terse": {"list": "ls", "search": "q", "open": "rd", "calculator": "calc"},
}  # fmt: skip
# `continues_at` has one name in every scheme: the host's control policies read it
FIELD_NAMES: dict[Scheme, dict[str, str]] = {
    "plain": {},
    "verbose": {
        "doc_id": "document_identifier", "text": "passage_text", "lines": "line_range",
        "query": "search_terms", "limit": "maximum_results", "mode": "matching_mode",
        "start": "starting_line", "count": "number_of_lines", "expression": "formula",
        "results": "passages_found", "documents": "all_documents", "total": "number_of_all_lines",
    },
    "terse": {
        "doc_id": "d", "text": "t", "lines": "ln", "query": "s", "limit": "k", "mode": "m",
        "start": "at", "count": "n", "expression": "e", "results": "r", "documents": "ds",
        "total": "nn",
    },
}  # fmt: skip


def aliases(ids: Sequence[str], protocol: Protocol) -> dict[str, str]:
    """The identifier shown for each document; a one-to-one map."""
    style, seed = protocol.identifiers
    if style == "source":
        return {name: name for name in ids}
    if style == "hashed":
        return {name: f"doc-{_hash(seed, name)[:12]}" for name in ids}
    order = sorted(ids, key=lambda name: _hash(seed, name))
    return {name: f"D{number:04}" for number, name in enumerate(order, 1)}


def ordered(names: Sequence[str], order: tuple[Order, int]) -> list[int]:
    """Places in the order shown."""
    places = list(range(len(names)))
    if order[0] == "reverse":
        return places[::-1]
    if order[0] == "shuffled":
        return sorted(places, key=lambda i: (_hash(order[1], names[i]), i))
    return places


def _hash(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()


def nest(result: dict[str, Json], field: str, placement: str) -> dict[str, Json]:
    """A result's text moved into a nested field; one without text is left alone (CHASE, C.3)."""
    if "text" not in result:
        return dict(result)
    rest = {key: value for key, value in result.items() if key != "text"}
    return {**rest, field: {"content": result["text"], "placement": placement}}


def unnest(result: dict[str, Json], field: str) -> dict[str, Json]:
    """The inverse of `nest`."""
    inner = result.get(field)
    if not isinstance(inner, dict) or "content" not in inner:
        return dict(result)
    rest = {key: value for key, value in result.items() if key != field}
    return {**rest, "text": inner["content"]}


_TABLE_LINE = re.compile(r"\s*\|")
_UNIT_LINE = re.compile(
    r"\b(hundreds|thousands|millions|billions|trillions|dollars?|cents?|percent(ages?)?|ounces|"
    r"basis points|units)\b",
    re.IGNORECASE,
)
_NOTE_LINE = re.compile(r"[#\s]*(notes?|sources?)\s*[:.\u2013\u2014-]", re.IGNORECASE)


def context_lines(lines: Sequence[str]) -> list[int]:
    """Places of unit lines right before a table and of note or source lines right behind one.

    Empty lines between do not count.
    """
    solid = [i for i, line in enumerate(lines) if line.strip()]
    found = []
    for place, i in enumerate(solid):
        if _TABLE_LINE.match(lines[i]):
            continue
        following = solid[place + 1] if place + 1 < len(solid) else None
        preceding = solid[place - 1] if place else None
        if following is not None and _TABLE_LINE.match(lines[following]):
            if _UNIT_LINE.search(lines[i]):
                found.append(i)
        elif (
            preceding is not None
            and _TABLE_LINE.match(lines[preceding])
            and _NOTE_LINE.match(lines[i])
        ):
            found.append(i)
    return found


def relocate(result: dict[str, Json], where: Where) -> dict[str, Json]:
    """A result's unit and note lines collected before or after its text, with their places."""
    text = result.get("text")
    if where == "inline" or not isinstance(text, str):
        return dict(result)
    lines = text.split("\n")
    places = context_lines(lines)
    if not places:
        return dict(result)
    notes: list[Json] = [{"place": i, "note": lines[i]} for i in places]
    kept = "\n".join(line for i, line in enumerate(lines) if i not in places)
    rest = {key: value for key, value in result.items() if key != "text"}
    if where == "before":
        return {**rest, "context": notes, "text": kept}
    return {**rest, "text": kept, "context": notes}


def inline(result: dict[str, Json]) -> dict[str, Json]:
    """The inverse of `relocate`."""
    notes, text = result.get("context"), result.get("text")
    if not isinstance(notes, list) or not isinstance(text, str):
        return dict(result)
    pairs = [(n["place"], n["note"]) for n in notes if isinstance(n, dict)]
    found = [(at, note) for at, note in pairs if isinstance(at, int) and isinstance(note, str)]
    # a table line is always left, so the text is never the empty text of no lines
    lines = text.split("\n")
    for at, note in sorted(found):
        lines.insert(at, note)
    rest = {key: value for key, value in result.items() if key not in ("context", "text")}
    return {**rest, "text": "\n".join(lines)}


def rename_fields(value: Json, scheme: Scheme) -> Json:
    """All known field names of a reply replaced by the scheme's."""
    names = FIELD_NAMES[scheme]
    return _renamed(value, names) if names else value


def plain_fields(value: Json, scheme: Scheme) -> Json:
    """The inverse of `rename_fields`."""
    names = {alias: name for name, alias in FIELD_NAMES[scheme].items()}
    return _renamed(value, names) if names else value


def _renamed(value: Json, names: dict[str, str]) -> Json:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(inner, names) for key, inner in value.items()}
    return [_renamed(inner, names) for inner in value] if isinstance(value, list) else value
