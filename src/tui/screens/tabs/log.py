"""Events and commands, and the engine's last words where it died."""

from collections import deque
from pathlib import Path
from typing import Any

from ....engine.store.listings import COMMANDS, EVENTS
from ....engine.store.reader import Reader
from ....engine.store.views import CommandRow, EventRow
from ...format import local_time
from ...lines import Column, Line, Span, tidy
from ..rows import RowsView

TAIL = 6
_DECISIONS = (
    "SELECT unit || '|' || step, reason || iif(vetoes = '[]', '', '; without ' || vetoes) "
    "FROM decision ORDER BY seq DESC LIMIT 2000"
)


class LogView(RowsView[EventRow]):
    """One line per event; a command's line names its author and outcome."""

    table = EVENTS
    texts = ("kind", "ref")
    name = "log"
    filter_hint = "kind= table= ref= or words of kind and ref"
    columns = (Column("time", 19), Column("event", 16), Column("what", 0))

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._commands: dict[str, CommandRow] = {}
        self._reasons: dict[str, str] = {}
        self._decisions: dict[str, str] = {}
        self._tail: list[str] = []

    def cells(self, row: EventRow) -> list[Span]:
        """One event."""
        style = "warn" if "park" in row.kind or row.kind in ("failed", "stopped") else ""
        return [
            (local_time(row.time, date=True), "dim"),
            (tidy(row.kind), style),
            (tidy(self._what(row)), ""),
        ]

    def _what(self, row: EventRow) -> str:
        if row.table == "unit":
            reason = self._reasons.get(row.ref, "")
            return f"{row.ref}  {reason}" if reason else row.ref
        if row.table == "meta":
            return ""
        if row.table == "decision":
            return f"{row.ref}  {self._decisions.get(row.ref, '')}"
        command = self._commands.get(row.ref) if row.table == "command" else None
        if command is None:
            return f"{row.table} {row.ref}"
        args = "".join(f" {name}={value}" for name, value in command.args.items())
        why = f" because {command.reason}" if command.reason else ""
        return f"{command.author}: {command.kind}{args}{why}: {command.outcome}, {command.result}"

    def more(self, reader: Reader) -> Any:
        """Commands, reasons of parked units, the tail of the engine's log."""
        columns = f"SELECT {COMMANDS.columns} FROM command ORDER BY seq DESC LIMIT 2000"
        commands = {str(row[0]): COMMANDS.make(row) for row in reader.rows(columns)}
        reasons = dict(reader.rows("SELECT id, reason FROM unit WHERE reason <> '' LIMIT 2000"))
        decisions = dict(reader.rows(_DECISIONS))
        return commands, reasons, decisions, log_tail(self.run.path)

    def take_more(self, more: Any) -> None:
        """Take them."""
        self._commands, self._reasons, self._decisions, self._tail = more

    def head(self, width: int) -> list[Line]:
        """The log's tail where the engine is gone or the run failed."""
        status = self.run.status
        if status is None or status.state not in ("lost", "failed") or not self._tail:
            return []
        title: Line = ((" the engine's last words:", "warn"),)
        return [title, *(((f"  {tidy(line)}", "dim"),) for line in self._tail)]

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("follow", "filter", "search", "restart")


def log_tail(run: Path, lines: int = TAIL) -> list[str]:
    """The last lines of the engine's log; empty if there is none."""
    try:
        with (run.with_name(f"{run.name}.d") / "engine.log").open(errors="replace") as file:
            size = file.seek(0, 2)
            file.seek(max(size - 16_384, 0))
            return [line.rstrip("\n") for line in deque(file, maxlen=lines)]
    except OSError:
        return []
