"""Copying and deleting runs."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.store_builder import small_run


def test_a_backup_of_a_run_that_is_being_written_is_whole(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    run.heartbeat()
    copy = tmp_path / "copies" / "copy.evo"
    copy.parent.mkdir()
    with closing(sqlite3.connect(run.path)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO meta VALUES ('half', 'done')")
        printed = cli("backup", "demo", "-o", copy)
        writer.rollback()
    assert printed.code == 0
    assert copy.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in copy.parent.iterdir()] == ["copy.evo"]
    status = cli("status", copy, "--json").json
    assert (status["name"], status["state"]) == ("copy", "stopped")
    assert (status["reason"], status["progress"]["done"]) == ("copied while it was running", 2)
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT count(*) FROM meta WHERE key = 'half'").fetchone() == (0,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_backup_overwrites_nothing(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    target = tmp_path / "there.evo"
    target.write_text("mine")
    assert cli("backup", "demo", "-o", target).code == 2
    assert target.read_text() == "mine"


def test_a_run_is_deleted_with_everything_beside_it(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.heartbeat()
    small_run(tmp_path, "demo-2")
    printed = cli("rm", tmp_path / "demo.evo", "--yes")
    assert printed.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo-2.evo"]


def test_deleting_asks_first(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run(tmp_path)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: "n")
    assert cli("rm", "demo").code == 3
    assert run.path.exists()


def test_a_run_whose_engine_works_is_not_deleted(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    run.heartbeat()
    printed = cli("rm", "demo", "--yes")
    assert printed.code == 2 and "`evoscope stop demo` first" in printed.err
    assert run.path.exists()
