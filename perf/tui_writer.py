"""An engine's writing without the engine: so many rows a second into a run's file, and a heartbeat.

Usage: python perf/tui_writer.py RUN ROWS_PER_SECOND SECONDS
"""

import json
import sqlite3
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from evoscope.engine.run_files import heartbeat_file, write_atomically
from evoscope.engine.store.lock import own_identity

COMMITS = 10
"""Commits a second."""


def now() -> str:
    """The time as the engine writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write(run: Path, rate: int, seconds: float) -> None:
    """Verdicts, finished calls, node states and counters, in even shares."""
    with closing(sqlite3.connect(run, timeout=10)) as db:
        db.execute("PRAGMA wal_autocheckpoint = 2000")
        nodes = db.execute("SELECT id, unit FROM node WHERE generation > 0").fetchall()
        (last,) = db.execute("SELECT max(seq) FROM call").fetchone()
        numbers, begin = count(), time.monotonic()
        db.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
        db.commit()
        for turn in range(int(seconds * COMMITS)):
            if turn % COMMITS == 0:
                beat(run, turn)
            with db:
                for _ in range(rate // COMMITS // 4):
                    rows(db, nodes, last, next(numbers))
            time.sleep(max(begin + (turn + 1) / COMMITS - time.monotonic(), 0))


def rows(db: sqlite3.Connection, nodes: list[tuple[str, str]], last: int, number: int) -> None:
    """Four rows: a verdict, a call, a node's state, a counter."""
    node, unit = nodes[number % len(nodes)]
    vote = 1000 + number // len(nodes) + int(time.time()) % 1_000_000
    outcome = "pass" if number % 3 else "fail"
    db.execute(
        "INSERT INTO verdict(node, gate, vote, unit, outcome, by, reason, time) "
        "VALUES (?, 'realism', ?, ?, ?, 'model', 'written while one watches', ?)",
        (node, vote * 100_000 + number, unit, outcome, now()),
    )
    db.execute(
        "INSERT INTO call(slot, unit, purpose, node, number, role, provider, model, request_hash, "
        "request_blob, status, input_tokens, output_tokens, cost, cost_source, latency_s, created, "
        "done) SELECT ?, ?, 'rollout', ?, 0, 'task', 'offline', 'reader', request_hash, "
        "request_blob, 'completed', 900, 120, '0.0002', 'price table', 0.4, ?, ? FROM call "
        "WHERE seq = ?",
        (f"{unit}|perf|{node}|{vote}|{number}|0", unit, node, now(), now(), last),
    )
    db.execute("UPDATE node SET num = ?, den = 10 WHERE id = ?", (number % 9 + 1, node))
    db.execute(
        "INSERT INTO tally VALUES (?, 'realism', '', ?, 1) ON CONFLICT DO UPDATE SET n = n + 1",
        (unit, outcome),
    )


def beat(run: Path, turn: int) -> None:
    """A heartbeat with one lane."""
    lane = {
        "provider": "offline", "account": "a", "model": "reader", "limit": 64, "ceiling": 64,
        "in_flight": 30 + turn % 7, "waiting": 100 + turn % 13, "per_minute": 7_500 + turn % 97,
        "errors": {}, "last_error": "",
    }  # fmt: skip
    state = {"in_flight": 30 + turn % 7, "waiting": 100, "retries": 0, "lanes": [lane]}
    text = json.dumps({**own_identity(), "time": now(), "state": "running", **state}, default=str)
    write_atomically(heartbeat_file(run), text)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
