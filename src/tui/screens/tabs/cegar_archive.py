"""Archive of a cegar run: certificate, pool, the blind spots that are left, the starting pool."""

from typing import Any

from ....engine.store.reader import Reader
from ...lines import Column, Line, Span, table_row
from ...searches.cegar_class import read_class
from ...searches.cegar_pool import (
    Archive,
    Kept,
    archive_head,
    columns_of,
    kept_cells,
    pool_columns,
    read_archive,
)
from ..still import StillView
from .cegar_class import open_class


class CegarArchiveView(StillView[Kept]):
    """Enter inspects an operator, or shows the members of a blind spot."""

    name = "archive"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._archive = Archive()
        self._read = Archive()

    def read(self, reader: Reader) -> list[Kept]:
        """Pool, blind spots, starting pool."""
        self._read = read_archive(reader)
        return list(self._read.rows)

    def _take(self, rows: list[Kept], wanted: Any) -> None:
        self._archive = self._read
        super()._take(rows, wanted)

    def key_of(self, row: Kept) -> str:
        """The node, or the class."""
        return row.key

    def cells(self, row: Kept) -> list[Span]:
        """One operator or blind spot."""
        return kept_cells(row, self.host.glyphs)

    def columns_at(self, width: int) -> tuple[Column, ...]:
        """Wide screens keep the figures near the names."""
        return pool_columns(width)

    def _line(self, row: Kept, width: int) -> Line:
        return table_row(columns_of(row, width), self.cells(row), width)

    def head(self, width: int) -> list[Line]:
        """The certificate, then how much there is."""
        return archive_head(self._archive)

    def act(self, action: str) -> bool:
        """Move; Enter on a blind spot shows its members."""
        row = self.row_at()
        if action in ("open", "inspect") and row is not None and row.spot is not None:
            key = row.spot.key
            open_class(self.host, self.run, "Blind spot", lambda r: read_class(r, "", key))
            return True
        return super().act(action)

    def node(self) -> str | None:
        """The operator under the cursor."""
        row = self.row_at()
        return row.node if row is not None else None

    def siblings(self) -> list[str]:
        """All operators of the list."""
        return [row.node for row in self.rows.values() if row.node is not None]

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "veto", "search", "export")
