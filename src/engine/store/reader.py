"""Reading a run's file without ever being in the engine's way (engine-decisions, item 13).

Every query is finished before its rows are used, so that no open cursor holds the write-ahead log
back, and is stopped after two seconds. Synchronous; a reader may be used from several threads, one
query at a time.
"""

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import StoreError
from .version import check_version

QUERY_S = 2.0
BUSY_S = 2.0
_STEPS = 20_000
"""Virtual machine steps between two looks at the clock, well below a millisecond."""


class Reader:
    """A read-only door to one run's file.

    Raises StoreError where the file cannot be read, NewerFile where a later version wrote it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._deadline = float("inf")
        self._still = False
        self._db = self._connect()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, once the query that may run in another thread has ended."""
        with self._lock:
            self._db.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one query, fetched before this returns.

        Raises StoreError if it takes longer than two seconds or the file cannot be read.
        """
        with self._lock:
            if self._still and _log_of(self.path).exists():
                self._db.close()
                self._db = self._connect()
            self._deadline = time.monotonic() + QUERY_S
            try:
                return self._db.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise self._explained(error) from error

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query."""
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def meta(self) -> dict[str, str]:
        """What the engine wrote about the run: state, reason, search, seed, config, ..."""
        return {str(key): str(value) for key, value in self.rows("SELECT key, value FROM meta")}

    def blob(self, digest: str) -> bytes:
        """The bytes of a content-addressed text. Raises StoreError if the file lacks it."""
        row = self.row("SELECT codec, data FROM blob WHERE hash = ?", (digest,))
        if row is None:
            raise StoreError(f"{self.path} holds no text {digest}; run `evoscope verify` on it")
        return assemble(row[0], row[1], self.blob)

    def text(self, digest: str) -> str:
        """A content-addressed text; broken UTF-8 is replaced."""
        return self.blob(digest).decode("utf-8", "replace")

    def named_text(self, name: str) -> str | None:
        """A named text of the run (axes, rubric, configuration); None if there is none."""
        row = self.row("SELECT content_hash FROM text WHERE name = ?", (name,))
        return None if row is None else self.text(str(row[0]))

    def _connect(self) -> sqlite3.Connection:
        self._deadline = float("inf")
        if not self.path.exists():
            raise StoreError(f"{self.path}: no such run; `evoscope ls` lists what there is")
        self._still = not _log_of(self.path).exists() and not os.access(self.path.parent, os.W_OK)
        uri = f"{self.path.absolute().as_uri()}?mode=ro{'&immutable=1' if self._still else ''}"
        try:
            db = sqlite3.connect(
                uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._explained(error) from error
        db.set_progress_handler(self._is_late, _STEPS)
        try:
            check_version(db, self.path)
        except StoreError:
            db.close()
            raise
        return db

    def _is_late(self) -> int:
        return int(time.monotonic() > self._deadline)

    def _explained(self, error: sqlite3.Error) -> StoreError:
        if time.monotonic() > self._deadline:
            return StoreError(
                f"{self.path}: the query took more than {QUERY_S:g} s; "
                "narrow it with --where or --limit"
            )
        return StoreError(f"{self.path} cannot be read ({error})")


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def assemble(codec: str, data: bytes, piece: Callable[[str], bytes]) -> bytes:
    """The uncompressed bytes of a blob; `piece` gives, by its hash, a part of one kept in parts."""
    if codec == "parts":
        return b"".join(piece(data[at : at + 32].hex()) for at in range(0, len(data), 32))
    return zlib.decompress(data) if codec == "zlib" else bytes(data)
