"""Targets with their attempts and what came of them, in one foldable list."""

from typing import Any

from ....engine.store.reader import Reader
from ...filters import Filter, parse, unknown_name
from ...lines import Column, Line, Span, tidy
from ...searches.cegar import Search, fraction, read_search, with_classes
from ...searches.cegar_class import read_class
from ...searches.cegar_tree import (
    COLUMNS,
    FILTERS,
    TARGET_SORTS,
    WIDE,
    WIDE_FROM,
    TreeLine,
    tree_cells,
    tree_lines,
)
from ..still import StillView
from ..view import Apply, Job
from .cegar_class import open_class

BASELINE = "candidates are labelled first, then the starting pool is run"
JUMPS = {"next_rejected": "rejected", "next_vetoed": "vetoed"}


class CegarTreeView(StillView[TreeLine]):
    """One list; Enter on a target shows its class."""

    name = "tree"
    filter_hint = "state=admitted|rejected|abandoned|open|... level= gate= vetoed=1, or words"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.search_read: Search | None = None
        self.order = 0
        self._classed = False
        self._closed = frozenset({"start"})
        self._filter = Filter({}, "")

    # reading

    def job(self, fresh: bool) -> Job | None:
        """What is recorded at once; then also the classes, which take a module and a while."""
        if not fresh and self._classed:
            return None
        reader, classes = self.run.reader, self.search_read is not None

        def work() -> Apply:
            search = _read(reader, classes)
            return lambda: self._take_search(search, classes)

        return work

    def _take_search(self, search: Search, classes: bool) -> None:
        self.search_read, self._classed = search, classes
        self._set_lines()

    def _set_lines(self) -> None:
        lines = self._lines_of(self._closed)
        self.rows = {line.key: line for line in lines}
        self.list.forget()
        self.list.set_keys(list(self.rows))
        self._chosen()

    def _lines_of(self, closed: frozenset[str]) -> list[TreeLine]:
        return tree_lines(self.search_read or Search(), closed, self._filter, self.order)

    def key_of(self, row: TreeLine) -> str:
        """The target, the node, or the target's decision."""
        return row.key

    # drawing

    def columns_at(self, width: int) -> tuple[Column, ...]:
        """Wide screens say in each line why it is so."""
        return WIDE if width >= WIDE_FROM else COLUMNS

    def cells(self, row: TreeLine) -> list[Span]:
        """One line of the tree."""
        return tree_cells(row, self.host.glyphs)

    def head(self, width: int) -> list[Line]:
        """Where the cursor is, and why its line is as it is."""
        row = self.row_at()
        title = f" {self.list.place_text()}  {TARGET_SORTS[self.order]}"
        spans: list[Span] = [(title, "accent")]
        if not self._filter.empty:
            spans.append((f"  filter: {tidy(self.filter_text)}", "accent"))
        note = tidy(row.note) if row else BASELINE if self.search_read and not self.rows else ""
        return [tuple(spans), ((f" {note}", "dim"),)]

    # keys

    def act(self, action: str) -> bool:
        """Move, fold, sort, jump, open a class."""
        row = self.row_at()
        if action == "sort":
            self.order = (self.order + 1) % len(TARGET_SORTS)
            self._set_lines()
        elif action in ("left", "right") and row is not None:
            self._sideways(row, action)
        elif action in ("open", "inspect") and row is not None and row.node is None:
            self._open(row)
        elif action == "best":
            self._best()
        elif action in JUMPS:
            self._jump(JUMPS[action])
        elif not super().act(action):
            return False
        self._chosen()
        return True

    def _chosen(self) -> None:
        """The target under the cursor is the one that the key for skipping means."""
        row = self.row_at()
        below = ("baseline", "ending")
        self.run.unit = row.unit if row is not None and row.unit not in below else None

    def _sideways(self, row: TreeLine, action: str) -> None:
        if row.depth:
            if action == "left":
                self.list.go_to("start" if row.unit == "baseline" else row.unit)
            return
        self._closed = self._closed - {row.key} if action == "right" else self._closed | {row.key}
        self._set_lines()

    def _open(self, row: TreeLine) -> None:
        if row.key == "start":
            self._sideways(row, "left" if row.open else "right")
        elif row.key == "ending":
            self.host.say("the archive tab (4) has what is left and the certificate")
        else:
            unit = row.unit
            open_class(self.host, self.run, f"Class of {unit}", lambda r: read_class(r, unit))

    def _best(self) -> None:
        def rank(line: TreeLine) -> tuple[bool, Any]:
            return line.word == "admitted", fraction(line.figures.get("delta"))

        nodes = [line for line in self._lines_of(frozenset()) if line.depth and line.node]
        known = [n for n in nodes if "delta" in n.figures and n.word not in ("vetoed", "starting")]
        if known:
            self.go_to(max(known, key=rank))
        else:
            self.host.say("no operator has reached the gate yet", "warn")

    def _jump(self, word: str) -> None:
        lines = self._lines_of(frozenset())
        keys = [line.key for line in lines]
        start = keys.index(self.list.cursor) + 1 if self.list.cursor in keys else 0
        found = next((line for line in lines[start:] if line.node and line.word == word), None)
        if found is None:
            self.host.say("none further on", "warn")
        else:
            self.go_to(found)

    def go_to(self, line: TreeLine) -> None:
        """Put the cursor on a line, and unfold what it is below."""
        self._closed -= {"start" if line.unit == "baseline" else line.unit}
        self._set_lines()
        self.list.go_to(line.key)

    def click(self, x: int, y: int) -> None:
        """Choose a line."""
        super().click(x, y)
        self._chosen()

    def node(self) -> str | None:
        """The operator under the cursor; a target is no node."""
        row = self.row_at()
        return row.node if row is not None else None

    def siblings(self) -> list[str]:
        """The operators of the list."""
        return [row.node for row in self.rows.values() if row.node is not None]

    def filter(self, text: str) -> str | None:
        """Filter targets and attempts."""
        wanted = parse(text)
        error = unknown_name(wanted, FILTERS)
        if error is None:
            self._filter, self.filter_text = wanted, text
            self._set_lines()
        return error

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "best", "next_rejected", "veto", "filter", "sort", "skip")


def _read(reader: Reader, classes: bool) -> Search:
    search = read_search(reader)
    if not classes:
        return search
    from ....engine.report.cegar_live import facts_of

    facts = facts_of(reader)
    return search if facts is None else with_classes(search, facts)
