"""A run recorded once and kept: what it decided must come out of its responses for ever.

Where this fails, either a change broke replay by accident, or it was meant to: then raise
REPLAY_VERSION in `src/engine/searches/harden/search.py` and, in the same commit, make the file
anew:

    python tests/test_recorded.py

A prompt or bundled case that changed asks for a new file too; the replay version stays then.
"""

import asyncio
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from evoscope.engine.config import RunConfig
from evoscope.engine.providers.build import build_provider
from evoscope.engine.run import new_run, serve, stored_config, stored_plan
from evoscope.engine.verify import digest, verify

RECORDED = Path(__file__).with_name("recorded") / "harden.evo"
LARGEST_BYTES = 300_000
CONFIG = {
    "search": "harden",
    "seed": 13,
    "benchmark": {"kind": "pubmedqa", "sample": 1},
    "providers": {"offline": {"kind": "offline", "careless": 0.3}},
    "models": {
        "task": {"provider": "offline", "model": "reader", "temperature": 1.0},
        "analysis": {"provider": "offline", "model": "analyst"},
        "mutation": {"provider": "offline", "model": "mutator"},
        "gates": {"provider": "offline", "model": "auditor"},
    },
    "harden": {"generations": 2, "offspring": 4, "survivors": 1, "rollouts": 5, "shards": 1},
}


def record() -> None:
    """Make the recorded run and its digest anew, in as few bytes as SQLite can."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "harden.evo"
        new_run(path, RunConfig.model_validate(CONFIG))
        if asyncio.run(serve(path)):
            sys.exit("the run did not finish")
        with closing(sqlite3.connect(path)) as db:
            db.execute("DELETE FROM event")
            db.execute("DELETE FROM attempt")
            db.commit()
            db.execute("PRAGMA journal_mode = DELETE").fetchone()
            db.execute("PRAGMA page_size = 1024")
            db.execute("VACUUM")
        shutil.copy(path, RECORDED)
    RECORDED.with_suffix(".digest").write_text(f"{digest(RECORDED)}\n")


def copy_to(folder: Path) -> Path:
    """A copy that a test may open as it likes."""
    return Path(shutil.copy(RECORDED, folder / "recorded.evo"))


async def test_the_recorded_run_replays_to_its_digest(tmp_path: Path) -> None:
    path = copy_to(tmp_path)
    config = stored_config(path)
    providers = {name: build_provider(name, p, {}) for name, p in config.providers.items()}
    found = await verify(path, config.seed, stored_plan(path).search, providers)
    assert found.mismatches == []
    assert found.calls > 60 and found.decisions > 3
    assert digest(path) == RECORDED.with_suffix(".digest").read_text().strip()


def test_the_recorded_run_holds_what_a_search_can_meet(tmp_path: Path) -> None:
    with closing(sqlite3.connect(copy_to(tmp_path))) as db:
        kinds = {row[0] for row in db.execute("SELECT DISTINCT kind FROM decision")}
        purposes = {row[0] for row in db.execute("SELECT DISTINCT purpose FROM call")}
        outcomes = {row[0] for row in db.execute("SELECT DISTINCT outcome FROM verdict")}
    assert {"race", "select", "promote"} <= kinds
    assert {"axes", "rubric", "mutate", "extract", "audit", "realism", "rollout"} <= purposes
    assert {"pass", "fail"} <= outcomes
    assert RECORDED.stat().st_size < LARGEST_BYTES


if __name__ == "__main__":
    record()
