"""Archive of a chase run: harness x benchmark, confirmations, bounds."""

from typing import Any

from ....engine.store.reader import Reader
from ...lines import Line, Span, fit_line, plain, table_head, table_row
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
from ..still import StillView


class ChaseArchiveView(StillView[Row]):
    """Enter opens a harness, or a counterfactual's before and after."""

    name = "archive"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._archive = Archive()

    def read(self, reader: Reader) -> list[Row]:
        """All lines."""
        self._archive = read_archive(reader)
        return list(self._archive.rows)

    def key_of(self, row: Row) -> str:
        """Harness, counterfactual, or place of a text."""
        return row.key

    def head(self, width: int) -> list[Line]:
        """The thresholds, and what the marks say."""
        note = f"  {BINDS} binds; points of 100 on D_evo, ? not measured"
        return [fit_line(((f" {self._archive.head}", "accent"), (note, "dim")), width)]

    def lines(self, width: int, height: int) -> list[Line]:
        """The columns are those of this width and of the archive as it is."""
        self.columns = matrix_columns(self._archive.benchmarks, width)
        return super().lines(width, height)

    def cells(self, row: Row) -> list[Span]:
        """A harness's cells at the usual width."""
        return matrix_cells(row, self._archive.benchmarks, 80, self.host.glyphs)

    def _line(self, row: Row, width: int) -> Line:
        glyphs = self.host.glyphs
        if row.member is not None:
            return table_row(MEMBER_COLUMNS, member_cells(row.member, glyphs), width)
        if row.heads:
            return table_row(MEMBER_COLUMNS, [(head, "accent") for head in row.heads], width)
        if row.gains is None:
            return row.text
        names = self._archive.benchmarks
        cells = matrix_cells(row, names, width, glyphs)
        return table_row(matrix_columns(names, width), cells, width)

    def node(self) -> str | None:
        """The harness or counterfactual under the cursor."""
        row = self.rows.get(self.list.cursor or "")
        return row.node if row is not None else None

    def siblings(self) -> list[str]:
        """All harnesses and counterfactuals of the tab."""
        return [row.node for row in self.rows.values() if row.node is not None]

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "veto", "search", "export")

    def shown(self) -> Shown | None:
        """The whole tab as text."""
        heads = [*self.head(140), table_head(matrix_columns(self._archive.benchmarks, 140), 140)]
        lines = [*heads, *(self._line(row, 140) for row in self.rows.values())]
        text = "\n".join(plain(line).rstrip() for line in lines)
        return Shown(f"{self.run.path.stem}-{self.name}.txt", text + "\n")
