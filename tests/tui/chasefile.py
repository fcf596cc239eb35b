"""Chase run files for the screens, made from the recorded one: finished, under way, hostile."""

import json
import random
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.recorded_kit import recorded
from tests.tui.shape import HOSTILE, stamp

TIMES = (("verdict", "time"), ("decision", "time"), ("node", "created"), ("call", "created"),
         ("call", "done"))  # fmt: skip


def finished(path: Path) -> Path:
    """The recorded run, its times those of no day."""
    shutil.copy(recorded("chase"), path)
    with closing(sqlite3.connect(path)) as db, db:
        for table, column in TIMES:
            rows = db.execute(f"SELECT seq FROM {table} ORDER BY seq").fetchall()
            db.executemany(
                f"UPDATE {table} SET {column} = ? WHERE seq = ?",
                [(stamp(seq), seq) for (seq,) in rows],
            )
    side = path.with_name(f"{path.name}.d")
    (side / "inbox").mkdir(parents=True, exist_ok=True)
    (side / "engine.log").write_text("engine started\nall well\n")
    return path


def under_way(path: Path) -> Path:
    """The same in the middle of CHASE's last round: candidates wait for their rollouts."""
    finished(path)
    with closing(sqlite3.connect(path)) as db, db:
        late = "unit IN ('chase/r2', 'final', 'certification')"
        db.execute(f"DELETE FROM decision WHERE {late}")
        db.execute(f"DELETE FROM rollout WHERE {late}")
        db.execute("DELETE FROM verdict WHERE unit = 'chase/r2'")
        db.execute("DELETE FROM node WHERE unit = 'chase/r2' AND kind = 'counterfactual'")
        sql = "UPDATE node SET state = 'proposed', num = NULL, den = NULL WHERE unit = 'chase/r2'"
        db.execute(sql)
        db.execute("UPDATE unit SET state = 'open', result = NULL WHERE id = 'chase/r2'")
        db.execute("DELETE FROM unit WHERE id IN ('final', 'certification')")
        db.execute(
            "DELETE FROM call WHERE unit = 'chase/r2' AND role = 'agent' AND (number > 0 OR "
            "node = 'H0' OR substr(purpose, -4) NOT IN (SELECT id FROM item WHERE split = 'evo'))"
        )
        (last,) = db.execute(
            "SELECT id FROM node WHERE unit = 'chase/r2' ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        db.execute("DELETE FROM call WHERE node = ? AND finish = 'stop'", (last,))
        rejected = "UPDATE node SET vetoed = 1 WHERE kind = 'counterfactual' AND state = 'survivor'"
        db.execute(rejected)
        db.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
    return path


def hostile(path: Path) -> Path:
    """A hostile text wherever a model's or a person's text stands."""
    finished(path)
    rng = random.Random(7)
    with closing(sqlite3.connect(path)) as db, db:
        for table, column in (("node", "description"), ("verdict", "reason"),
                              ("decision", "reason"), ("unit", "reason")):  # fmt: skip
            keys = db.execute(f"SELECT id FROM {table}" if table in ("node", "unit") else
                              f"SELECT seq FROM {table}").fetchall()  # fmt: skip
            key = "id" if table in ("node", "unit") else "seq"
            db.executemany(
                f"UPDATE {table} SET {column} = ? WHERE {key} = ?",
                [(_safe(rng), one) for (one,) in keys],
            )
        db.execute("UPDATE unit SET state = 'parked' WHERE id = 'compass/r2'")
        rollouts = "UPDATE rollout SET parsed = ?, class = ? WHERE sample = 0 AND context = 'rel'"
        db.execute(rollouts, (_safe(rng), _safe(rng)))
        _contents(db, rng)
    return path


def _contents(db: sqlite3.Connection, rng: random.Random) -> None:
    """Specs, details and calls by other ones of the same shape."""
    for kind, make in (("harness", _harness), ("counterfactual", _counterfactual)):
        for (node,) in db.execute("SELECT id FROM node WHERE kind = ?", (kind,)).fetchall():
            digest = _kept(db, make(rng))
            db.execute("UPDATE node SET content_hash = ? WHERE id = ?", (digest, node))
    for (seq,) in db.execute("SELECT seq FROM verdict").fetchall():
        digest = _kept(db, _detail(rng))
        db.execute("UPDATE verdict SET detail_hash = ? WHERE seq = ?", (digest, seq))
    called = [["assistant", _text(rng), [{"name": _text(rng), "arguments": {_text(rng): 1}}], None]]
    replied = [["tool", json.dumps({_text(rng): [_text(rng)] * 6, "text": _text(rng)}), None, "1"]]
    request = {"system": _text(rng), "messages": [["user", _text(rng), None, None], *called,
                                                  *replied]}  # fmt: skip
    digest, reply = _kept(db, request), _kept(db, {"text": _text(rng)})
    db.execute("UPDATE call SET request_blob = ?, reply_blob = ?", (digest, reply))


def _harness(rng: random.Random) -> dict[str, Any]:
    rule = {"when": _text(rng), "n": 1, "do": _text(rng)}
    advice = {"name": _text(rng), "applies_when": _text(rng), "instruction": _text(rng)}
    return {
        "system_prompt": _text(rng), "memory": [_text(rng)], "control": [rule],
        "guidance": [advice], "retrieval": {_text(rng): [_text(rng)]}, "tools": _text(rng),
    }  # fmt: skip


def _counterfactual(rng: random.Random) -> dict[str, Any]:
    operator = {"operator": _text(rng), "arguments": {_text(rng): _text(rng)}}
    return {
        "description": _text(rng), "claim": _text(rng),
        "transformation": {"operators": [operator, _text(rng)], "declares": [_text(rng)]},
    }  # fmt: skip


def _detail(rng: random.Random) -> dict[str, Any]:
    shown = {"fixture": _text(rng), "before": {_text(rng): [_text(rng)]}, "after": [_text(rng), 1]}
    return {"task": True, "access": False, "scoring": _text(rng), "active": True,
            "change": _text(rng), "fixtures": [shown, _text(rng)]}  # fmt: skip


def _kept(db: sqlite3.Connection, value: object) -> str:
    data = json.dumps(value, sort_keys=True).encode()
    digest = sha256(data).hexdigest()
    row = (digest, "raw", len(data), data)
    db.execute("INSERT OR IGNORE INTO blob (hash, codec, size, data) VALUES (?, ?, ?, ?)", row)
    return digest


def _text(rng: random.Random) -> str:
    return rng.choice(HOSTILE)


def _safe(rng: random.Random) -> str:
    return _text(rng).encode("utf-8", "replace").decode()
