"""Older files: copied, then migrated whole or left as they were."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from evoscope.engine.errors import StoreError
from evoscope.engine.store.database import claim, create
from evoscope.engine.store.migrations import STEPS, migrate
from evoscope.engine.store.version import SCHEMA_VERSION

STEP = {0: "CREATE TABLE added (x); INSERT INTO added VALUES (7)", 1: "DROP TABLE added"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.evo"
    create(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 0")
    return path


def test_an_older_file_is_copied_and_brought_up(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        copy = migrate(db, old, target=1, steps=STEP)
        assert db.execute("SELECT x FROM added").fetchone() == (7,)
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert migrate(db, old, target=1, steps=STEP) is None
    assert copy is not None
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (0,)


def test_a_failing_step_leaves_the_file_as_it_was(old: Path) -> None:
    steps = {0: STEP[0], 1: "INSERT INTO nowhere VALUES (1)"}
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        with pytest.raises(StoreError, match="it is as it was"):
            migrate(db, old, target=2, steps=steps)
        assert db.execute("PRAGMA user_version").fetchone() == (0,)
        assert db.execute("SELECT 1 FROM sqlite_master WHERE name = 'added'").fetchone() is None


def test_a_file_without_a_way_up_is_refused_by_the_engine(old: Path) -> None:
    with pytest.raises(StoreError, match="format 0"):
        claim(old)


def test_every_format_before_this_one_has_its_step() -> None:
    assert sorted(STEPS) == list(range(1, SCHEMA_VERSION))
