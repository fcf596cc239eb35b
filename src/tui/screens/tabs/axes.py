"""Axes: how often each was applied, passed the gates and made a case harder."""

from typing import Any

from ....engine.store.reader import Reader
from ...lines import Column, Line, Span
from ...searches.harden import AxisLine, read_axes
from ...text import clean_line
from ...widgets.bars import bar
from ..still import StillView


class AxesView(StillView[AxisLine]):
    """Over the run, or within the case that was chosen in the tree."""

    name = "axes"
    columns = (
        Column("rank", 4, "right"),
        Column("", 3),
        Column("axis", 0),
        Column("priority", 8, least=76),
        Column("applied", 7, "right"),
        Column("passed", 7, "right"),
        Column("improved", 8, "right"),
        Column("score", 6, "right"),
        Column("", 10, least=90),
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._case: str | None = None
        self._ranks: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def read(self, reader: Reader) -> list[AxisLine]:
        """The axes, best first."""
        return read_axes(reader, self._case)

    def key_of(self, row: AxisLine) -> str:
        """The axis."""
        return row.axis

    def _take(self, rows: list[AxisLine], wanted: Any) -> None:
        ranks = {row.axis: place for place, row in enumerate(rows, 1)}
        if ranks != self._ranks:
            self._before, self._ranks = self._ranks, ranks
        super()._take(rows, wanted)

    def cells(self, row: AxisLine) -> list[Span]:
        """Rank, change of rank, counts, score, bar."""
        glyphs = self.host.glyphs
        rank = self._ranks.get(row.axis, 0)
        moved = self._before.get(row.axis, rank) - rank
        arrow = glyphs.up if moved > 0 else glyphs.down
        share = row.passed / row.applied if row.applied else 0.0
        return [
            (str(rank), "dim"),
            (f"{arrow}{abs(moved)}" if moved else "", "ok" if moved > 0 else "warn"),
            (clean_line(row.axis), ""),
            (clean_line(row.priority), "accent" if row.priority == "high" else "dim"),
            (f"{row.applied:,}", ""),
            (f"{row.passed:,}", ""),
            (f"{row.improved:,}", "ok" if row.improved else "dim"),
            (f"{float(row.base):.2f}", "accent"),
            (bar(share, 10, glyphs), "dim"),
        ]

    def head(self, width: int) -> list[Line]:
        """Which counts these are, and what the axis under the cursor means."""
        where = f"case {self._case.removeprefix('case:')}" if self._case else "the whole run"
        key = self.host.settings.keys.label("scope")
        score = "score = 4 improved/applied + passed/applied"
        first: Line = ((f" {where}", "accent"), (f"  {score}; bar: passed; {key} changes", "dim"))
        row = self.list.cursor and self.rows.get(self.list.cursor)
        text = clean_line(row.definition) if row else ""
        return [first, ((f" {text}", "dim"),)]

    def act(self, action: str) -> bool:
        """Move, or change between run and case."""
        if action != "scope":
            return super().act(action)
        if self._case is None and self.run.unit is None:
            self.host.say("choose a case in the tree first", "warn")
        self._case = self.run.unit if self._case is None else None
        self.wanted = self._case
        self.request()
        return True

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("scope", "search", "export")
