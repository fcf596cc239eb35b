"""Recorded runs: making one small, and replaying it."""

import asyncio
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from evoscope.engine.config import RunConfig
from evoscope.engine.providers.build import build_provider
from evoscope.engine.run import new_run, serve, stored_config, stored_plan
from evoscope.engine.verify import Verification, digest, verify


def recorded(search: str) -> Path:
    """Where the recorded run of a search lies."""
    return Path(__file__).with_name("recorded") / f"{search}.evo"


def record(config: Mapping[str, Any]) -> None:
    """Make a search's recorded run and its digest anew from a configuration."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{config['search']}.evo"
        new_run(path, RunConfig.model_validate(config))
        if asyncio.run(serve(path)):
            sys.exit("the run did not finish")
        keep(path, config["search"])


def keep(path: Path, search: str, *, page: int = 1024, meta: Mapping[str, str] = {}) -> None:
    """Keep a finished run in as few bytes as SQLite can, with its digest."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM event")
        db.execute("DELETE FROM attempt")
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(meta.items()))
        db.commit()
        db.execute("PRAGMA journal_mode = DELETE").fetchone()
        db.execute(f"PRAGMA page_size = {page}")
        db.execute("VACUUM")
    target = recorded(search)
    shutil.copy(path, target)
    target.with_suffix(".digest").write_text(f"{digest(target)}\n")


async def replayed(search: str, folder: Path) -> Verification:
    """Replay a copy in another folder with the providers of its own configuration."""
    path = Path(shutil.copy(recorded(search), folder / "elsewhere.evo"))
    config = stored_config(path)
    providers = {name: build_provider(name, p, {}) for name, p in config.providers.items()}
    found = await verify(path, config.seed, stored_plan(path).search, providers)
    assert_as_recorded(path, search, found)
    return found


def assert_as_recorded(path: Path, search: str, found: Verification) -> None:
    """Nothing differs, and the digest is the kept one."""
    assert found.mismatches == []
    assert digest(path) == recorded(search).with_suffix(".digest").read_text().strip()


def distinct(search: str, column: str, table: str) -> set[str]:
    """What a column of the recorded run holds."""
    uri = f"{recorded(search).as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as db:
        return {row[0] for row in db.execute(f"SELECT DISTINCT {column} FROM {table}")}
