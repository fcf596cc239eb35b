"""Report: the run's tables so far, as `evoscope report` gives them.

Made by that very command in a process of its own: its numerics would cost this app memory and,
with them loaded, every start a second.
"""

import json
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from ...lines import Line, one, tidy
from ...page import Shown
from ...text import cell_width, fit
from ...widgets.diff import wrap_spans
from ...widgets.text import TextPane
from ..view import Job, View

MARGIN, NOTE, GAP, MISSING = "  ", "   ", "  ", "n/a"
PATIENCE_S = 120.0
AGAIN_S = 60.0


class ReportView(View):
    """Scrolled tables; made anew when the tab is shown and a minute has gone by."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.pane = TextPane([one(" making the report ...", "dim")])
        self._report: dict[str, Any] | None = None
        self._made = -AGAIN_S
        self._busy = False
        self._width = 0
        self._process: subprocess.Popen[str] | None = None

    def job(self, fresh: bool) -> Job | None:
        """Have the report made; the reading thread is not kept waiting."""
        if fresh and not self._busy and self.host.now() - self._made >= AGAIN_S:
            self._busy = True
            self.run.load(self.host, self._make, self._take, slow=True, always=self._ended)
        return None

    def _make(self) -> "dict[str, Any] | str":
        command = [sys.executable, "-m", "evoscope.cli.main", "report", str(self.run.path)]
        with subprocess.Popen(
            [*command, "--format", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        ) as self._process:  # fmt: skip
            try:
                out, errors = self._process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                return f"it takes longer than {PATIENCE_S:g} s; `evoscope report` makes it"
        if self._process.returncode:
            return (errors.strip().splitlines() or ["no report"])[-1]
        report: dict[str, Any] = json.loads(out)
        return report

    def _ended(self) -> None:
        self._busy, self._made, self._width = False, self.host.now(), 0

    def close(self) -> None:
        """End the command if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _take(self, report: "dict[str, Any] | str") -> None:
        if isinstance(report, str):
            self.pane.content = [one(f" {tidy(report)}", "bad")]
            self._report = None
        else:
            self._report = report

    def lines(self, width: int, height: int) -> list[Line]:
        """The part in view."""
        if self._report is not None and self._width != width:
            self._width = width
            self.pane.content = report_lines(self._report, width)
        return self.pane.view(width, height)

    def act(self, action: str) -> bool:
        """Scroll."""
        return self.pane.act(action)

    def wheel(self, lines: int) -> None:
        """Scroll."""
        self.pane.move(lines)

    def search(self, text: str, step: int) -> None:
        """The next line that holds the text."""
        if not self.pane.search(text, step):
            self.host.say(f"no {text!r} here", "warn")

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("half_down", "search", "export", "pager")

    def shown(self) -> Shown | None:
        """The whole report as text."""
        return Shown(f"{self.run.path.stem}-report.txt", self.pane.text())


def report_lines(report: dict[str, Any], width: int) -> list[Line]:
    """Title, banner and every table as aligned lines."""
    lines: list[Line] = []
    for text in (report.get("title"), *(report.get("banner") or ())):
        if text:
            lines += wrap_spans(one(f" {tidy(str(text))}", "accent"), width)
    for name, table in (report.get("tables") or {}).items():
        lines += [(), one(f" {tidy(str(table.get('title') or name))}", "accent")]
        lines += table_lines(table, width)
        for note in table.get("notes") or ():
            wrapped = wrap_spans(one(tidy(str(note)), "dim"), width - len(NOTE))
            lines += [((NOTE, ""), *line) for line in wrapped]
    return lines


def table_lines(table: dict[str, Any], width: int) -> list[Line]:
    """A table with wrapped headings; in parts, each under the first column, where it is too wide.

    Only words are cut, never a number.
    """
    heads = [tidy(str(name)) for name in table.get("columns") or ()]
    digits = table.get("digits") or [None] * len(heads)
    rows = [
        [_cell(cell, places) for cell, places in zip(row, digits, strict=False)]
        for row in table.get("rows") or ()
    ]
    sizes = [_size(head, [row[place] for row in rows]) for place, head in enumerate(heads)]
    sizes = [min(size, max(width // 2 - len(MARGIN), 8)) for size in sizes]
    lines: list[Line] = []
    for part in _parts(sizes, width - len(MARGIN)):
        lines += _part(part, heads, rows, sizes)
    return lines


def _size(head: str, cells: Sequence[str]) -> int:
    """The width of a column: its cells' and its heading's longest word, a third of it at least."""
    words = max(map(cell_width, head.split()), default=0)
    return max(words, -(-cell_width(head) // 3), *map(cell_width, cells), 1)


def _parts(sizes: Sequence[int], width: int) -> list[list[int]]:
    """Which columns stand side by side: as many as fit beside the first."""
    parts: list[list[int]] = []
    used = width + 1
    for place in range(1, len(sizes)):
        used += len(GAP) + sizes[place]
        if used > width:
            parts.append([0])
            used = sizes[0] + len(GAP) + sizes[place]
        parts[-1].append(place)
    return parts or [list(range(len(sizes)))]


def _part(
    part: Sequence[int], heads: Sequence[str], rows: Sequence[Sequence[str]], sizes: Sequence[int]
) -> list[Line]:
    numbers = {place for place in part if rows and all(_numeric(row[place]) for row in rows)}

    def line(cells: Sequence[str], style: str) -> Line:
        shown = (
            fit(cell, sizes[place], right=place in numbers)
            for place, cell in zip(part, cells, strict=True)
        )
        return one(MARGIN + GAP.join(shown), style)

    wrapped = [
        textwrap.wrap(heads[place], sizes[place], break_long_words=False) or [""] for place in part
    ]
    deep = max(map(len, wrapped), default=0)
    over = [[""] * (deep - len(words)) + words for words in wrapped]
    lines = [line([words[at] for words in over], "dim") for at in range(deep)]
    return lines + [line([row[place] for place in part], "") for row in rows]


def _cell(cell: Any, digits: int | None) -> str:
    if cell is None:
        return MISSING
    if isinstance(cell, float):
        return f"{cell:.4g}" if digits is None else f"{cell:z,.{digits}f}"
    return f"{cell:,}" if type(cell) is int else tidy(str(cell))


def _numeric(cell: str) -> bool:
    return cell == MISSING or cell.lstrip("+-")[:1].isdigit()
