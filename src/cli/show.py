"""`evoscope show`: a run's nodes, axes, ledger, archive, calls, decisions, events, rollouts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from ..engine.errors import UsageError
from ..engine.store import listings
from ..engine.store.listings import Listing
from ..engine.store.paging import count_up_to, page, pages, with_attempts
from ..engine.store.reader import Reader
from ..engine.store.views import CallRow
from . import as_json as shape
from . import show_rows as text
from .event_text import event_text
from .output import narrate, print_json, print_json_lines, print_lines, table
from .runs import run_argument
from .show_whole import archive_json, archive_lines, axes_json, axes_lines

T = TypeVar("T")
SHOWN = 40
MORE = 500


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """How one kind of row is listed: its table, its JSON, its columns and cells."""

    listing: Listing[T]
    json: Callable[[Reader, T], Mapping[str, Any]]
    heads: tuple[str, ...]
    cells: Callable[[Reader, T], Sequence[str]]
    right: frozenset[int] = frozenset()


def _rows(
    listing: Listing[T],
    to_json: Callable[[T], Mapping[str, Any]],
    heads: str,
    cells: Callable[[T], Sequence[str]],
    *right: int,
) -> Kind[T]:
    return Kind(
        listing,
        lambda _, row: to_json(row),
        tuple(heads.split()),
        lambda _, row: cells(row),
        frozenset(right),
    )


KINDS: dict[str, Kind[Any]] = {
    "nodes": _rows(
        listings.NODES, shape.node_json, "node state axis score entropy description",
        text.node_cells, 3, 4,
    ),
    "ledger": _rows(
        listings.VERDICTS, shape.verdict_json, "time node gate vote outcome by reason",
        text.verdict_cells, 3,
    ),
    "decisions": _rows(
        listings.DECISIONS, shape.decision_json, "time group step kind chosen reason",
        text.decision_cells,
    ),
    "calls": _rows(
        listings.CALLS, shape.call_json, "call status model tries tokens cost seconds",
        text.call_cells, 3, 4, 5, 6,
    ),
    "rollouts": _rows(
        listings.ROLLOUTS, shape.rollout_json, "node task sample outcome score class parsed",
        text.rollout_cells, 2, 4,
    ),
    "events": Kind(
        listings.EVENTS,
        lambda reader, row: shape.event_json(row, event_text(reader, row)),
        ("time", "event"),
        lambda reader, row: text.event_cells(row, event_text(reader, row)),
    ),
}  # fmt: skip
WHOLE = ("axes", "archive")


@click.command()
@run_argument
@click.argument("kind", type=click.Choice((*KINDS, *WHOLE)))
@click.option("--where", "filters", multiple=True, metavar="K=V", help="Only rows with this value.")
@click.option("--limit", type=click.IntRange(min=1), help=f"[default: {SHOWN}, all with JSON]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line, for big lists.")
def show(
    run: Path,
    kind: str,
    filters: tuple[str, ...],
    limit: int | None,
    as_json: bool,
    jsonl: bool,
) -> None:
    """List what RUN holds of one KIND; the newest rows for people, all rows in order with JSON."""
    where = dict(map(_filter, filters))
    with Reader(run) as reader:
        if kind in WHOLE:
            _show_whole(reader, kind, where, as_json or jsonl)
        elif as_json or jsonl:
            values = _json_rows(reader, KINDS[kind], where, limit)
            print_json_lines(values) if jsonl else print_json(list(values))
        else:
            _print_newest(reader, KINDS[kind], where, limit or SHOWN)


def _show_whole(reader: Reader, kind: str, where: Mapping[str, str], as_json: bool) -> None:
    if unknown := set(where) - {"group"}:
        raise UsageError(f"no filter {unknown.pop()!r} for {kind}; there is group")
    group = where.get("group")
    to_json, to_lines = {
        "axes": (axes_json, axes_lines),
        "archive": (archive_json, archive_lines),
    }[kind]
    if as_json:
        print_json(to_json(reader, group))
    else:
        print_lines(to_lines(reader, group))


def _json_rows(
    reader: Reader, kind: Kind[T], where: Mapping[str, str], limit: int | None
) -> Iterator[Mapping[str, Any]]:
    left = limit
    for rows in pages(reader, kind.listing, where=where):
        yield from map(partial(kind.json, reader), _complete(reader, rows[:left]))
        if left is not None and (left := left - len(rows)) <= 0:
            return


def _print_newest(reader: Reader, kind: Kind[T], where: Mapping[str, str], limit: int) -> None:
    rows = page(reader, kind.listing, where=where, limit=limit, newest_first=True)
    shown = [kind.cells(reader, row) for row in reversed(_complete(reader, rows))]
    print_lines(table(kind.heads, shown, kind.right))
    total = count_up_to(reader, kind.listing, where, limit + MORE)
    if total > len(rows):
        more = f"more than {limit + MORE - 1}" if total == limit + MORE else str(total)
        narrate(f"the newest {len(rows)} of {more}; --limit shows more, --jsonl all")


def _complete(reader: Reader, rows: list[T]) -> list[T]:
    """Calls come with their attempts."""
    calls = [row for row in rows if isinstance(row, CallRow)]
    return with_attempts(reader, calls) if calls else rows  # type: ignore[return-value]


def _filter(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UsageError(f"--where {text!r}: write name=value, such as state=rejected")
    return name, value
