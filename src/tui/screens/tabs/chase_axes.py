"""Axes of a chase run: surfaces of the harness, and families of transformations."""

from typing import Any

from ....engine.store.reader import Reader
from ...lines import Line, Span, tidy
from ...searches.chase_axes import COLUMNS, Count, count_cells, read_counts
from ..still import StillView


class ChaseAxesView(StillView[Count]):
    """Over all methods, or one of them; `a` goes on to the next."""

    name = "axes"
    columns = COLUMNS

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.wanted: str | None = None
        self._methods: list[str] = []

    def read(self, reader: Reader) -> list[Count]:
        """Both lists, each below its heading."""
        rows, self._methods = read_counts(reader, self.wanted)
        return rows

    def key_of(self, row: Count) -> str:
        """The surface or family."""
        return row.key

    def cells(self, row: Count) -> list[Span]:
        """Counts and a bar."""
        return count_cells(row, self.host.glyphs)

    def head(self, width: int) -> list[Line]:
        """Whose counts these are."""
        whose = "all methods" if self.wanted is None else tidy(self.wanted)
        key = self.host.settings.keys.label("scope")
        note = f"  {key} goes to the next method; bars: adopted or confirmed, of all"
        return [((f" {whose}", "accent"), (note, "dim"))]

    def act(self, action: str) -> bool:
        """Move, or go on to the next method."""
        if action != "scope":
            return super().act(action)
        order: list[str | None] = [None, *self._methods]
        place = order.index(self.wanted) if self.wanted in order else 0
        self.wanted = order[(place + 1) % len(order)]
        self.request()
        return True

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("scope", "search", "export")
