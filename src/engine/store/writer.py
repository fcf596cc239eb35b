"""The one writer of a run's file: group commit without a timer (engine-decisions, item 7).

A commit starts when the previous one has ended and takes what waits, at most 500 rows. Awaiting a
write means awaiting its commit. While the disk is full or read-only the batch is kept and tried
again: nothing is lost, and `on_trouble` says so.
"""

import asyncio
import sqlite3
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import aiosqlite

from ..canonical import sha256
from ..errors import StoreError, TakenOver

BATCH_ROWS = 500
CHECKPOINT_PAGES = 4096
RETRY_S = 1.0
COMPRESS_ABOVE = 128
INSERT_BLOB = "INSERT OR IGNORE INTO blob(hash, codec, size, data) VALUES (?, ?, ?, ?)"
INSERT_PARTS = "INSERT OR IGNORE INTO blob(hash, codec, size, data) VALUES (?, 'parts', ?, ?)"
STORAGE_CODES = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
)


class Write(NamedTuple):
    """One statement with its values."""

    sql: str
    values: Sequence[Any]


class _Connection(aiosqlite.Connection):
    """aiosqlite with one thread hop per transaction instead of one per statement."""

    async def apply(self, epoch: int, writes: Sequence[Write]) -> None:
        await self._execute(self._transaction, epoch, writes)  # type: ignore[no-untyped-call]

    def _transaction(self, epoch: int, writes: Sequence[Write]) -> None:
        db = self._conn
        db.execute("BEGIN IMMEDIATE")
        try:
            owner = db.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
            if owner is None or int(owner[0]) != epoch:
                raise TakenOver("another engine took this run over; this engine stops")
            for sql, values in writes:
                db.execute(sql, pack(values) if sql is INSERT_BLOB else values)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def pack(values: Sequence[Any]) -> tuple[str, str, int, bytes]:
    """The values of `INSERT_BLOB` for (hash, bytes): compressed where that makes it smaller."""
    digest, data = values
    if len(data) > COMPRESS_ABOVE:
        packed = zlib.compress(data, 6)
        if len(packed) < len(data):
            return digest, "zlib", len(data), packed
    return digest, "raw", len(data), data


class _Waiting(NamedTuple):
    writes: tuple[Write, ...]
    future: asyncio.Future[None] | None


class Writer:
    """Takes writes from any task; commits them in the order they came."""

    def __init__(
        self, path: Path, db: _Connection, epoch: int, on_trouble: Callable[[str], None]
    ) -> None:
        self.path = path
        self._db, self._epoch, self._on_trouble = db, epoch, on_trouble
        self._queue: deque[_Waiting] = deque()
        self._wake = asyncio.Event()
        self._known_blobs: set[str] = set()
        self._closing = False
        self.commits = 0
        self.rows = 0
        self.healthy = True
        self._task = asyncio.create_task(self._run(), name="writer")

    @classmethod
    async def open(cls, path: Path, epoch: int, on_trouble: Callable[[str], None]) -> "Writer":
        """Open the file for writing; it must exist, be migrated, and hold `epoch`."""
        db = _Connection(
            lambda: sqlite3.connect(path, isolation_level=None, check_same_thread=False),
            iter_chunk_size=64,
        )
        await db
        for pragma in (
            "synchronous = FULL",
            "foreign_keys = ON",
            "busy_timeout = 10000",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
            "journal_size_limit = 67108864",
        ):
            await db.execute(f"PRAGMA {pragma}")
        return cls(path, db, epoch, on_trouble)

    @property
    def alive(self) -> bool:
        """Whether it still takes writes."""
        return not self._task.done()

    def blob(self, data: bytes) -> tuple[str, tuple[Write, ...]]:
        """The hash of a text, and the write that stores it (none if this writer stored it)."""
        digest = sha256(data)
        if digest in self._known_blobs:
            return digest, ()
        self._known_blobs.add(digest)
        return digest, (Write(INSERT_BLOB, (digest, data)),)

    def joined(self, parts: Sequence[bytes]) -> tuple[str, tuple[Write, ...]]:
        """As `blob`, of a text in pieces: from three on each piece is stored once, by its own hash,
        and the text as the list of them."""
        whole = b"".join(parts)
        if len(parts) < 3:
            return self.blob(whole)
        digest = sha256(whole)
        if digest in self._known_blobs:
            return digest, ()
        self._known_blobs.add(digest)
        pieces = [self.blob(part) for part in parts]
        names = b"".join(bytes.fromhex(name) for name, _ in pieces)
        writes = [write for _, own in pieces for write in own]
        return digest, (*writes, Write(INSERT_PARTS, (digest, len(whole), names)))

    def later(self, *writes: Write) -> None:
        """Add writes to the next commit without waiting for it."""
        self._put(writes, None)

    async def commit(self, *writes: Write) -> None:
        """Write in one transaction; returns once it is durable.

        Raises TakenOver if another engine owns the file, StoreError if the file is unusable.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._put(writes, future)
        await future

    def _put(self, writes: tuple[Write, ...], future: asyncio.Future[None] | None) -> None:
        if self._task.done():
            cause = None if self._task.cancelled() else self._task.exception()
            if isinstance(cause, StoreError):
                raise cause
            raise StoreError("the run's file was closed while rows were still coming") from cause
        self._queue.append(_Waiting(writes, future))
        self._wake.set()

    async def _run(self) -> None:
        while self._queue or not self._closing:
            if not self._queue:
                self._wake.clear()
                await self._wake.wait()
                continue
            batch = self._take()
            try:
                await self._apply([write for entry in batch for write in entry.writes])
            except (sqlite3.Error, StoreError) as error:
                self._fail([*batch, *self._queue], error)
                raise
            for entry in batch:
                if entry.future is not None and not entry.future.done():
                    entry.future.set_result(None)

    def _take(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        rows = 0
        while self._queue and (not batch or rows + len(self._queue[0].writes) <= BATCH_ROWS):
            batch.append(self._queue.popleft())
            rows += len(batch[-1].writes)
        return batch

    async def _apply(self, writes: list[Write]) -> None:
        while True:
            try:
                await self._db.apply(self._epoch, writes)
            except sqlite3.OperationalError as error:
                if (error.sqlite_errorcode & 0xFF) not in STORAGE_CODES:
                    raise
                self.healthy = False
                self._on_trouble(f"the run's file cannot be written ({error})")
                await asyncio.sleep(RETRY_S)
                continue
            self.healthy = True
            self.commits += 1
            self.rows += len(writes)
            return

    def _fail(self, entries: list[_Waiting], error: Exception) -> None:
        cause = error if isinstance(error, StoreError) else StoreError(f"write failed: {error}")
        for entry in entries:
            if entry.future is not None and not entry.future.done():
                entry.future.set_exception(cause)

    async def settled(self) -> None:
        """Return once everything that was put before is durable."""
        await self.commit()

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the file and cut it, as far as readers allow."""
        await self._db.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")

    async def close(self, *, finished: bool = False) -> None:
        """Commit what waits and close; a finished file leaves WAL mode so that it can be copied."""
        self._closing = True
        self._wake.set()
        if not self.healthy:
            self._task.cancel()
        try:
            await asyncio.wait([self._task])
            if not self._task.cancelled():
                self._task.exception()  # told already to everyone who waited for a commit
            if finished:
                await self._leave_wal()
        finally:
            await self._db.close()

    async def _leave_wal(self) -> None:
        try:
            await self._db.execute_fetchall("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            # A reader is attached; it keeps the -wal file alive and nothing is lost.
            await self.checkpoint()
