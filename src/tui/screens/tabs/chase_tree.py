"""Tree of a chase run: every method's rounds with their harnesses and counterfactuals."""

from typing import Any

from ....engine.store.reader import Reader
from ...filters import Filter, parse, unknown_name
from ...lines import Line, Span
from ...searches.chase import read_facts
from ...searches.chase_branches import Branch, branches
from ...searches.chase_tree import (
    COLUMNS,
    FILTERS,
    SORTS,
    best,
    line_of,
    matches,
    next_of,
    tree_line,
    visible,
)
from ..still import StillView


class ChaseTreeView(StillView[Branch]):
    """One list with folds; the cursor keeps to its round or node."""

    name = "tree"
    columns = COLUMNS
    filter_hint = "state= kind= method= round= family= vetoed=1, or words of a line"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.order = 0
        self._all: list[Branch] = []
        self._closed: frozenset[str] = frozenset()
        self._filter = Filter({}, "")

    def read(self, reader: Reader) -> list[Branch]:
        """The whole run: a few hundred rows."""
        return branches(read_facts(reader))

    def key_of(self, row: Branch) -> str:
        """The round or the node."""
        return row.key

    def _take(self, rows: list[Branch], wanted: Any) -> None:
        self._known, self._all = wanted, rows
        self._set()

    def _set(self) -> None:
        wanted = self._filter

        def passes(branch: Branch) -> bool:
            return matches(branch, wanted.where, wanted.text)

        found = visible(self._all, self._closed, None if wanted.empty else passes, self.order)
        self.rows = {row.key: row for row in found}
        self.list.forget()
        self.list.set_keys(list(self.rows))

    def head(self, width: int) -> list[Line]:
        """Where the cursor is, the order, the filter."""
        text = "" if self._filter.empty else f"  filter: {self.filter_text}"
        return [((f" {self.list.place_text()}  {SORTS[self.order]}", "dim"), (text, "accent"))]

    def cells(self, row: Branch) -> list[Span]:
        """A line's cells."""
        return line_of(row, self.host.glyphs, row.key not in self._closed)

    def _line(self, row: Branch, width: int) -> Line:
        return tree_line(self.cells(row), row, width)

    def act(self, action: str) -> bool:
        """Move, fold, sort, jump."""
        if action == "sort":
            self.order = (self.order + 1) % len(SORTS)
            self._set()
        elif action in ("left", "right", "open"):
            return self._fold(action)
        elif action == "best":
            here = self.row_at()
            method = here.stage.method if here is not None else ""
            self._jump(best(self._all, method), "no harness here has a score that counts")
        elif action in ("next_rejected", "next_vetoed"):
            state = action.removeprefix("next_")
            self._jump(next_of(self._all, self.list.cursor, state), "none further on")
        else:
            return super().act(action)
        return True

    def _fold(self, action: str) -> bool:
        here = self.row_at()
        if here is None or (action != "left" and here.row is not None):
            return False
        key = here.stage.id
        if here.row is not None:
            self.list.go_to(key)
        elif action == "right" or (action == "open" and key in self._closed):
            self._closed -= {key}
        elif here.below:
            self._closed |= {key}
        self._set()
        return True

    def _jump(self, branch: Branch | None, otherwise: str) -> None:
        if branch is None:
            self.host.say(otherwise, "warn")
            return
        self._closed -= {branch.stage.id}
        if not matches(branch, self._filter.where, self._filter.text):
            self._filter, self.filter_text = Filter({}, ""), ""
        self._set()
        self.list.go_to(branch.key)

    def node(self) -> str | None:
        """The node under the cursor; on a round, the harness that it chose."""
        here = self.row_at()
        return here.node if here is not None else None

    def siblings(self) -> list[str]:
        """The nodes that are shown."""
        return [row.key for row in self.rows.values() if row.row is not None]

    def filter(self, text: str) -> str | None:
        """Filter the lines; empty shows everything again."""
        wanted = parse(text)
        error = unknown_name(wanted, FILTERS)
        if error is None:
            self._filter, self.filter_text = wanted, text
            self._set()
        return error

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "best", "next_rejected", "next_vetoed", "veto", "filter", "sort")
