"""Archive of a cegar run: certificate, pool, the blind spots that are left, the starting pool."""

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
from ..still import WholeView
from .cegar_class import open_class


class CegarArchiveView(WholeView[Archive, Kept]):
    """Enter inspects an operator, or shows the members of a blind spot."""

    empty = Archive()

    def read_whole(self, reader: Reader) -> Archive:
        """Pool, blind spots, starting pool."""
        return read_archive(reader)

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
        return archive_head(self.whole)

    def act(self, action: str) -> bool:
        """Move; Enter on a blind spot shows its members."""
        row = self.row_at()
        if action in ("open", "inspect") and row is not None and row.spot is not None:
            key = row.spot.key
            open_class(self.host, self.run, "Blind spot", lambda r: read_class(r, "", key))
            return True
        return super().act(action)
