"""Archive of a chase run: harness x benchmark, confirmations, bounds."""

from ....engine.store.reader import Reader
from ...lines import Column, Line, Span, fit_line, plain, table_row
from ...page import Shown
from ...searches.chase_archive import (
    BINDS,
    MEMBER_COLUMNS,
    Archive,
    Row,
    matrix_cells,
    matrix_columns,
    member_cells,
    read_archive,
)
from ..still import WholeView


class ChaseArchiveView(WholeView[Archive, Row]):
    """Enter opens a harness, or a counterfactual's before and after."""

    empty = Archive()

    def read_whole(self, reader: Reader) -> Archive:
        """All lines."""
        return read_archive(reader)

    def columns_at(self, width: int) -> tuple[Column, ...]:
        """The matrix's columns, one or two for each benchmark of the archive."""
        return matrix_columns(self.whole.benchmarks, width)

    def head(self, width: int) -> list[Line]:
        """The thresholds, and what the marks say."""
        note = f"  {BINDS} binds; points of 100 on D_evo, ? not measured"
        return [fit_line(((f" {self.whole.head}", "accent"), (note, "dim")), width)]

    def cells(self, row: Row) -> list[Span]:
        """A confirmation's cells."""
        if row.member is None:
            return [(head, "accent") for head in row.heads]
        return member_cells(row.member, self.host.glyphs)

    def _line(self, row: Row, width: int) -> Line:
        if row.gains is not None:
            cells = matrix_cells(row, self.whole.benchmarks, width, self.host.glyphs)
            return table_row(self.columns_at(width), cells, width)
        if row.member is not None or row.heads:
            return table_row(MEMBER_COLUMNS, self.cells(row), width)
        return row.text

    def shown(self) -> Shown | None:
        """The whole tab as text, the thresholds first."""
        shown = super().shown()
        if shown is None:
            return None
        head = plain(self.head(140)[0]).rstrip()
        return Shown(shown.name, f"{head}\n{''.join(shown.parts())}")
