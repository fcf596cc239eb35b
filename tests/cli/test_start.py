"""Starting engines for real: run, demo and resume, each mode, and what is refused."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine import launch
from evoscope.engine.errors import ConfigError, EvoscopeError
from evoscope.engine.heartbeat import process_runs, read_heartbeat
from evoscope.engine.run_files import log_file
from evoscope.engine.store.status import read_status
from tests.cli.conftest import Cli
from tests.store_builder import new_run, small_run

QUICK = [
    "--set", "benchmark.sample=2", "--set", "harden.futility=false",
    "--set", "harden.generations=1", "--set", "harden.offspring=2",
    "--set", "harden.survivors=1", "--set", "harden.rollouts=2",
    "--set", "providers.offline.faults={}",
]  # fmt: skip
SLOW = [*QUICK, "--set", "providers.offline.faults.latency_s=30"]


def evoscope(folder: Path, *words: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    """The command line as a process of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "evoscope.cli.main", *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"EVOSCOPE_RUNS": str(folder)} | environ,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of runs whose engines end with the test."""
    yield tmp_path
    for path in tmp_path.glob("*.evo"):
        beat = read_heartbeat(path)
        if beat is not None and beat.alive():
            os.kill(beat.pid, signal.SIGKILL)


def wait_for(folder: Path, state: str) -> None:
    """Wait until the run `demo` is in a state."""
    deadline = time.monotonic() + 30
    while read_status(folder / "demo.evo").state != state:
        assert time.monotonic() < deadline, read_status(folder / "demo.evo")
        time.sleep(0.05)


def test_a_demo_without_a_terminal_runs_to_its_end_and_verifies(folder: Path) -> None:
    done = evoscope(folder, "demo", *QUICK)
    assert done.returncode == 0, done.stderr
    assert "demo finished" in done.stderr and "OFFLINE" in done.stdout
    verified = evoscope(folder, "verify", "demo", "--json")
    report = json.loads(verified.stdout)
    assert (verified.returncode, report["ok"], report["mismatches"]) == (0, True, [])
    assert report["calls"] > 0 and report["verdicts"] > 0
    again = evoscope(folder, "demo", *QUICK, "--foreground")
    assert again.returncode == 0 and (folder / "demo-2.evo").exists()
    digests = [evoscope(folder, "digest", name).stdout for name in ("demo", "demo-2")]
    assert len(digests[0]) == 65 and digests[0] == digests[1]


def test_verify_finds_a_changed_verdict(folder: Path) -> None:
    evoscope(folder, "demo", *QUICK)
    subprocess.run(
        [sys.executable, "-c",
         "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
         "db.execute(\"UPDATE verdict SET outcome = 'abstain' WHERE seq = 1\"); db.commit()",
         str(folder / "demo.evo")], check=True,
    )  # fmt: skip
    done = evoscope(folder, "verify", "demo")
    assert done.returncode == 1 and done.stdout.startswith("verdict ")


def test_the_engine_outlives_its_starter_and_can_be_stopped_and_resumed(folder: Path) -> None:
    started = evoscope(folder, "demo", *SLOW, "--detach")
    assert started.returncode == 0
    assert started.stdout.strip() == str(folder / "demo.evo")
    beat = read_heartbeat(folder / "demo.evo")
    assert beat is not None and beat.alive()
    assert os.getsid(beat.pid) == beat.pid, "a session of its own"
    paused = evoscope(folder, "pause", "demo", "--now", "--reason", "lunch")
    assert (paused.returncode, "pausing" in paused.stderr) == (0, True)
    wait_for(folder, "paused")
    stopped = evoscope(folder, "stop", "demo")
    assert stopped.returncode == 0
    assert evoscope(folder, "wait", "demo").returncode == 3
    resumed = evoscope(folder, "resume", "demo", "--detach")
    assert resumed.returncode == 0
    wait_for(folder, "running")


def test_a_killed_engine_is_lost_and_resume_all_starts_it_again(folder: Path) -> None:
    evoscope(folder, "demo", *SLOW, "--detach")
    beat = read_heartbeat(folder / "demo.evo")
    assert beat is not None
    os.kill(beat.pid, signal.SIGKILL)
    while process_runs(beat.pid, beat.start_time):
        time.sleep(0.02)
    assert read_status(folder / "demo.evo").state == "lost"
    assert "demo: started" in evoscope(folder, "resume", "--all").stderr
    status = json.loads(evoscope(folder, "status", "demo", "--json").stdout)
    assert status["state"] == "running" and status["pid"] != beat.pid


def test_sigterm_stops_a_foreground_engine_with_code_3(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "evoscope.cli.main", "demo", *QUICK, "--foreground",
         "--set", "providers.offline.faults.latency_s=1", "--dir", str(folder)],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (folder / "demo.evo").exists() or read_heartbeat(folder / "demo.evo") is None:
        time.sleep(0.05)
    wait_for(folder, "running")
    process.terminate()
    process.communicate(timeout=60)
    status = read_status(folder / "demo.evo")
    assert (process.returncode, status.state, status.reason) == (3, "stopped", "signal SIGTERM")


def test_a_name_that_is_taken_is_refused_and_names_resume(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    printed = cli("demo", "--name", "demo")
    assert printed.code == 2 and "`evoscope resume demo` goes on with it" in printed.err


@pytest.mark.parametrize("name", ["../up", ".hidden", "a b", "x" * 101])
def test_a_name_that_is_no_file_name_is_refused(cli: Cli, name: str) -> None:
    assert cli("demo", "--name", name).code == 2


def test_nothing_is_made_while_a_key_is_missing(cli: Cli, tmp_path: Path) -> None:
    paper = Path(__file__).resolve().parents[2] / "examples" / "paper-qwen3.5-35b.toml"
    printed = cli("run", paper)
    assert printed.code == 2
    assert "not set: ANTHROPIC_API_KEY, OPENROUTER_API_KEY" in printed.err
    assert list(tmp_path.iterdir()) == []


def test_a_finished_run_is_not_resumed(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path)
    printed = cli("resume", "demo")
    assert printed.code == 2 and "demo is finished" in printed.err


@pytest.mark.parametrize("words", [(), ("demo", "--all")])
def test_resume_takes_one_run_or_all(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    small_run(tmp_path)
    assert cli("resume", *words).code == 2


def _config(**changes: Any) -> str:
    offline = {"kind": "offline"}
    models = {
        role: {"provider": "p", "model": "m"} for role in ("task", "analysis", "mutation", "gates")
    }
    config = {"search": "harden", "benchmark": {"kind": "finqa"}, "models": models}
    return json.dumps(config | {"providers": {"p": offline}} | changes)


def test_an_engine_that_cannot_start_says_why_in_its_own_words(tmp_path: Path) -> None:
    gone = {"kind": "finqa", "path": str(tmp_path / "gone.json")}
    run = new_run(tmp_path, state="starting", config=_config(benchmark=gone))
    with pytest.raises(
        EvoscopeError, match=r"demo: the engine could not start: .*gone\.json"
    ) as caught:
        launch.start_engine(run.path)
    assert caught.value.exit_code == 2


def test_a_missing_key_stops_the_start_before_any_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    provider = {"kind": "anthropic", "key_env": "MY_KEY"}
    run = new_run(tmp_path, state="paused", config=_config(providers={"p": provider}))
    with pytest.raises(ConfigError, match="demo: not set: MY_KEY"):
        launch.start_engine(run.path)
    assert not log_file(run.path).exists()


def test_an_engine_without_a_sign_of_life_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(tmp_path, state="starting", config=_config())
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr("evoscope.engine.launch.sys.executable", str(sleeper))
    with pytest.raises(EvoscopeError, match=r"gave no sign of life for 0\.3 s and was ended"):
        launch.start_engine(run.path, timeout_s=0.3)
