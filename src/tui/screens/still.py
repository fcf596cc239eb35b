"""A tab over a short list that is read whole: rows keyed by name, search in the shown text."""

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ...engine.store.reader import Reader
from ..lines import Column, Line, Span, plain, table_head, table_row
from ..page import Host, Shown
from ..run_model import RunModel
from ..widgets.listing import Listing
from .view import Apply, Job, View

R = TypeVar("R")


class StillView(View, Generic[R]):
    """Set `columns` and `name`; give `read`, `key_of` and `cells`."""

    columns: tuple[Column, ...]
    name = "rows"
    every = 1
    """Read again at every so many updates: a long list that keeps changing costs bytes."""

    def __init__(self, host: Host, run: RunModel) -> None:
        super().__init__(host, run)
        self.list: Listing[str, R] = Listing()
        self.rows: dict[str, R] = {}
        self.wanted: Any = None
        self._known: Any = ("nothing yet",)
        self._updates = 0

    def read(self, reader: Reader) -> list[R]:
        """All rows in order; in the reading thread."""
        raise NotImplementedError

    def key_of(self, row: R) -> str:
        """What the cursor keeps to."""
        raise NotImplementedError

    def cells(self, row: R) -> list[Span]:
        """The row's cells."""
        raise NotImplementedError

    def columns_at(self, width: int) -> tuple[Column, ...]:
        """The columns at this width."""
        return self.columns

    def row_at(self) -> R | None:
        """The row under the cursor."""
        return None if self.list.cursor is None else self.rows.get(self.list.cursor)

    def head(self, width: int) -> list[Line]:
        """Lines above the list."""
        return []

    def job(self, fresh: bool) -> Job | None:
        """Everything, once per update or when something else is wanted."""
        self._updates += fresh
        due = fresh and self._updates % self.every == 0
        if not due and self._known == self.wanted:
            return None
        reader, wanted = self.run.reader, self.wanted

        def work() -> Apply:
            rows = self.read(reader)
            return lambda: self._take(rows, wanted)

        return work

    def _take(self, rows: list[R], wanted: Any) -> None:
        self._known = wanted
        self.rows = {self.key_of(row): row for row in rows}
        self.list.forget()
        self.list.set_keys(list(self.rows))

    def lines(self, width: int, height: int) -> list[Line]:
        """Title, columns, list."""
        above = [*self.head(width), table_head(self.columns_at(width), width)]
        self.list.resize(height - len(above))
        self.list.put((key, self.rows[key]) for key in self.list.missing())
        return [*above, *self.list.view(width, height - len(above), self._line)]

    def _line(self, row: R, width: int) -> Line:
        return table_row(self.columns_at(width), self.cells(row), width)

    def act(self, action: str) -> bool:
        """Move."""
        return self.list.act(action)

    def click(self, x: int, y: int) -> None:
        """Choose a line."""
        self.list.click(y - len(self.head(80)) - 1)

    def wheel(self, lines: int) -> None:
        """Move the cursor."""
        self.list.move(lines)

    def search(self, text: str, step: int) -> None:
        """The next line that holds the text."""
        keys, wanted = self.list.keys, text.casefold()
        for offset in range(1, len(keys) + 1):
            place = (self.list.at + offset * step) % len(keys)
            if wanted in plain(self._line(self.rows[keys[place]], 200)).casefold():
                self.list.go(place)
                return
        self.host.say(f"no {text!r} here", "warn")

    def shown(self) -> Shown | None:
        """The whole list as text."""
        lines = [table_head(self.columns_at(140), 140)]
        lines += [self._line(row, 140) for row in self.rows.values()]
        text = "\n".join(plain(line).rstrip() for line in lines)
        return Shown(f"{self.run.path.stem}-{self.name}.txt", text + "\n")


class Kept(Protocol):
    """A row of an archive: what the cursor keeps to, and its node if it is one."""

    @property
    def key(self) -> str: ...

    @property
    def node(self) -> str | None: ...


class Whole(Protocol):
    """An archive as it was read: its rows, and whatever else its tab shows."""

    @property
    def rows(self) -> Sequence[Any]: ...


K = TypeVar("K", bound=Kept)
W = TypeVar("W", bound=Whole)


class WholeView(StillView[K], Generic[W, K]):
    """An archive of which more is shown than its rows. Set `empty`, give `read_whole`."""

    name = "archive"
    empty: ClassVar[Whole]

    def __init__(self, host: Host, run: RunModel) -> None:
        super().__init__(host, run)
        self.whole: W = self.empty  # type: ignore[assignment]
        self._read = self.whole

    def read_whole(self, reader: Reader) -> W:
        """All of it; in the reading thread."""
        raise NotImplementedError

    def read(self, reader: Reader) -> list[K]:
        """The rows of all of it."""
        self._read = self.read_whole(reader)
        return list(self._read.rows)

    def _take(self, rows: list[K], wanted: Any) -> None:
        self.whole = self._read
        super()._take(rows, wanted)

    def key_of(self, row: K) -> str:
        """The row's own."""
        return row.key

    def node(self) -> str | None:
        """The node under the cursor."""
        row = self.row_at()
        return row.node if row is not None else None

    def siblings(self) -> list[str]:
        """All nodes of the list."""
        return [row.node for row in self.rows.values() if row.node is not None]

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "veto", "search", "export")
