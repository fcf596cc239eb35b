"""Filters as people type them: `gate=realism outcome=fail kept`, names and free text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..engine.errors import UsageError
from ..engine.store.listings import Listing, T
from ..engine.store.paging import conditions


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed filter: named values and a text that must stand in the row."""

    where: Mapping[str, str]
    text: str

    @property
    def empty(self) -> bool:
        """Whether everything passes."""
        return not self.where and not self.text


def parse(text: str) -> Filter:
    """Words with `=` are named values, the others together are the free text."""
    named: dict[str, str] = {}
    free: list[str] = []
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals and name:
            named[name] = value
        else:
            free.append(word)
    return Filter(named, " ".join(free))


def sql_of(listing: Listing[T], wanted: Filter, texts: tuple[str, ...]) -> tuple[str, list[Any]]:
    """The filter as an SQL condition with its values; `texts` are the columns searched.

    Raises UsageError for a name that these rows do not have.
    """
    clauses, values = conditions(listing, wanted.where)
    if wanted.text:
        parts = (f"instr(lower({column}), ?) > 0" for column in texts)
        clauses.append(f"({' OR '.join(parts)})")
        values += [wanted.text.lower()] * len(texts)
    return " AND ".join(clauses) or "1", values


def error_of(listing: Listing[T], wanted: Filter) -> str | None:
    """What is wrong with a filter, None if nothing is."""
    try:
        conditions(listing, wanted.where)
    except UsageError as error:
        return str(error)
    return None


def unknown_name(wanted: Filter, names: Sequence[str]) -> str | None:
    """What is wrong with a filter of rows that have these names; None if nothing is."""
    unknown = next((name for name in wanted.where if name not in names), None)
    return None if unknown is None else f"no filter {unknown!r} here; there are {', '.join(names)}"


def with_filters(listing: Listing[T], **more: str) -> Listing[T]:
    """The listing with more named filters."""
    return replace(listing, filters={**listing.filters, **more})
