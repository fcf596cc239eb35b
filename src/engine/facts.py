"""Insert or compare: a fact that is recorded already must come out the same again.

Effects (node states, counters, events) ride in the transaction of the facts that caused them, and
are left out where those facts are recorded: so a replay changes nothing.
"""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from .errors import ReplayDiverged, StoreError
from .model.core import RELEASE_SPLIT, SEALED_SPLIT, Decision, Effect, Fact, Rollout
from .store.memory import UnitMemory, load_unit, read_only, unpack
from .store.rows import FactRow, effect_write, fact_row
from .store.writer import Write, Writer

NAMED_TEXT = "SELECT codec, data FROM text JOIN blob ON hash = content_hash WHERE name = ?"
SAVE_TEXT = "INSERT INTO text(name, content_hash) VALUES (?, ?)"


class FactKeeper:
    """Records facts in the file and in the memory of their unit."""

    def __init__(self, path: Path, writer: Writer, memories: dict[str, UnitMemory]) -> None:
        self._path, self._writer, self._memories = path, writer, memories
        self._sealed: bool | None = None

    async def open_unit(self, unit: str) -> None:
        """Load what the file knows of a unit."""
        await self._writer.settled()
        loop = asyncio.get_running_loop()
        self._memories[unit] = await loop.run_in_executor(None, load_unit, self._path, unit)

    async def record(self, facts: Sequence[Fact], effects: Sequence[Effect]) -> None:
        """Commit what is new; compare what is not.

        Raises ReplayDiverged on a difference, StoreError for a rollout behind the seal.
        """
        writes: list[Write] = []
        for fact in facts:
            await self._check_seal(fact)
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

    async def _check_seal(self, fact: Fact) -> None:
        """Sealed items are scored once the run has decided what it will score on them, not before.

        So nothing that searches or selects can have read them (engine-decisions, item 18).
        """
        if isinstance(fact, Decision) and fact.kind == "open_seal":
            self._sealed = False
        if not isinstance(fact, Rollout):
            return
        item = self._memories[""].facts.get(("item", (fact.item,)))
        if item is None or item[1] not in (SEALED_SPLIT, RELEASE_SPLIT):
            return
        if self._sealed is None:
            await self._writer.settled()
            self._sealed = not seal_opened(self._path)
        if self._sealed:
            raise StoreError(
                f"rollout {fact.node} on {fact.item}: its split is sealed until the run records "
                "what it certifies; no score was kept"
            )

    async def load_text(self, name: str) -> str | None:
        """A named text, None where there is none."""
        await self._writer.settled()
        return named_text(self._path, name)

    async def save_text(self, name: str, text: str) -> None:
        """Keep a named text; raises ReplayDiverged if another text has the name."""
        await self._writer.settled()
        digest, writes = self._writer.blob(text.encode("utf-8", "replace"))
        with closing(read_only(self._path)) as db:
            row = db.execute("SELECT content_hash FROM text WHERE name = ?", (name,)).fetchone()
        if row is None:
            await self._writer.commit(*writes, Write(SAVE_TEXT, (name, digest)))
        elif row[0] != digest:
            raise ReplayDiverged(f"replay diverged at text {name}: it differs from the kept one")


def named_text(path: Path, name: str) -> str | None:
    """The text that a file keeps under a name."""
    with closing(read_only(path)) as db:
        row = db.execute(NAMED_TEXT, (name,)).fetchone()
    return None if row is None else unpack(row[0], row[1]).decode()


def seal_opened(path: Path) -> bool:
    """Whether the run has decided to open its sealed split."""
    with closing(read_only(path)) as db:
        found = db.execute("SELECT 1 FROM decision WHERE kind = 'open_seal' LIMIT 1").fetchone()
    return found is not None


def difference(row: FactRow, known: tuple[object, ...]) -> str:
    """One line that says which column of which row differs."""
    name, key = row.key
    parts = [
        f"{column}: recorded {old!r:.80}, now {new!r:.80}"
        for column, old, new in zip(row.table.columns, known, row.row, strict=True)
        if old != new
    ]
    return f"replay diverged at {name} {'/'.join(map(str, key))}: " + "; ".join(parts)
