"""Cases on the left, the chosen case's nodes by lineage on the right."""

import json
from typing import Any

from ....engine.store.reader import Reader
from ...filters import Filter, parse, unknown_name
from ...lines import Line, Span, fit_line, plain, table_head, table_row
from ...page import Shown
from ...searches.harden import (
    CASE_COLUMNS,
    CASE_SORTS,
    NODE_COLUMNS,
    CaseLine,
    CaseTree,
    NodeLine,
    case_cells,
    case_matches,
    node_cells,
    read_cases,
    read_tree,
    sort_cases,
    tree_lines,
)
from ...widgets.listing import Listing
from ..view import Apply, Job, View

CASES, NODES = 0, 1
JUMPS = {"next_rejected": "state = 'rejected'", "next_vetoed": "vetoed = 1"}


class TreeView(View):
    """Two lists; Tab goes from one to the other."""

    filter_hint = "state=running|waiting|hardened|kept|parked|... vetoed=1, or words of the case"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.cases: Listing[str, CaseLine] = Listing()
        self.nodes: Listing[str, NodeLine] = Listing()
        self.pane, self.order = CASES, 0
        self._rows: list[CaseLine] = []
        self._by_unit: dict[str, CaseLine] = {}
        self._tree: CaseTree | None = None
        self._closed: frozenset[str] = frozenset()
        self._filter = Filter({}, "")
        self._goal: str | None = None
        self._left = 30

    # reading

    def job(self, fresh: bool) -> Job | None:
        """All cases once per update, and the chosen case's nodes when it changes."""
        unit = self.cases.cursor
        wrong = self._tree is None or self._tree.unit != unit
        if self._rows and not fresh and not (unit and wrong):
            return None
        reader, rollouts = self.run.reader, self.run.rollouts
        cases = fresh or not self._rows

        def read() -> Apply:
            rows = read_cases(reader) if cases else None
            wanted = unit or (rows[0].unit if rows else None)
            tree = read_tree(reader, wanted, rollouts) if wanted else None
            return lambda: self._take(rows, tree)

        return read

    def _take(self, rows: list[CaseLine] | None, tree: CaseTree | None) -> None:
        if rows is not None:
            self._rows = rows
            self._set_cases()
        if tree is not None and tree.unit == self.cases.cursor:
            self._tree = tree
            self._set_nodes()

    def _set_cases(self) -> None:
        where, text = self._filter.where, self._filter.text
        rows = [row for row in self._rows if case_matches(row, where, text)]
        rows = sort_cases(rows, self.order)
        self._by_unit = {row.unit: row for row in rows}
        self.cases.forget()
        self.cases.set_keys([row.unit for row in rows])
        self.run.unit = self.cases.cursor

    def _set_nodes(self) -> None:
        if self._tree is None:
            return
        lines = tree_lines(self._tree, self._closed)
        self.nodes.forget()
        self.nodes.put((line.row.id, line) for line in lines)
        self.nodes.set_keys([line.row.id for line in lines])
        if self._goal is not None and self.nodes.go_to(self._goal):
            self._goal = None

    # drawing

    def lines(self, width: int, height: int) -> list[Line]:
        """Both lists side by side."""
        self._left = min(max(width // 3 + 1, 28), 56) if width >= 76 else 26
        right = width - self._left - 1
        lefts = self._case_lines(self._left, height)
        rights = self._node_lines(right, height)
        bar: Span = (self.host.glyphs.vertical, "dim")
        return [
            (*fit_line(left, self._left), bar, *fit_line(line, right))
            for left, line in zip(lefts, rights, strict=True)
        ]

    def _case_lines(self, width: int, height: int) -> list[Line]:
        glyphs = self.host.glyphs

        def line(row: CaseLine, size: int) -> Line:
            return table_row(CASE_COLUMNS, case_cells(row, glyphs), size)

        title = f" {self.cases.place_text()}  {CASE_SORTS[self.order]}"
        if not self._filter.empty:
            title += f"  {self.filter_text}"
        head: list[Line] = [((title, "accent" if self.pane == CASES else "dim"),)]
        head.append(table_head(CASE_COLUMNS, width))
        self.cases.resize(height - 2)
        self.cases.put((key, self._by_unit[key]) for key in self.cases.missing())
        body = self.cases.view(width, max(height - 2, 0), line, active=self.pane == CASES)
        return head + body + [()] * (height - 2 - len(body))

    def _node_lines(self, width: int, height: int) -> list[Line]:
        glyphs, rollouts = self.host.glyphs, self.run.rollouts

        def line(row: NodeLine, size: int) -> Line:
            return table_row(NODE_COLUMNS, node_cells(row, glyphs, rollouts), size)

        unit = self._tree.unit.removeprefix("case:") if self._tree else ""
        title: Line = ((f" {unit}  {self.nodes.place_text()} nodes", self._tone(NODES)),)
        head = [title, table_head(NODE_COLUMNS, width)]
        body = self.nodes.view(width, max(height - 2, 0), line, active=self.pane == NODES)
        return head + body + [()] * (height - 2 - len(body))

    def _tone(self, pane: int) -> str:
        return "accent" if self.pane == pane else "dim"

    # keys

    @property
    def _list(self) -> Listing[str, Any]:
        return self.nodes if self.pane == NODES else self.cases

    def act(self, action: str) -> bool:
        """Move, fold, sort, jump."""
        if action in ("next_pane", "last_pane"):
            self.pane = 1 - self.pane
        elif action == "sort":
            self.order = (self.order + 1) % len(CASE_SORTS)
            self._set_cases()
        elif action in ("left", "right"):
            self._sideways(action)
        elif action == "open" and self.pane == CASES:
            self.pane = NODES
        elif action == "best":
            self._best()
        elif action in JUMPS:
            self._jump(action)
        elif not self._list.act(action):
            return False
        self._chosen()
        return True

    def _chosen(self) -> None:
        if self.run.unit != self.cases.cursor:
            self._closed = frozenset()
        self.run.unit = self.cases.cursor
        self.request()

    def _sideways(self, action: str) -> None:
        line = self.nodes.row()
        if self.pane == CASES:
            self.pane = NODES if action == "right" else CASES
        elif line is not None and action == "right":
            self._closed -= {line.row.id}
        elif line is not None and line.children and line.open:
            self._closed |= {line.row.id}
        elif line is not None and line.row.parents:
            self.nodes.go_to(line.row.parents[0])
        else:
            self.pane = CASES
        self._set_nodes()

    def _best(self) -> None:
        rows = [row for row in (self._tree.rows if self._tree else []) if not row.vetoed]
        scored = [row for row in rows if row.score is not None and row.score > 0 and not row.bound]
        if scored:
            self._closed = frozenset()
            self._set_nodes()
            best = min(scored, key=lambda row: (row.score or 0, row.generation, row.index))
            self.nodes.go_to(best.id)
            self.pane = NODES

    def _jump(self, action: str) -> None:
        row = self.nodes.row()
        seq = row.row.seq if row is not None else 0
        sql = f"SELECT id, unit FROM node WHERE seq > ? AND {JUMPS[action]} ORDER BY seq LIMIT 1"
        reader: Reader = self.run.reader

        def take(found: tuple[Any, ...] | None) -> None:
            if found is None:
                self.host.say("none further on", "warn")
            else:
                self.go_to(str(found[0]), str(found[1]))

        self.run.load(self.host, lambda: reader.row(sql, (seq,)), take)

    def go_to(self, node: str, unit: str) -> None:
        """Put the cursors on a node of a case."""
        if not self.cases.go_to(unit):
            self._filter, self.filter_text = Filter({}, ""), ""
            self._set_cases()
            self.cases.go_to(unit)
        self.pane, self._goal, self._closed = NODES, node, frozenset()
        self._set_nodes()
        self._chosen()

    def click(self, x: int, y: int) -> None:
        """Choose a line in one of the panes."""
        self.pane = CASES if x < self._left else NODES
        self._list.click(y - 2)
        self._chosen()

    def wheel(self, lines: int) -> None:
        """Move in the active pane."""
        self._list.move(lines)
        self._chosen()

    def node(self) -> str | None:
        """The node under the cursor; on the cases, the case's original."""
        if self.pane == CASES:
            return self._tree.rows[0].id if self._tree and self._tree.rows else None
        return self.nodes.cursor

    def siblings(self) -> list[str]:
        """The nodes of the tree."""
        return list(self.nodes.keys)

    def search(self, text: str, step: int) -> None:
        """Search the active list."""
        wanted, keys = text.casefold(), self._list.keys
        for offset in range(1, len(keys) + 1):
            place = (self._list.at + offset * step) % len(keys)
            if wanted in self._text_of(keys[place]).casefold():
                self._list.go(place)
                self._chosen()
                return
        self.host.say(f"no {text!r} here", "warn")

    def _text_of(self, key: str) -> str:
        line = self.nodes.known(key) if self.pane == NODES else None
        if line is None:
            return key
        return f"{key} {json.dumps(dict(line.row.origin))} {line.row.description} {line.state}"

    def filter(self, text: str) -> str | None:
        """Filter the cases."""
        wanted = parse(text)
        error = unknown_name(wanted, ("state", "vetoed"))
        if error is None:
            self._filter, self.filter_text = wanted, text
            self._set_cases()
            self._chosen()
        return error

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("inspect", "next_pane", "best", "next_rejected", "veto", "filter", "sort", "skip")

    def shown(self) -> Shown | None:
        """The chosen case's tree as text."""
        glyphs, rollouts = self.host.glyphs, self.run.rollouts
        rows = [self.nodes.known(key) for key in self.nodes.keys]
        lines = [table_head(NODE_COLUMNS, 120)]
        lines += [
            table_row(NODE_COLUMNS, node_cells(row, glyphs, rollouts), 120)
            for row in rows
            if row is not None
        ]
        text = "\n".join(plain(line).rstrip() for line in lines)
        return Shown(f"{self.run.path.stem}-tree.txt", text + "\n")
