"""The search index: which lines of the corpus hold which word. Built once, reused.

SQLite's FTS5 keeps the words (contentless, no positions); ranking is ours, in whole numbers, so
that it is the same on every machine and under every passage boundary. An index file is named by
the hash of the corpus, so another corpus never meets it.
"""

import hashlib
import os
import re
import sqlite3
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from ...errors import DataError
from .corpus import Document

VERSION = 1
_WORD = re.compile(r"[^\W_]+(?:,\d{3})*")
CACHED_WORDS = 4096


def words(text: str) -> list[str]:
    """The words of a text, lower case; `3,419,955` is the one word 3419955."""
    return [match.group().replace(",", "").lower() for match in _WORD.finditer(text)]


def default_folder() -> Path:
    """Where indexes are kept: `$EVOSCOPE_CACHE`, else `evoscope` in the user's cache folder."""
    stated = os.environ.get("EVOSCOPE_CACHE")
    if stated:
        return Path(stated)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evoscope"


def corpus_hash(documents: Sequence[Document]) -> str:
    """SHA-256 over ids and texts."""
    digest = hashlib.sha256(f"index {VERSION}\n".encode())
    for document in documents:
        for part in (document.id, "\n".join(document.lines)):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class Index:
    """Line numbers by word, over all documents one after another."""

    def __init__(self, connection: sqlite3.Connection, documents: Sequence[Document]) -> None:
        self._connection = connection
        self._starts = [0, *accumulate(len(document.lines) for document in documents)]
        self._lines = lru_cache(maxsize=CACHED_WORDS)(self._read)

    @classmethod
    def open(cls, documents: Sequence[Document], folder: Path) -> "Index":
        """The corpus's index in `folder`, built there first if it is missing.

        Raises DataError where the folder cannot be written or SQLite has no FTS5.
        """
        path = folder / f"corpus-{corpus_hash(documents)[:32]}.sqlite"
        if not path.exists():
            _build(documents, path)
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        return cls(connection, documents)

    def lines(self, word: str) -> tuple[int, ...]:
        """The global numbers of the lines that hold the word, ascending."""
        return self._lines(word)

    def _read(self, word: str) -> tuple[int, ...]:
        rows = self._connection.execute("SELECT doc FROM word WHERE term = ? ORDER BY doc", (word,))
        return tuple(row[0] for row in rows)

    def locate(self, line: int) -> tuple[int, int]:
        """(document's place, line within it from 0) of a global line number."""
        place = bisect_right(self._starts, line) - 1
        return place, line - self._starts[place]

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()


def _build(documents: Sequence[Document], path: Path) -> None:
    """Write the index beside its place and move it there whole, so that none is ever half there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix="building-", suffix=".sqlite")
        os.close(handle)
    except OSError as error:
        raise DataError(f"{path.parent}: {error}; set EVOSCOPE_CACHE to another folder") from error
    try:
        _write(documents, name)
        os.replace(name, path)
    except sqlite3.Error as error:
        raise DataError(f"search index {path}: {error}; SQLite with FTS5 is needed") from error
    finally:
        Path(name).unlink(missing_ok=True)


def _write(documents: Sequence[Document], name: str) -> None:
    connection = sqlite3.connect(name)
    try:
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE VIRTUAL TABLE line USING fts5("
            "  words, content = '', detail = none, tokenize = \"unicode61 remove_diacritics 0\");"
            "CREATE VIRTUAL TABLE word USING fts5vocab(line, instance);"
        )
        lines = (line for document in documents for line in document.lines)
        rows = ((n, " ".join(sorted(set(words(line))))) for n, line in enumerate(lines))
        connection.executemany("INSERT INTO line(rowid, words) VALUES (?, ?)", _some(rows))
        connection.execute("INSERT INTO line(line) VALUES ('optimize')")
        connection.commit()
    finally:
        connection.close()


def _some(rows: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    return (row for row in rows if row[1])
