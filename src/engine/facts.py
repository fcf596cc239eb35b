"""Insert or compare: a fact that is recorded already must come out the same again.

Effects (node states, counters, events) ride in the transaction of the facts that caused them, and
are left out where those facts are recorded: so a replay changes nothing.
"""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from .errors import ReplayDiverged
from .model.core import Effect, Fact
from .store.memory import UnitMemory, load_unit, read_only
from .store.rows import FactRow, effect_write, fact_row
from .store.writer import Write, Writer

SAVE_TEXT = "INSERT INTO text(name, content_hash) VALUES (?, ?)"


class FactKeeper:
    """Records facts in the file and in the memory of their unit."""

    def __init__(self, writer: Writer, memories: dict[str, UnitMemory]) -> None:
        self._writer, self._memories = writer, memories

    async def open_unit(self, path: Path, unit: str) -> None:
        """Load what the file knows of a unit."""
        await self._writer.settled()
        loop = asyncio.get_running_loop()
        self._memories[unit] = await loop.run_in_executor(None, load_unit, path, unit)

    async def record(self, facts: Sequence[Fact], effects: Sequence[Effect]) -> None:
        """Commit what is new; compare what is not. Raises ReplayDiverged on a difference."""
        writes: list[Write] = []
        for fact in facts:
            row = fact_row(fact, self._writer.blob)
            memory = self._memories[row.unit]
            known = memory.known(row)
            if known is None:
                memory.facts[row.key] = row.row
                writes += row.insert()
            elif known != row.row:
                raise ReplayDiverged(difference(row, known))
        if writes:
            await self._writer.commit(*writes, *(effect_write(effect) for effect in effects))

    async def save_text(self, path: Path, name: str, text: str) -> None:
        """Keep a named text; raises ReplayDiverged if another text has the name."""
        await self._writer.settled()
        digest, writes = self._writer.blob(text.encode("utf-8", "replace"))
        with closing(read_only(path)) as db:
            row = db.execute("SELECT content_hash FROM text WHERE name = ?", (name,)).fetchone()
        if row is None:
            await self._writer.commit(*writes, Write(SAVE_TEXT, (name, digest)))
        elif row[0] != digest:
            raise ReplayDiverged(f"replay diverged at text {name}: it differs from the kept one")


def difference(row: FactRow, known: tuple[object, ...]) -> str:
    """One line that says which column of which row differs."""
    name, key = row.key
    parts = [
        f"{column}: recorded {old!r:.80}, now {new!r:.80}"
        for column, old, new in zip(row.table.columns, known, row.row, strict=True)
        if old != new
    ]
    return f"replay diverged at {name} {'/'.join(map(str, key))}: " + "; ".join(parts)
