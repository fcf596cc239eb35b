"""People's commands inside the engine: taken from the inbox, answered, and kept in the file.

The inbox is a folder of small JSON files, dropped by atomic rename (see `control.py`). The engine
alone turns them into rows of `command`; their sequence numbers are what decision points record.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .clock import utc_now
from .errors import EvoscopeError
from .model.core import Directives
from .store.memory import read_only
from .store.rows import clean, event_write
from .store.writer import Write, Writer

INSERT = (
    "INSERT INTO command(seq, id, author, time, kind, args, reason, outcome, result, acked) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
RULING = ("veto", "unveto", "skip")
"""The kinds that a decision reads."""
Outcome = tuple[str, Mapping[str, Any], tuple[Write, ...]]
"""What became of a command: its answer, the arguments to keep, the writes it causes."""


class Refused(EvoscopeError):
    """A command that cannot be carried out; its text is the answer to the person."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command as a person sent it."""

    id: str
    author: str
    time: str
    kind: str
    args: Mapping[str, Any]
    reason: str

    @classmethod
    def parse(cls, text: str) -> "Command":
        """Read an inbox file; raises Refused if it is no command."""
        try:
            raw = json.loads(text)
            return cls(
                id=clean(str(raw["id"])),
                author=clean(str(raw["author"])),
                time=clean(str(raw["time"])),
                kind=clean(str(raw["kind"])),
                args=dict(raw.get("args") or {}),
                reason=clean(str(raw.get("reason") or "")),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(f"not a command: {error}") from None


@dataclass(frozen=True, slots=True)
class Ruling:
    """A command that decisions read: a veto, its undoing, or the skipping of a unit."""

    seq: int
    kind: str
    target: str


class Book:
    """The rulings of a run, in order, and what they say at any moment of it."""

    def __init__(self, last_seq: int = 0, rulings: Iterable[Ruling] = ()) -> None:
        self.last_seq = last_seq
        self._rulings = list(rulings)

    @classmethod
    def load(cls, path: Path) -> "Book":
        """Read the commands that a file already holds."""
        with closing(read_only(path)) as db:
            (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM command").fetchone()
            rows = db.execute(
                "SELECT seq, kind, args FROM command WHERE outcome = 'done' "
                f"AND kind IN {RULING} ORDER BY seq"
            ).fetchall()
        return cls(last, [Ruling(seq, kind, _target(kind, json.loads(a))) for seq, kind, a in rows])

    def add(self, seq: int, kind: str, args: Mapping[str, Any]) -> None:
        """Take a command that was carried out."""
        self.last_seq = seq
        if kind in RULING:
            self._rulings.append(Ruling(seq, kind, _target(kind, args)))

    def directives(self, unit: str, upto: int) -> Directives:
        """What the commands up to `upto` say to a unit."""
        vetoed: set[str] = set()
        skipped = False
        for ruling in self._rulings:
            if ruling.seq > upto:
                break
            if ruling.kind == "veto":
                vetoed.add(ruling.target)
            elif ruling.kind == "unveto":
                vetoed.discard(ruling.target)
            else:
                skipped = skipped or ruling.target == unit
        return Directives(upto, frozenset(vetoed), skipped)

    def vetoed(self) -> frozenset[str]:
        """The nodes that are vetoed now."""
        return self.directives("", self.last_seq).vetoed

    def later_vetoes(self, after: int) -> tuple[str, ...]:
        """Targets of vetoes and their undoings that came after a command number."""
        return tuple(r.target for r in self._rulings if r.seq > after and r.kind != "skip")


def _target(kind: str, args: Mapping[str, Any]) -> str:
    return str(args["unit" if kind == "skip" else "node"])


class Inbox:
    """Takes files from the inbox, hands them to `act`, and files the answers.

    With `only` commands of other kinds are left where they are.
    """

    def __init__(
        self,
        folder: Path,
        writer: Writer,
        book: Book,
        act: Callable[[Command], Outcome],
        only: frozenset[str] | None = None,
    ) -> None:
        self._folder, self._writer, self._book, self._act = folder, writer, book, act
        self._only = only
        self._taking = asyncio.Lock()

    async def take(self) -> int:
        """Carry out what waits, in order of time; returns how many were taken.

        One at a time: the search asks at its end, the control loop all along.
        """
        async with self._taking:
            waiting = sorted(self._read(), key=lambda pair: (pair[1].time, pair[1].id))
            for path, command in waiting:
                await self._one(command)
                path.unlink(missing_ok=True)
            return len(waiting)

    def _read(self) -> list[tuple[Path, Command]]:
        found = []
        for path in self._folder.glob("*.json"):
            try:
                command = Command.parse(path.read_text(errors="replace"))
                if self._only is None or command.kind in self._only:
                    found.append((path, command))
            except (OSError, Refused):
                path.replace(path.with_suffix(".refused"))
        return found

    async def _one(self, command: Command) -> None:
        if self._known(command.id):
            return
        args: Mapping[str, Any] = command.args
        effects: tuple[Write, ...] = ()
        try:
            result, args, effects = self._act(command)
            outcome = "done"
        except EvoscopeError as error:
            outcome, result = "refused", str(error)
        seq = self._book.last_seq + 1
        row = (
            seq, command.id, command.author, command.time, command.kind,
            json.dumps(dict(args), sort_keys=True), command.reason, outcome, result, utc_now(),
        )  # fmt: skip
        if outcome == "done":
            self._book.add(seq, command.kind, args)
        else:
            self._book.last_seq = seq
        await self._writer.commit(
            Write(INSERT, row), *effects, event_write("command", "command", str(seq))
        )

    def _known(self, command_id: str) -> bool:
        with closing(read_only(self._writer.path)) as db:
            found = db.execute("SELECT 1 FROM command WHERE id = ?", (command_id,)).fetchone()
        return found is not None


def descendants(db: sqlite3.Connection, node: str) -> list[str]:
    """A node's descendants, itself left out, nearest first."""
    rows = db.execute(
        "WITH RECURSIVE down(id, depth) AS (SELECT ?, 0 UNION "
        "SELECT p.node, depth + 1 FROM parent p JOIN down ON p.parent = down.id) "
        "SELECT id FROM down WHERE depth > 0 GROUP BY id ORDER BY min(depth), id",
        (node,),
    )
    return [row[0] for row in rows]
