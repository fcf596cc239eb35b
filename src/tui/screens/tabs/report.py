"""Report: the run's tables so far, as `evoscope report` gives them.

Made by that very command in a process of its own: its numerics would cost this app memory and,
with them loaded, every start a second.
"""

import json
import subprocess
import sys
from typing import Any

from ...lines import Line, one, tidy
from ...page import Shown
from ...text import cell_width, fit
from ...widgets.diff import wrap_spans
from ...widgets.text import TextPane
from ..view import Job, View

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
            out, errors = self._process.communicate(timeout=PATIENCE_S)
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
        lines += _table(table)
        for note in table.get("notes") or ():
            lines += wrap_spans(one(f"   {tidy(str(note))}", "dim"), width)
    return lines


def _table(table: dict[str, Any]) -> list[Line]:
    heads = [_head(column) for column in table.get("columns") or ()]
    rows = [[_cell(cell) for cell in row] for row in table.get("rows") or ()]
    widths = [
        max(cell_width(row[place]) if place < len(row) else 0 for row in [heads, *rows])
        for place in range(len(heads))
    ]
    lines: list[Line] = [one("  " + "  ".join(map(fit, heads, widths)), "dim")]
    for row in rows:
        cells = [
            fit(cell, size, right=_numeric(cell)) for cell, size in zip(row, widths, strict=False)
        ]
        lines.append(one("  " + "  ".join(cells)))
    return lines


def _head(column: Any) -> str:
    return tidy(str(column.get("name", "") if isinstance(column, dict) else column))


def _cell(cell: Any) -> str:
    if cell is None:
        return "n/a"
    return f"{cell:.4g}" if isinstance(cell, float) else tidy(str(cell))


def _numeric(cell: str) -> bool:
    return cell[:1].isdigit() or (cell[:1] in "+-" and cell[1:2].isdigit())
