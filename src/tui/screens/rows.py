"""A tab over one big table, by its sequence number: pages, filter, search, follow.

Unfiltered, the keys are a range: the engine numbers rows without gaps. A filter builds an array of
numbers in a thread of its own, a stretch at a time, and shows `>= n` until it is through.
"""

import json
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from ...engine.store.listings import Listing as Table
from ...engine.store.reader import Reader
from ..filters import Filter, error_of, parse, sql_of
from ..lines import Column, Line, Span, plain, table_head, table_row
from ..page import Host, Shown
from ..run_model import RunModel
from ..widgets.listing import Listing
from .view import Apply, Job, View

R = TypeVar("R")
STRETCH = 100_000
PART = 5_000
"""Rows of an export that are read at once: keys must not wait for it."""
TEXT_WIDTH = 160


def rows_by_seq(reader: Reader, table: Table[R], keys: Iterable[int]) -> list[tuple[int, R]]:
    """Rows by their sequence numbers."""
    sql = f"SELECT {table.columns} FROM {table.table} WHERE seq IN (SELECT value FROM json_each(?))"
    return [(row[0], table.make(row)) for row in reader.rows(sql, [json.dumps(list(keys))])]


class RowsView(View, Generic[R]):
    """Set `table`, `columns`, `texts` (searched columns), `mutable`, and give `cells`."""

    table: Table[R]
    columns: tuple[Column, ...]
    texts: tuple[str, ...] = ()
    mutable = False
    name = "rows"

    def __init__(self, host: Host, run: RunModel) -> None:
        super().__init__(host, run)
        self.list: Listing[int, R] = Listing(ordered=True)
        self.list.follow = True
        self._known = False
        self._filter = Filter({}, "")
        self._found: array[int] | None = None
        self._scanned, self._last, self._first = 0, 0, 1
        self._scanning = False

    def cells(self, row: R) -> list[Span]:
        """The row's cells, one per column."""
        raise NotImplementedError

    def head(self, width: int) -> list[Line]:
        """Lines above the list."""
        return []

    def lines(self, width: int, height: int) -> list[Line]:
        """Counts, titles, list."""
        above = [*self.head(width), self._title(width), table_head(self.columns, width)]

        def line(row: R, size: int) -> Line:
            return table_row(self.columns, self.cells(row), size)

        body = self.list.view(width, height - len(above), line)
        if self._known and self.list.missing():
            self.request()
        return [*above, *body]

    def _title(self, width: int) -> Line:
        spans: list[Span] = [(f" {self._place()}", "dim")]
        if not self._filter.empty:
            spans.append((f"  filter: {self.filter_text}", "accent"))
        spans.append(("  following" if self.list.follow else "", "ok"))
        return tuple(spans)

    def _place(self) -> str:
        text = self.list.place_text()
        if self._found is not None and self._scanning:
            return text.replace("of ", "of >= ")
        return text

    def job(self, fresh: bool) -> Job | None:
        """Bounds of the table, and the rows in view that are not here."""
        missing = self.list.missing()
        if not (fresh or missing or not self._known):
            return None
        wanted = self.list.in_view() if fresh and self.mutable else missing
        reader, table = self.run.reader, self.table
        bounds = fresh or not self._known
        tail = self.list.height if self.list.follow and self._found is None else 0
        known = frozenset(self.list.in_view())

        def read() -> Apply:
            ends = None
            if bounds:
                sql = f"SELECT (SELECT min(seq) FROM {table.table}), max(seq) FROM {table.table}"
                ends = reader.row(sql)
            keys = list(wanted)
            if ends is not None and ends[1] and tail:
                newest = range(max(ends[1] - tail + 1, ends[0]), ends[1] + 1)
                keys += [key for key in newest if key not in known]
            rows = rows_by_seq(reader, table, keys)
            more = self.more(reader) if bounds else None
            return lambda: self._take(ends, rows, more)

        return read

    def more(self, reader: Reader) -> Any:
        """What the lines above the list need, read once per update."""
        return None

    def take_more(self, more: Any) -> None:
        """Take it."""

    def _take(self, ends: tuple[Any, ...] | None, rows: list[tuple[int, R]], more: Any) -> None:
        self.list.put(rows)
        if ends is None:
            return
        self._known = True
        self._first, self._last = ends[0] or 1, ends[1] or 0
        self.take_more(more)
        if self._found is None:
            self.list.set_keys(range(self._first, self._last + 1))
        elif not self._scanning and self._scanned < self._last:
            self._scan()

    def act(self, action: str) -> bool:
        """Move, follow, go on searching."""
        if action == "follow":
            self.list.follow = not self.list.follow
            if self.list.follow:
                self.list.go(len(self.list.keys) - 1)
                self.list.follow = True
        elif not self.list.act(action):
            return False
        self.request()
        return True

    def click(self, x: int, y: int) -> None:
        """Choose a line."""
        self.list.click(y - len(self.head(80)) - 2)
        self.request()

    def wheel(self, lines: int) -> None:
        """Move the cursor."""
        self.list.move(lines)
        self.request()

    def filter(self, text: str) -> str | None:
        """Filter by names and free text; empty shows everything again."""
        wanted = parse(text)
        error = error_of(self.table, wanted)
        if error is None:
            self.filter_text, self._filter = text, wanted
            self._found = None if wanted.empty else array("q")
            self._scanned, self._scanning = 0, False
            self._refilter()
        return error

    def _refilter(self) -> None:
        if self._found is None:
            self.list.set_keys(range(self._first, self._last + 1))
        else:
            self.list.set_keys(())
            self._scan()
        self.request()

    def _scan(self) -> None:
        wanted, found, start = self._filter, self._found, self._scanned
        end = min(start + STRETCH, self._last)
        condition, values = sql_of(self.table, wanted, self.texts)
        sql = (
            f"SELECT seq FROM {self.table.table} WHERE seq > ? AND seq <= ? AND {condition} "
            "ORDER BY seq"
        )
        reader = self.run.reader
        self._scanning = True

        def take(rows: list[tuple[Any, ...]]) -> None:
            if wanted is not self._filter or found is None or found is not self._found:
                return
            found.extend(row[0] for row in rows)
            self._scanned = end
            self.list.set_keys(found)
            self._scanning = end < self._last
            if self._scanning:
                self._scan()
            self.request()

        self.run.load(self.host, lambda: reader.rows(sql, [start, end, *values]), take, slow=True)

    def search(self, text: str, step: int) -> None:
        """Go to the next row (-1: the one before) that passes the filter and holds the text."""
        start = self.list.cursor or 0
        both = Filter(self._filter.where, self._filter.text)
        condition, values = sql_of(self.table, both, self.texts)
        hit, more = sql_of(self.table, Filter({}, text), self.texts)
        sign, order = (">", "") if step > 0 else ("<", " DESC")
        sql = (
            f"SELECT seq FROM {self.table.table} WHERE seq {sign} ? AND {condition} AND {hit} "
            f"ORDER BY seq{order} LIMIT 1"
        )
        reader = self.run.reader

        def take(row: tuple[Any, ...] | None) -> None:
            if row is None or not self.list.go_to(row[0]):
                self.host.say(f"no further {text!r}", "warn")
            self.request()

        self.run.load(self.host, lambda: reader.row(sql, [start, *values, *more]), take, slow=True)

    def shown(self) -> Shown | None:
        """Every row that passes the filter, as a table of text."""
        return Shown(f"{self.run.path.stem}-{self.name}.txt", self._text)

    def _text(self) -> Iterator[str]:
        yield _plain_row(table_head(self.columns, TEXT_WIDTH))
        condition, values = sql_of(self.table, self._filter, self.texts)
        sql = (
            f"SELECT {self.table.columns} FROM {self.table.table} "
            f"WHERE seq > ? AND seq <= ? AND {condition} ORDER BY seq"
        )
        for start in range(self._first - 1, self._last, PART):
            rows = self.run.reader.rows(sql, [start, min(start + PART, self._last), *values])
            for row in rows:
                yield _plain_row(
                    table_row(self.columns, self.cells(self.table.make(row)), TEXT_WIDTH)
                )


def _plain_row(line: Line) -> str:
    return plain(line).rstrip() + "\n"
