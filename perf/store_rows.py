"""Durable rows a second through the writer, against bare SQLite with one commit for all of them.

Usage: python perf/store_rows.py [ROWS]
"""

import asyncio
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from evoscope.engine.store.database import claim, create
from evoscope.engine.store.writer import Write, Writer

INSERT = "INSERT INTO event(time, kind, tbl, ref) VALUES (?, ?, ?, ?)"
WAITERS = 64


async def through_the_writer(path: Path, rows: int) -> float:
    create(path)
    writer = await Writer.open(path, claim(path), print)

    async def one_after_another(k: int) -> None:
        for row in range(k, rows, WAITERS):
            await writer.commit(Write(INSERT, ("2026-01-01", "perf", "call", str(row))))

    began = time.perf_counter()
    await asyncio.gather(*(one_after_another(k) for k in range(WAITERS)))
    took = time.perf_counter() - began
    commits = writer.commits
    await writer.close()
    print(f"  {commits:,} commits, {rows / commits:.0f} rows each")
    return took


def bare(path: Path, rows: int) -> float:
    create(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        began = time.perf_counter()
        db.execute("BEGIN")
        for row in range(rows):
            db.execute(INSERT, ("2026-01-01", "perf", "call", str(row)))
        db.execute("COMMIT")
        return time.perf_counter() - began


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as folder:
        ours = asyncio.run(through_the_writer(Path(folder) / "ours.evo", rows))
        ideal = bare(Path(folder) / "bare.evo", rows)
    print(f"writer, {WAITERS} waiting: {rows / ours:,.0f} durable rows/s (wanted: 10,000)")
    print(f"one bare transaction: {rows / ideal:,.0f} rows/s; ratio {ideal / ours:.2f}")


if __name__ == "__main__":
    main()
