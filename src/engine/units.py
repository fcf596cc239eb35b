"""The units of a run: which are open, running, done, parked; at most so many at a time."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from .canonical import canonical_json
from .clock import utc_now
from .context import UnitBody, UnitSpec
from .model.llm import Json
from .store.memory import UnitMemory, read_only
from .store.rows import clean, event_write
from .store.writer import Write, Writer

REGISTER = "INSERT INTO unit(id, kind, ord, state) VALUES (?, ?, ?, 'open')"
STATE = "UPDATE unit SET state = ?, reason = ?, started = coalesce(started, ?) WHERE id = ?"
DONE = "UPDATE unit SET state = 'done', reason = '', result = ?, digest = ?, ended = ? WHERE id = ?"


@dataclass(slots=True)
class UnitEntry:
    """One unit as the engine holds it. `state` is open, done or parked."""

    kind: str
    ord: int
    state: str = "open"
    result: Mapping[str, Json] | None = None


class UnitBoard:
    """All units. `parallel` may be changed while they run."""

    def __init__(self, writer: Writer, parallel: int, entries: dict[str, UnitEntry]) -> None:
        self._writer, self.parallel, self._entries = writer, parallel, entries
        self._drivers: set[asyncio.Event] = set()
        self._active = 0

    @staticmethod
    def load(path: Path) -> dict[str, UnitEntry]:
        """Read the units that a file holds."""
        with closing(read_only(path)) as db:
            rows = db.execute("SELECT id, kind, ord, state, result FROM unit").fetchall()
        return {
            unit: UnitEntry(kind, place, state, json.loads(result) if result else None)
            for unit, kind, place, state, result in rows
        }

    def ord(self, unit: str) -> int:
        """The unit's place in source order, which is its priority."""
        entry = self._entries.get(unit)
        return entry.ord if entry else 0

    def state(self, unit: str) -> str | None:
        """open, done, parked, or None for a unit nobody registered."""
        entry = self._entries.get(unit)
        return entry.state if entry else None

    def parked(self) -> list[str]:
        """Parked units, in source order."""
        return self._in_state("parked")

    def _in_state(self, state: str) -> list[str]:
        found = [(e.ord, unit) for unit, e in self._entries.items() if e.state == state]
        return [unit for _, unit in sorted(found)]

    def counts(self) -> dict[str, int]:
        """Number of units by state."""
        total: dict[str, int] = {}
        for entry in self._entries.values():
            total[entry.state] = total.get(entry.state, 0) + 1
        return total

    def result(self, unit: str) -> Mapping[str, Json] | None:
        """The result of a done unit."""
        entry = self._entries.get(unit)
        return entry.result if entry and entry.state == "done" else None

    def set_result(self, unit: str, result: Mapping[str, Json]) -> None:
        """Keep the result until the unit ends."""
        self._entries[unit].result = result

    async def register(self, units: Sequence[UnitSpec]) -> None:
        """Add units that are new, in order."""
        new = [unit for unit in units if unit.id not in self._entries]
        for unit in new:
            self._entries[unit.id] = UnitEntry(unit.kind, unit.ord)
        if new:
            await self._writer.commit(*(Write(REGISTER, (u.id, u.kind, u.ord)) for u in new))

    def reopen(self, unit: str, reason: str) -> tuple[Write, ...]:
        """Put a parked or done unit back to work; the writes that say so."""
        self._entries[unit].state = "open"
        self._notify()
        return (
            Write(STATE, ("open", clean(reason), utc_now(), unit)),
            event_write("unit reopened", "unit", unit),
        )

    def change_parallel(self, parallel: int) -> None:
        """Run at most so many units at a time from now on."""
        self.parallel = parallel
        self._notify()

    def _notify(self) -> None:
        for event in self._drivers:
            event.set()

    async def park(self, unit: str, reason: str) -> None:
        """Set a unit aside until somebody retries it; the others go on."""
        self._entries[unit].state = "parked"
        await self._writer.commit(
            Write(STATE, ("parked", clean(reason), utc_now(), unit)),
            event_write("unit parked", "unit", unit),
        )

    async def finish(self, unit: str, memory: UnitMemory) -> None:
        """End a unit with its result and the digest of its rows."""
        entry = self._entries[unit]
        result = entry.result or {}
        entry.state, entry.result = "done", result
        values = (canonical_json(result), memory.digest(result), utc_now(), unit)
        await self._writer.commit(Write(DONE, values), event_write("unit done", "unit", unit))

    def concerned(self, memory: UnitMemory, nodes: Sequence[str]) -> bool:
        """Whether one of the nodes belongs to the unit."""
        return any(("node", (node,)) in memory.facts for node in nodes)

    async def drive(self, units: Sequence[UnitSpec], body: UnitBody, limit: int | None) -> None:
        """Run all open units, in order; units that are reopened meanwhile run again."""
        tasks: dict[str, asyncio.Task[None]] = {}
        changed = asyncio.Event()
        self._drivers.add(changed)
        try:
            while self._start(units, body, limit, tasks):
                changed.clear()
                await self._next(changed, tasks)
                self._collect(tasks)
        finally:
            self._drivers.discard(changed)
            await _cancel(list(tasks.values()))
            self._active -= len(tasks)

    async def _next(self, changed: asyncio.Event, tasks: dict[str, asyncio.Task[None]]) -> None:
        bell = asyncio.create_task(changed.wait())
        try:
            await asyncio.wait([bell, *tasks.values()], return_when=asyncio.FIRST_COMPLETED)
        finally:
            bell.cancel()

    def _start(
        self,
        units: Sequence[UnitSpec],
        body: UnitBody,
        limit: int | None,
        tasks: dict[str, asyncio.Task[None]],
    ) -> bool:
        """Start what may start; whether anything runs or waits."""
        waiting = False
        for unit in units:
            if self._entries[unit.id].state != "open" or unit.id in tasks:
                continue
            waiting = True
            if self._active >= self.parallel or (limit is not None and len(tasks) >= limit):
                break
            self._active += 1
            tasks[unit.id] = asyncio.create_task(body(unit), name=f"unit {unit.id}")
        return bool(tasks) or waiting

    def _collect(self, tasks: dict[str, asyncio.Task[None]]) -> None:
        for unit in [unit for unit, task in tasks.items() if task.done()]:
            self._active -= 1
            self._notify()
            tasks.pop(unit).result()


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
