"""Runs on the example bundle: answers that are no programs, and a checker."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from evoscope.engine.benchmarks.code_tasks.sources import Split
from evoscope.engine.model.llm import Params
from evoscope.engine.searches.cegar.from_run import FromRun
from evoscope.engine.searches.cegar.plan import setup_of, splits_of
from evoscope.engine.searches.cegar.settings import CegarSettings
from evoscope.engine.searches.cegar.setup import CegarSetup
from evoscope.engine.searches.harden.setup import Profile

FOLDER = Path(__file__).resolve().parents[4] / "examples" / "cegar-bundle"
SEED = 42


def settings(**changes: object) -> CegarSettings:
    return CegarSettings.model_validate(
        {
            "bundle": {"path": FOLDER, "training": 10}, "rounds": 3, "level1_attempts": 1,
            "level2_attempts": 4, **changes,
        }
    )  # fmt: skip


def splits(**changes: object) -> tuple[Split, Split]:
    return splits_of(settings(**changes), SEED)


def setup(author: int = 1, runs: tuple[FromRun, ...] = (), **changes: object) -> CegarSetup:
    """A search whose author's sampling seed is `author`; the tasks are always the same."""
    profiles = {"author": Profile("p", "grammar", Params(seed=author))}
    return setup_of(splits(**changes)[0], settings(**changes), {} if runs else profiles, runs)


def described(path: Path, **changes: object) -> Path:
    """Write into a run file of the replay kit what a real one says of itself."""
    config = {"cegar": json.loads(settings(**changes).model_dump_json()), "seed": SEED}
    said = {"search": "cegar", "seed": str(SEED), "name": path.stem, "config": json.dumps(config)}
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", said.items())
    return path
