"""`verify` finds what was changed in a file, and passes what was not, wherever it lies."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evoscope.engine.canonical import sha256
from tests.e2e.kit import Run, offline_config


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run with the embedded models."""
    run = Run(tmp_path_factory.mktemp("run") / "run.evo", offline_config()).make()
    assert run.finish() == 0
    return run


def copy_of(run: Run, folder: Path) -> Run:
    """The run under another name in another folder."""
    target = folder / "elsewhere" / "copy.evo"
    target.parent.mkdir(parents=True)
    shutil.copy(run.path, target)
    return Run(target, run.config)


def change_response(db: sqlite3.Connection) -> None:
    """Another answer under its right hash, as a careful forger would put it."""
    slot, codec, data = db.execute(
        "SELECT c.slot, b.codec, b.data FROM call c JOIN blob b ON b.hash = c.reply_blob "
        "WHERE c.purpose = 'rollout' ORDER BY c.slot LIMIT 1"
    ).fetchone()
    body = json.loads(zlib.decompress(data) if codec == "zlib" else data)
    forged = json.dumps(body | {"text": "I am sure.\nAnswer: maybe"}).encode()
    digest = sha256(forged)
    db.execute("INSERT INTO blob VALUES (?, 'raw', ?, ?)", (digest, len(forged), forged))
    db.execute("UPDATE call SET reply_blob = ? WHERE slot = ?", (digest, slot))


def change_stored_text(db: sqlite3.Connection) -> None:
    """Other bytes under the old hash."""
    db.execute(
        "UPDATE blob SET data = zeroblob(8), codec = 'raw' WHERE hash = "
        "(SELECT reply_blob FROM call WHERE purpose = 'rollout' ORDER BY slot LIMIT 1)"
    )


def change_verdict(db: sqlite3.Connection) -> None:
    """A pass where a gate failed."""
    db.execute(
        "UPDATE verdict SET outcome = 'pass' WHERE seq = "
        "(SELECT min(seq) FROM verdict WHERE outcome = 'fail')"
    )


def change_decision(db: sqlite3.Connection) -> None:
    """Nobody chosen where somebody was."""
    db.execute(
        "UPDATE decision SET chosen = '[]' WHERE seq = "
        "(SELECT min(seq) FROM decision WHERE chosen <> '[]')"
    )


def drop_decision(db: sqlite3.Connection) -> None:
    """A decision taken out."""
    db.execute("DELETE FROM decision WHERE seq = (SELECT max(seq) FROM decision)")


def test_a_clean_run_is_reported_clean(finished: Run) -> None:
    answer = finished.cli("verify", finished.path, "--json")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["ok"] and found["mismatches"] == []
    assert found["calls"] == finished.count("call")
    assert found["verdicts"] == finished.count("verdict")
    assert found["decisions"] == finished.count("decision")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (change_response, "call"),
        (change_stored_text, "text"),
        (change_verdict, "verdict"),
        (change_decision, "decision"),
        (drop_decision, "decision"),
    ],
)
def test_a_planted_change_is_found(
    finished: Run, tmp_path: Path, change: Callable[[sqlite3.Connection], None], what: str
) -> None:
    run = copy_of(finished, tmp_path)
    with closing(sqlite3.connect(run.path)) as db, db:
        change(db)
    answer = run.cli("verify", run.path, "--json")
    assert answer.code == 1 and not answer.json["ok"]
    assert what in {mismatch["what"] for mismatch in answer.json["mismatches"]}


def test_a_copy_in_another_folder_verifies_and_replays_without_a_call(
    finished: Run, tmp_path: Path
) -> None:
    run = copy_of(finished, tmp_path)
    assert run.cli("verify", run.path).code == 0
    assert run.digest() == finished.digest()
    with closing(sqlite3.connect(run.path)) as db, db:
        db.execute("UPDATE unit SET state = 'open' WHERE kind = 'case'")
        db.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
    before = run.count("event WHERE kind NOT IN ('running', 'finished', 'unit done')")
    assert run.finish() == 0
    assert run.digest() == finished.digest()
    assert run.count("attempt") == finished.count("attempt")
    assert run.count("event WHERE kind NOT IN ('running', 'finished', 'unit done')") == before
    assert str(finished.path.parent).encode() not in run.path.read_bytes()
