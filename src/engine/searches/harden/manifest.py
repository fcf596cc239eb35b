"""The mutation model's manifest: each entry is judged by itself (HARDEN, A.5.4)."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, ValidationError

from ...errors import MalformedReply
from ...gates.reply import Reply, Text, problems
from ...model.llm import Json


class EntryReply(Reply):
    """One entry: what the mutation was, and complete new values of the fields it changed."""

    individual_index: int
    axes: Annotated[list[Text], Field(min_length=1)]
    subtypes: list[Text]
    description: Text
    fields: dict[str, object]


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate as it was proposed, valid or not.

    `position` is its place in the manifest, None where the manifest has no entry for `index`.
    `index` is None where the entry has no usable index. `axis` is set where exactly one known axis
    is named, also if the entry is invalid otherwise: that is what counts as an application.
    """

    index: int | None
    position: int | None
    axis: str | None
    subtypes: tuple[str, ...]
    description: str
    fields: Mapping[str, Json]
    careless: bool | None
    problem: str | None


def read_manifest(
    value: Mapping[str, Json], offspring: int, axes: Collection[str]
) -> tuple[Entry, ...]:
    """All candidates of a manifest: one for each index from 0 to `offspring` - 1, in that order,
    then the entries that no index is left for, in the manifest's order.

    An index that is missing, given twice or out of range, two axes, an unknown axis, or a missing
    part make that entry invalid (`problem`); the others go on. Raises MalformedReply where there
    is no list of mutations at all.
    """
    listed = value.get("mutations")
    if not isinstance(listed, list):
        raise MalformedReply("mutations: the manifest has no list of mutations")
    indexes = [_index(raw, offspring) for raw in listed]
    times = Counter(index for index in indexes if index is not None)
    entries = [
        _entry(raw, place, index, 0 if index is None else times[index], axes)
        for place, (raw, index) in enumerate(zip(listed, indexes, strict=True))
    ]
    first: dict[int, Entry] = {}
    extra: list[Entry] = []
    for entry in entries:
        if entry.index is None or entry.index in first:
            extra.append(entry)
        else:
            first[entry.index] = entry
    return (*(first.get(i) or _missing(i) for i in range(offspring)), *extra)


def _index(raw: Json, offspring: int) -> int | None:
    index = raw.get("individual_index") if isinstance(raw, dict) else None
    return index if type(index) is int and 0 <= index < offspring else None


def _entry(raw: Json, position: int, index: int | None, times: int, axes: Collection[str]) -> Entry:
    parts = raw if isinstance(raw, dict) else {}
    axis, axis_problem = _axis(parts.get("axes"), axes)
    problem = _index_problem(index, times) or _shape_problem(raw) or axis_problem
    description, fields = parts.get("description"), parts.get("fields")
    subtypes, careless = parts.get("subtypes"), parts.get("careless")
    return Entry(
        index=index,
        position=position,
        axis=axis,
        subtypes=tuple(map(str, subtypes)) if isinstance(subtypes, list) else (),
        description=description if isinstance(description, str) else "",
        fields=fields if isinstance(fields, dict) else {},
        careless=careless if isinstance(careless, bool) else None,
        problem=problem,
    )


def _index_problem(index: int | None, times: int) -> str | None:
    if index is None:
        return "individual_index is missing or out of range"
    return f"individual_index {index} is given {times} times" if times > 1 else None


def _shape_problem(raw: Json) -> str | None:
    try:
        EntryReply.model_validate(raw)
    except ValidationError as error:
        return problems(error)[0]
    return None


def _axis(named: Json, axes: Collection[str]) -> tuple[str | None, str | None]:
    """The one known axis an entry names, or what is wrong with what it names."""
    if not isinstance(named, list) or len(named) != 1:
        return None, "exactly one axis must be named"
    name = named[0]
    if not isinstance(name, str) or name not in axes:
        return None, f"unknown axis {str(name)[:80]}"
    return name, None


def _missing(index: int) -> Entry:
    problem = f"the manifest has no entry for individual_index {index}"
    return Entry(index, None, None, (), "", {}, None, problem)
