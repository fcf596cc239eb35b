"""Axes: how often each was applied, passed the gates and made a case harder, and its rank."""

from typing import Any

from ....engine.model.harden import RankedAxis
from ....engine.store.reader import Reader
from ...lines import Column, Line, Span, tidy
from ...searches.harden import terms_text
from ...widgets.bars import bar
from ..still import StillView


class AxesView(StillView[RankedAxis]):
    """Over the run, or within the case that was chosen in the tree."""

    name = "axes"
    columns = (
        Column("rank", 4, "right"),
        Column("", 2),
        Column("axis", 0),
        Column("priority", 8, least=100),
        Column("applied", 7, "right"),
        Column("passed", 6, "right"),
        Column("improved", 8, "right"),
        Column("score", 6, "right"),
        Column("terms", 14, least=76),
        Column("", 12, least=112),
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._case: str | None = None
        self._before: dict[str, int] = {}

    def read(self, reader: Reader) -> list[RankedAxis]:
        """The axes, best first."""
        from ....engine.report.axis_ranking import axis_ranking

        return list(axis_ranking(reader, self._case))

    def key_of(self, row: RankedAxis) -> str:
        """The axis."""
        return row.axis.axis_name

    def _take(self, rows: list[RankedAxis], wanted: Any) -> None:
        ranks = {name: row.rank for name, row in self.rows.items()}
        if wanted != self._known:
            self._before = {}
        elif [row.axis.axis_name for row in rows] != list(ranks):
            self._before = ranks
        super()._take(rows, wanted)

    def cells(self, row: RankedAxis) -> list[Span]:
        """Rank, its change, counts, score with its terms, bar."""
        glyphs, counts = self.host.glyphs, row.counts
        name = row.axis.axis_name
        moved = self._before.get(name, row.rank) - row.rank
        arrow = glyphs.up if moved > 0 else glyphs.down
        share = counts.passed / counts.applied if counts.applied else 0.0
        return [
            (str(row.rank), "dim"),
            (f"{arrow}{abs(moved)}" if moved else "", "ok" if moved > 0 else "warn"),
            (tidy(name), ""),
            (row.axis.priority, "accent" if row.axis.priority == "high" else "dim"),
            (f"{counts.applied:,}", ""),
            (f"{counts.passed:,}", ""),
            (f"{counts.improved:,}", "ok" if counts.improved else "dim"),
            (f"{float(row.terms.score):.2f}", "accent"),
            (terms_text(row.terms), "dim"),
            (bar(share, 12, glyphs), "dim"),
        ]

    def head(self, width: int) -> list[Line]:
        """Which counts these are, and what the axis under the cursor means."""
        where = self._case.removeprefix("case:") if self._case else "the whole run"
        key = self.host.settings.keys.label("scope")
        note = f"  {key} changes; terms: 4 improved + passed per application, then bonuses"
        row = self.row_at()
        text = tidy(row.axis.definition) if row else ""
        return [((f" {tidy(where)}", "accent"), (note, "dim")), ((f" {text}", "dim"),)]

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
