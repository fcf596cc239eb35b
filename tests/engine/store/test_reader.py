"""The reader: read-only, quick to give up, indifferent to an engine that writes beside it."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from evoscope.engine.errors import NewerFile, StoreError
from evoscope.engine.store.reader import Reader
from tests.store_builder import new_run, small_run


def test_it_reads_rows_meta_and_texts(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.insert("text", {"name": "rubric", "content_hash": run.blob('{"é": 1}')})
    with Reader(run.path) as reader:
        assert reader.meta()["search"] == "harden"
        assert reader.named_text("rubric") == '{"é": 1}'
        assert reader.named_text("no such text") is None
        assert reader.row("SELECT count(*) FROM node") == (6,)


def test_a_missing_text_is_an_error_that_names_it(tmp_path: Path) -> None:
    with Reader(new_run(tmp_path).path) as reader, pytest.raises(StoreError, match="no text abc"):
        reader.blob("abc")


def test_it_cannot_write(tmp_path: Path) -> None:
    with Reader(new_run(tmp_path).path) as reader, pytest.raises(StoreError, match="readonly"):
        reader.rows("INSERT INTO meta VALUES ('x', 'y')")


def test_a_query_is_stopped_after_two_seconds(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with Reader(new_run(tmp_path).path) as reader:
        start = time.monotonic()
        with pytest.raises(StoreError, match="more than 2 s"):
            reader.rows(endless)
        assert 1.9 < time.monotonic() - start < 4
        assert reader.row("SELECT 1") == (1,)


def test_it_sees_what_an_open_writer_commits_and_holds_no_log_back(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    with closing(sqlite3.connect(run.path)) as writer, Reader(run.path) as reader:
        for number in range(3):
            with writer:
                writer.execute("INSERT INTO meta VALUES (?, 'x')", (f"k{number}",))
            assert reader.meta()[f"k{number}"] == "x"
        busy, _, _ = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert busy == 0


def test_a_finished_run_in_a_folder_without_write_rights_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Reader(run.path) as reader:
        assert reader.meta()["state"] == "finished"
        assert not list(tmp_path.glob("*-shm")), "an immutable file needs no shared memory"
        with closing(sqlite3.connect(run.path)) as writer:
            with writer:
                writer.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
            assert reader.meta()["state"] == "running", "a log beside it ends the immutability"


def test_a_later_version_is_refused_with_its_number(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    run.sql("PRAGMA user_version = 99")
    with pytest.raises(NewerFile, match="99"):
        Reader(run.path)


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_what_is_no_run_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.evo"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"x\.evo"):
        Reader(path)


def test_a_missing_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such run"):
        Reader(tmp_path / "none.evo")
