"""Bringing an older file to this version's format, after a copy of it.

`STEPS[n]` turns format n into n + 1. Only an engine's start migrates; readers accept older files
as they are.
"""

import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from ..errors import StoreError
from .version import SCHEMA_VERSION

STEPS: Mapping[int, str] = {}


def migrate(
    db: sqlite3.Connection,
    path: Path,
    *,
    target: int = SCHEMA_VERSION,
    steps: Mapping[int, str] = STEPS,
) -> Path | None:
    """Bring an open file up to `target`; gives the copy that was made, None where none was needed.

    All steps are one transaction. Raises StoreError where a step is missing or fails: the file is
    then as it was.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version >= target:
        return None
    missing = [step for step in range(version, target) if step not in steps]
    if missing:
        raise StoreError(f"{path} has format {version}; this version cannot bring it to {target}")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    copy = path.with_name(f"{path.name}.format{version}")
    shutil.copy2(path, copy)
    script = ";".join(steps[step] for step in range(version, target))
    try:
        db.executescript(f"BEGIN IMMEDIATE;{script};PRAGMA user_version = {target};COMMIT;")
    except sqlite3.Error as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise StoreError(
            f"{path} could not be brought from format {version} to {target} ({error}); it is as it "
            f"was, and a copy is {copy}"
        ) from None
    return copy
