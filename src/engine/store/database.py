"""Creating, migrating and claiming a run's file."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from ..canonical import sha256
from ..errors import StoreError
from .memory import read_only, unpack
from .migrations import migrate
from .version import APPLICATION_ID, SCHEMA_VERSION, check_version
from .writer import INSERT_BLOB

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "lustre", "gpfs", "ceph", "9p", "afs"}
)


def create(path: Path) -> None:
    """Make a new run file, readable by its owner only.

    Raises StoreError if it exists or cannot be made.
    """
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise StoreError(f"{path} exists; choose another --name or use `evoscope resume`") from None
    except OSError as error:
        raise StoreError(
            f"{path} cannot be made ({error.strerror}); choose another --dir"
        ) from None
    schema = (files("evoscope.engine.store") / "schema.sql").read_text()
    with closing(_connect(path)) as db:
        db.execute("PRAGMA page_size = 8192")
        _turn_wal_on(db, path)
        db.executescript(
            f"BEGIN;{schema};PRAGMA application_id = {APPLICATION_ID};"
            f"PRAGMA user_version = {SCHEMA_VERSION};"
            "INSERT INTO meta VALUES ('epoch', '0');COMMIT;"
        )


def initialise(path: Path, meta: Mapping[str, str], texts: Mapping[str, str]) -> None:
    """Put a new file's facts of its start in: meta keys and named texts, in one transaction."""
    with closing(_connect(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
        for name, text in texts.items():
            data = text.encode("utf-8", "replace")
            digest = sha256(data)
            db.execute(INSERT_BLOB, (digest, "raw", len(data), data))
            db.execute("INSERT INTO text VALUES (?, ?)", (name, digest))
        db.execute("COMMIT")


def read_texts(path: Path, prefix: str) -> dict[str, str]:
    """The named texts of a run whose name starts with `prefix`."""
    with closing(read_only(path)) as db:
        rows = db.execute(
            "SELECT t.name, b.codec, b.data FROM text t JOIN blob b ON b.hash = t.content_hash "
            "WHERE t.name LIKE ? || '%'",
            (prefix,),
        ).fetchall()
    return {name: unpack(codec, data).decode() for name, codec, data in rows}


def claim(path: Path) -> int:
    """Check the file's version, turn WAL on, and raise its epoch; returns the new epoch.

    The caller holds the lock. Raises NewerFile or StoreError.
    """
    with closing(_connect(path)) as db:
        check_version(db, path)
        _turn_wal_on(db, path)
        migrate(db, path)
        try:
            db.execute("UPDATE meta SET value = value + 1 WHERE key = 'epoch'")
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"{path} cannot be written ({error}); free space, restore its rights or end "
                "what locks it, then try again"
            ) from None
        (epoch,) = db.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
    return int(epoch)


def network_file_system(path: Path) -> str | None:
    """The type of the network file system that holds `path`, None if it is local or unknown."""
    try:
        mounts = Path("/proc/mounts").read_text().splitlines()
    except OSError:
        return None
    folder, best, kind = path.resolve().parent, Path("/"), ""
    for line in mounts:
        _, point, system, *_ = line.split(" ")
        mount = Path(point.replace("\\040", " "))
        if folder.is_relative_to(mount) and len(mount.parts) >= len(best.parts):
            best, kind = mount, system
    return kind if kind in NETWORK_FILE_SYSTEMS else None


def _connect(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(path, isolation_level=None, timeout=10)
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path} cannot be opened ({error})") from None


def _turn_wal_on(db: sqlite3.Connection, path: Path) -> None:
    try:
        (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path} cannot be written ({error}); check the folder's rights") from None
    if mode != "wal":
        raise StoreError(f"{path} does not take WAL mode; put the run on a local disk")
