"""Axes of a cegar run: the levels that operators are written for, and how they behave."""

from ....engine.store.reader import Reader
from ...lines import Line, Span, tidy
from ...searches.cegar_pool import TRIED_COLUMNS, Tried, read_tried, tried_cells
from ..inspect import InspectPage
from ..still import StillView


class CegarAxesView(StillView[Tried]):
    """Levels first, then behavioural classes: operators that flag the same programs."""

    name = "axes"
    columns = TRIED_COLUMNS

    def read(self, reader: Reader) -> list[Tried]:
        """Levels and behaviours."""
        return read_tried(reader)

    def key_of(self, row: Tried) -> str:
        """The level, or the first operator of a behaviour."""
        return row.key

    def cells(self, row: Tried) -> list[Span]:
        """One level or behaviour."""
        return tried_cells(row, self.host.glyphs)

    def head(self, width: int) -> list[Line]:
        """How many behaviours, and what the line under the cursor is."""
        row = self.row_at()
        behaviours = sum(not key.startswith("level ") for key in self.rows)
        told = f" {behaviours} behaviours: operators that flag the same programs of decidable tasks"
        return [((told, "accent"),), ((f" {tidy(row.note)}" if row else "", "dim"),)]

    def act(self, action: str) -> bool:
        """Move; Enter shows the first operator of the line, and `n` the others."""
        row = self.row_at()
        if action in ("open", "inspect") and row is not None and row.nodes:
            self.host.push(InspectPage(self.host, self.run, row.nodes[0], row.nodes))
            return True
        return super().act(action)

    def node(self) -> str | None:
        """The operator of a line that has only one: no order goes to one of several."""
        row = self.row_at()
        return row.nodes[0] if row is not None and len(row.nodes) == 1 else None

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "search", "export")
