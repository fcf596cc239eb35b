"""Which files this version can read. Apart from the rest, so that readers start fast."""

import sqlite3
from pathlib import Path

from ..errors import NewerFile, StoreError

SCHEMA_VERSION = 1
APPLICATION_ID = 0x45564F53


def check_version(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what is no run file, and a file of a later version."""
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (application,) = db.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} cannot be read as a run file ({error}); check it and its folder's rights"
        ) from None
    if application != APPLICATION_ID:
        raise StoreError(f"{path} is not a run file of Evoscope")
    if version > SCHEMA_VERSION:
        raise NewerFile(
            f"{path} has format {version}, this version reads up to {SCHEMA_VERSION}; "
            "install the version that wrote it"
        )
