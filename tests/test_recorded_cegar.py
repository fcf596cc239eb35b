"""A cegar run recorded once: its responses and settled outcomes must give its decisions for ever.

Where this fails, see `test_recorded.py`: raise REPLAY_VERSION of `searches/cegar/search.py` if the
change was meant, and make the file anew:

    python -m tests.test_recorded_cegar
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

RECORDED = Path(__file__).with_name("recorded") / "cegar.evo"
LARGEST_BYTES = 300_000
CONFIG = {
    "search": "cegar",
    "seed": 42,
    "benchmark": {"kind": "code"},
    "providers": {"offline": {"kind": "offline"}},
    "models": {"author": {"provider": "offline", "model": "grammar", "seed": 2}},
    "cegar": {
        "candidates": 6, "starting_pool": False, "rounds": 3, "level1_attempts": 1,
        "level2_attempts": 3, "prompt_characters": 20_000,
    },
}  # fmt: skip


def record() -> None:
    """Make the recorded run and its digest anew, in as few bytes as SQLite can."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cegar.evo"
        new_run(path, RunConfig.model_validate(CONFIG))
        if asyncio.run(serve(path)):
            sys.exit("the run did not finish")
        with closing(sqlite3.connect(path)) as db:
            db.execute("DELETE FROM event")
            db.commit()
            db.execute("PRAGMA journal_mode = DELETE").fetchone()
            db.execute("PRAGMA page_size = 1024")
            db.execute("VACUUM")
        shutil.copy(path, RECORDED)
    RECORDED.with_suffix(".digest").write_text(f"{digest(RECORDED)}\n")


async def test_the_recorded_run_replays_to_its_digest_and_runs_no_program(tmp_path: Path) -> None:
    path = Path(shutil.copy(RECORDED, tmp_path / "elsewhere.evo"))
    config = stored_config(path)
    providers = {name: build_provider(name, p, {}) for name, p in config.providers.items()}
    found = await verify(path, config.seed, stored_plan(path).search, providers)
    assert found.mismatches == []
    assert found.calls > 3 and found.decisions > 1
    assert digest(path) == RECORDED.with_suffix(".digest").read_text().strip()


def test_the_recorded_run_holds_what_a_search_can_meet(tmp_path: Path) -> None:
    with closing(sqlite3.connect(shutil.copy(RECORDED, tmp_path / "run.evo"))) as db:
        kinds = {row[0] for row in db.execute("SELECT DISTINCT kind FROM decision")}
        gates = {row[0] for row in db.execute("SELECT DISTINCT gate FROM verdict")}
    assert {"admit", "abandon", "stop"} <= kinds
    assert {"screens", "shrinks", "rewritten", "admission"} <= gates
    assert RECORDED.stat().st_size < LARGEST_BYTES


if __name__ == "__main__":
    record()
