"""What a file already knows of one unit, loaded in a handful of queries when the unit starts.

Replay asks this memory, never the file: one await per recorded call would cost more than the
calls did (engine-decisions, item 11).
"""

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ..canonical import canonical_json, sha256
from ..model.llm import ParamsReport, RawReply
from .rows import ITEM, UNIT_TABLES, FactRow, Row

CALL_COLUMNS = (
    "SELECT c.slot, c.request_hash, c.request_blob, c.status, c.fact, c.failure, c.params, "
    "c.request_id, b.codec, b.data, coalesce(c.latency_s, 0) FROM call c "
    "LEFT JOIN blob b ON b.hash = c.reply_blob "
)


@dataclass(frozen=True, slots=True)
class KnownCall:
    """One recorded call. `packed` is the reply's body as the file keeps it.

    A call that this session bought itself keeps no body here: with log-probabilities the replies
    of a unit take hundreds of megabytes.
    """

    request_hash: str
    request_blob: str
    status: str
    fact: str | None
    failure: str | None
    params: str | None
    request_id: str | None
    codec: str | None
    packed: bytes | None
    latency_s: float = 0.0

    @property
    def bodiless(self) -> bool:
        """Whether the reply has to be fetched from the file first."""
        return self.status == "completed" and self.packed is None

    def reply(self) -> RawReply:
        """The raw reply, inflated now."""
        body = unpack(self.codec, self.packed or b"")
        report = json.loads(self.params) if self.params else {}
        return RawReply(
            body=body,
            latency_s=self.latency_s,
            request_id=self.request_id,
            params=ParamsReport(**{name: tuple(names) for name, names in report.items()}),
        )


@dataclass(slots=True)
class UnitMemory:
    """Calls by slot, facts by natural key, decision points by step."""

    unit: str
    calls: dict[str, KnownCall] = field(default_factory=dict)
    facts: dict[tuple[str, Row], Row] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)

    def known(self, row: FactRow) -> Row | None:
        """The recorded row with this key, if there is one."""
        return self.facts.get(row.key)

    def digest(self, result: Mapping[str, object]) -> str:
        """SHA-256 over the unit's canonical rows, in the order of their keys."""
        rows = [[table, *row] for (table, _), row in self.facts.items()]
        rows += [["call", slot, c.request_hash, c.fact] for slot, c in self.calls.items()]
        return digest_rows(rows, result)


def digest_rows(rows: Iterable[list[object]], result: Mapping[str, object]) -> str:
    """The digest of canonical rows, whatever order they come in."""
    lines = sorted(canonical_json(row) for row in rows)
    return sha256("\n".join([*lines, canonical_json(result)]).encode())


def unpack(codec: str | None, data: bytes) -> bytes:
    """The uncompressed bytes of a blob."""
    return zlib.decompress(data) if codec == "zlib" else data


def load_unit(path: Path, unit: str) -> UnitMemory:
    """Read one unit's memory (blocking; call it in a thread). Unit "" holds the run's items."""
    memory = UnitMemory(unit)
    with closing(read_only(path)) as db:
        db.execute("BEGIN")
        if unit == "":
            for row in db.execute(ITEM.select):
                memory.facts[ITEM.name, row[:1]] = row
            return memory
        for slot, *rest in db.execute(f"{CALL_COLUMNS} WHERE c.unit = ?", (unit,)):
            memory.calls[slot] = KnownCall(*rest)
        for table in UNIT_TABLES:
            for row in db.execute(f"{table.select} WHERE unit = ?", (unit,)):
                memory.facts[table.name, row[: table.keys]] = row
        memory.marks.update(
            db.execute("SELECT step, last_command FROM mark WHERE unit = ?", (unit,)).fetchall()
        )
    return memory


def load_call(path: Path, slot: str) -> KnownCall | None:
    """Read one recorded call with its reply (blocking); None where the slot has none."""
    with closing(read_only(path)) as db:
        row = db.execute(f"{CALL_COLUMNS} WHERE c.slot = ?", (slot,)).fetchone()
    return None if row is None else KnownCall(*row[1:])


def read_only(path: Path) -> sqlite3.Connection:
    """The engine's own reading connection."""
    mode = "?mode=ro&immutable=1" if is_still(path) else "?mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}{mode}", uri=True, timeout=10)


def is_still(path: Path) -> bool:
    """Whether nobody writes and we cannot either: no log beside the file, in a folder without
    rights. SQLite reads such a file only where it is promised that it stays as it is."""
    return not path.with_name(f"{path.name}-wal").exists() and not os.access(path.parent, os.W_OK)
