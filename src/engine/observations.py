"""Observations beside the run, in `NAME.cache`: what peers gave, kept between engines.

A cache and never evidence: it may be deleted at any time, and where it cannot be read or written
the run goes on without it.
"""

import logging
import sqlite3
from pathlib import Path

from .sandbox.memo import CAPACITY, Memo, Observed

log = logging.getLogger(__name__)
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS observed "
    "(key BLOB PRIMARY KEY, value BLOB, word TEXT NOT NULL, cpu_s REAL NOT NULL) WITHOUT ROWID"
)
INSERT = "INSERT OR IGNORE INTO observed(key, value, word, cpu_s) VALUES (?, ?, ?, ?)"
AT_ONCE = 2000


class Observations(Memo):
    """The sandbox's memo, filled from a file and written back to it in portions."""

    def __init__(self, path: Path | None, capacity: int = CAPACITY) -> None:
        super().__init__(capacity)
        self._new: list[tuple[bytes, bytes | None, str, float]] = []
        self._db: sqlite3.Connection | None = None
        if path is not None:
            self._load(path, capacity)

    def put(self, key: bytes, observed: Observed) -> None:
        """See `Memo.put`; written with the next portion."""
        super().put(key, observed)
        if self._db is not None:
            self._new.append((key, observed.value, observed.word, observed.cpu_s))
            if len(self._new) >= AT_ONCE:
                self._flush()

    def close(self) -> None:
        """Write what is left and give the file up."""
        if self._db is not None:
            self._flush()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _load(self, path: Path, capacity: int) -> None:
        db: sqlite3.Connection | None = None
        try:
            db = sqlite3.connect(path)
            db.execute(SCHEMA)
            for key, value, word, cpu_s in db.execute(
                "SELECT * FROM observed LIMIT ?", (capacity,)
            ):
                super().put(key, Observed(value, word, cpu_s))
            self._db = db
        except sqlite3.Error as error:
            log.warning("%s cannot be used (%s); observations are made again", path, error)
            if db is not None:
                db.close()

    def _flush(self) -> None:
        assert self._db is not None
        try:
            with self._db:
                self._db.executemany(INSERT, self._new)
        except sqlite3.Error as error:
            log.warning("observations cannot be kept (%s); the run goes on", error)
            self._db.close()
            self._db = None
        self._new.clear()
