"""Pages of a run's tables: keyset paging over an index, filters by name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import UsageError
from .listings import Key, Listing, T
from .reader import Reader
from .views import AttemptRow, CallRow

PAGE = 500


def page(
    reader: Reader,
    listing: Listing[T],
    *,
    where: Mapping[str, str] | None = None,
    after: Key | None = None,
    limit: int = PAGE,
    newest_first: bool = False,
) -> list[T]:
    """At most `limit` rows behind the key `after`, in order (or in reverse).

    Raises UsageError for a filter that this kind of row does not have.
    """
    clauses, values = conditions(listing, where or {})
    keys = ", ".join(listing.keys)
    if after is not None:
        clauses.append(f"({keys}) {'<' if newest_first else '>'} ({_marks(after)})")
        values.extend(after)
    order = ", ".join(f"{key} DESC" for key in listing.keys) if newest_first else keys
    sql = f"SELECT {listing.columns} FROM {listing.table}{_where(clauses)} ORDER BY {order} LIMIT ?"
    return [listing.make(row) for row in reader.rows(sql, [*values, limit])]


def pages(
    reader: Reader, listing: Listing[T], *, where: Mapping[str, str] | None = None
) -> Iterator[list[T]]:
    """All rows in order, page by page; no query stays open between two pages."""
    after: Key | None = None
    while rows := page(reader, listing, where=where, after=after):
        yield rows
        after = listing.key_of(rows[-1])


def count_up_to(reader: Reader, listing: Listing[T], where: Mapping[str, str], ceiling: int) -> int:
    """How many rows match, but never counting beyond `ceiling`."""
    clauses, values = conditions(listing, where)
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {listing.table}{_where(clauses)} LIMIT ?)"
    row = reader.row(sql, [*values, ceiling])
    return int(row[0]) if row else 0


def conditions(listing: Listing[T], where: Mapping[str, str]) -> tuple[list[str], list[Any]]:
    """SQL conditions and their values for filters by name; the value `null` finds nothing set."""
    clauses: list[str] = []
    values: list[Any] = []
    for name, value in where.items():
        if name not in listing.filters:
            known = ", ".join(sorted(listing.filters))
            raise UsageError(f"no filter {name!r} for {listing.table}; there are {known}")
        if value == "null":
            clauses.append(f"{listing.filters[name]} IS NULL")
        else:
            clauses.append(f"{listing.filters[name]} = ?")
            values.append(value)
    return clauses, values


def with_attempts(reader: Reader, calls: Sequence[CallRow]) -> list[CallRow]:
    """The calls with their attempts, fetched in one query per page."""
    found: dict[str, list[AttemptRow]] = {}
    for start in range(0, len(calls), PAGE):
        slots = [call.slot for call in calls[start : start + PAGE]]
        sql = (
            "SELECT slot, at, outcome, status, wait_s, maybe_paid, message FROM attempt "
            f"WHERE slot IN ({_marks(slots)}) ORDER BY seq"
        )
        for slot, at, outcome, status, wait_s, maybe_paid, message in reader.rows(sql, slots):
            row = AttemptRow(at, outcome, status, wait_s, bool(maybe_paid), message)
            found.setdefault(slot, []).append(row)
    return [replace(call, attempts=tuple(found.get(call.slot, ()))) for call in calls]


def _where(clauses: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(clauses)}" if clauses else ""


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
