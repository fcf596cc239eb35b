"""The writer: order, durability, group commit, takeover, full disks."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import Locked, NewerFile, StoreError, TakenOver
from evoscope.engine.store.database import claim, create
from evoscope.engine.store.lock import RunLock
from evoscope.engine.store.memory import read_only, unpack
from evoscope.engine.store.rows import clean, meta_write
from evoscope.engine.store.version import APPLICATION_ID
from evoscope.engine.store.writer import BATCH_ROWS, Write, Writer

EVENT = "INSERT INTO event(time, kind, tbl, ref) VALUES ('', 'test', '', ?)"


def quiet(message: str) -> None:
    raise AssertionError(f"no trouble was expected: {message}")


def refs(path: Path) -> list[str]:
    with closing(read_only(path)) as db:
        return [ref for (ref,) in db.execute("SELECT ref FROM event ORDER BY seq")]


async def test_rows_are_durable_in_the_order_they_were_put(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    writer = await Writer.open(path, claim(path), quiet)
    await asyncio.gather(*(writer.commit(Write(EVENT, (str(k),))) for k in range(2000)))
    assert refs(path) == [str(k) for k in range(2000)]
    assert 2000 / BATCH_ROWS <= writer.commits < 100
    await writer.close(finished=True)
    assert not path.with_name("run.evo-wal").exists()


async def test_an_awaited_write_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    code = (
        "import asyncio, os, sys, signal\n"
        "from pathlib import Path\n"
        "from evoscope.engine.store.database import claim\n"
        "from evoscope.engine.store.writer import Write, Writer\n"
        "async def main(path):\n"
        "    writer = await Writer.open(path, claim(path), print)\n"
        f"    await asyncio.gather(*(writer.commit(Write({EVENT!r}, (str(k),)))"
        " for k in range(700)))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main(Path(sys.argv[1])))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert ended.returncode == -9
    assert len(refs(path)) == 700


async def test_a_taken_over_engine_writes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    writer = await Writer.open(path, claim(path), quiet)
    await writer.commit(Write(EVENT, ("mine",)))
    claim(path)
    with pytest.raises(TakenOver):
        await writer.commit(Write(EVENT, ("too late",)))
    with pytest.raises(TakenOver):
        await writer.commit(Write(EVENT, ("later still",)))
    assert refs(path) == ["mine"]
    assert not writer.alive
    await writer.close()


async def test_a_batch_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    writer = await Writer.open(path, claim(path), quiet)
    with pytest.raises(StoreError, match="no such table"):
        await writer.commit(Write(EVENT, ("half",)), Write("INSERT INTO nowhere VALUES (1)", ()))
    assert refs(path) == []
    await writer.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small tmpfs")
async def test_a_full_disk_keeps_the_rows_until_there_is_room(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], check=False
    )
    if mounted.returncode:
        pytest.skip("this machine does not let us mount")
    try:
        path, ballast = disk / "run.evo", disk / "ballast"
        create(path)
        said: list[str] = []
        writer = await Writer.open(path, claim(path), said.append)
        _fill(ballast)
        rows = [Write(EVENT, ("x" * 3000,)) for _ in range(100)]
        big = asyncio.ensure_future(writer.commit(*rows))
        while not said:
            await asyncio.sleep(0.05)
        assert not big.done() and not writer.healthy
        ballast.unlink()
        await asyncio.wait_for(big, 10)
        assert writer.healthy and len(refs(path)) == 100
        await writer.close()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def _fill(path: Path) -> None:
    try:
        with path.open("wb", buffering=0) as out:
            while True:
                out.write(b"x" * 4096)
    except OSError:
        return


def test_a_later_format_and_a_strange_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerFile, match="format 99"):
        claim(path)
    other = tmp_path / "other.evo"
    other.write_bytes(b"not a database, but longer than one page header " * 40)
    with pytest.raises(StoreError, match="cannot be"):
        claim(other)
    plain = tmp_path / "plain.evo"
    with closing(sqlite3.connect(plain)) as db:
        db.execute("CREATE TABLE t (x)")
        db.commit()
    with pytest.raises(StoreError, match="not a run file"):
        claim(plain)


def test_a_run_has_one_engine_and_its_file_one_owner(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(StoreError, match="exists"):
        create(path)
    lock = RunLock.take(path)
    with pytest.raises(Locked, match=str(os.getpid())):
        RunLock.take(path)
    lock.release()
    RunLock.take(path).release()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


async def test_a_text_is_kept_once_and_comes_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.evo"
    create(path)
    writer = await Writer.open(path, claim(path), quiet)
    long, short = b"the same long prompt " * 400, b"yes"
    for data in (long, short, long):
        digest, writes = writer.blob(data)
        await writer.commit(*writes, *meta_write({data[:3].decode(): digest}))
    with closing(read_only(path)) as db:
        rows = db.execute("SELECT codec, data FROM blob").fetchall()
    assert sorted(unpack(codec, data) for codec, data in rows) == sorted([long, short])
    assert sum(len(data) for _, data in rows) < 500
    await writer.close()


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_becomes_text_that_sqlite_holds(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        (back,) = db.execute("SELECT ?", (clean(text),)).fetchone()
    assert back == clean(text)
