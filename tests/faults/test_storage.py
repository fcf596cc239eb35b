"""A disk that is full and a folder without rights pause a real run; it then goes on as if nothing
had been. What a root user is never refused is tried as another user."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from evoscope.engine.store.status import read_status
from tests.e2e.kit import Run, ServerThread, wait_until, wire_config
from tests.servers.llm_faults import Rule

NOBODY = "65534"
LATENCY = Rule("latency", args={"low": 0.0, "high": 0.05})
SLOW = Rule("latency", args={"low": 0.2, "high": 0.4})
"""Slow enough that a run outlives the second until its next heartbeat."""
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 40 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def another_user(tmp_path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A folder, and what starts a process as a user who is refused what its rights refuse."""
    before = AS_NOBODY if os.getuid() == 0 else ()
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    if before:
        os.chown(folder, int(NOBODY), int(NOBODY))
        works = [*before, sys.executable, "-c", "import evoscope.cli.main"]
        if subprocess.run(works, capture_output=True).returncode:
            pytest.skip("another user cannot reach this environment")
    yield folder, before
    subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)
    subprocess.run(["rm", "-r", str(folder)], check=True)


def fill_and_wait(run: Run, disk: Path) -> Path:
    """Take all space of a run's disk once it works, and wait until it is paused."""
    wait_until(lambda: run.count("call") > 10, "a first part of the run")
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(65_536))
    wait_until(lambda: read_status(run.path).state == "paused", "the pause")
    return filler


def test_a_full_disk_pauses_the_run_and_space_lets_it_go_on(
    tmp_path: Path, small_disk: Path
) -> None:
    with ServerThread([LATENCY]) as server:
        whole = Run(tmp_path / "whole.evo", wire_config(server)).make()
        assert whole.finish() == 0
        needed = server.stats.seen
        run = Run(small_disk / "run.evo", wire_config(server)).make()
        engine = run.begin()
        try:
            filler = fill_and_wait(run, small_disk)
            assert "disk is full" in run.cli("status", run.path).out
            seen = server.stats.seen
            refused = run.cli("resume", run.path, "--headless")
            assert refused.code == 1 and "No space left" in refused.err, refused
            assert engine.poll() is None and server.stats.seen == seen
            filler.unlink()
            assert run.cli("resume", run.path, "--headless").code == 0
            assert engine.wait(30) == 0
        finally:
            run.end()
        assert run.digest() == whole.digest()
        assert server.stats.seen == 2 * needed
        assert run.count("attempt WHERE outcome = 'ambiguous'") == 0


def test_an_engine_can_be_stopped_while_its_disk_is_full(small_disk: Path) -> None:
    with ServerThread([LATENCY]) as server:
        run = Run(small_disk / "run.evo", wire_config(server)).make()
        engine = run.begin()
        try:
            filler = fill_and_wait(run, small_disk)
            engine.terminate()
            assert engine.wait(60) == 3
            assert "lost" in run.cli("status", run.path).out
            full = run.cli("resume", run.path, "--headless")
            assert full.code == 1 and "No space left" in full.err, full
            filler.unlink()
            assert run.cli("resume", run.path, "--headless").code == 0
        finally:
            run.end()
        assert run.cli("verify", run.path).code == 0


def test_a_folder_made_read_only_pauses_the_run_and_rights_let_it_go_on(
    tmp_path: Path, another_user: tuple[Path, tuple[str, ...]]
) -> None:
    folder, before = another_user
    with ServerThread([SLOW]) as server:
        whole = Run(tmp_path / "whole.evo", wire_config(server)).make()
        assert whole.finish() == 0
        run = Run(folder / "run.evo", wire_config(server), before=before).make()
        side = folder / "run.evo.d"
        if before:
            subprocess.run(["chown", "-R", NOBODY, str(folder)], check=True)
        before_it = server.stats.seen
        engine = run.begin()
        try:
            wait_until(lambda: server.stats.seen > before_it + 20, "a first part of the run")
            side.chmod(0o500)
            reason = run.wait_state("paused")
            assert "heartbeat.json cannot be written (Permission denied)" in reason
            assert "evoscope resume" in reason
            seen = server.stats.seen
            side.chmod(0o700)
            assert run.cli("resume", run.path, "--headless").code == 0
            assert engine.wait(30) == 0
            assert server.stats.seen > seen
        finally:
            run.end()
        assert run.digest() == whole.digest()


@pytest.mark.parametrize("which", [".", "run.evo.d"])
def test_an_engine_does_not_start_where_it_may_not_write(
    another_user: tuple[Path, tuple[str, ...]], which: str
) -> None:
    folder, before = another_user
    with ServerThread() as server:
        run = Run(folder / "run.evo", wire_config(server), before=before).make()
        if before:
            subprocess.run(["chown", "-R", NOBODY, str(folder)], check=True)
        (folder / which).chmod(0o500)
        answer = run.cli("resume", run.path, "--foreground", before=before)
        assert answer.code == 1 and answer.err.count("\n") == 1, answer
        assert "check its folder" in answer.err or "check it and its folder" in answer.err, answer
        (folder / which).chmod(0o700)
        assert run.cli("resume", run.path, "--foreground", before=before).code == 0
