"""Waiting for a run and following it: exit codes, new lines, an end."""

import json
import re
import threading
import time
from pathlib import Path

import pytest

from evoscope.cli.watch import watch
from tests.cli.conftest import Cli
from tests.store_builder import T0, small_run


@pytest.mark.parametrize(
    ("state", "code"),
    [("finished", 0), ("failed", 1), ("stopped", 3), ("running", 1)],
)
def test_wait_exits_with_the_run_s_code(cli: Cli, tmp_path: Path, state: str, code: int) -> None:
    small_run(tmp_path, state=state, reason="why not")
    printed = cli("wait", "demo")
    assert (printed.code, printed.out) == (code, "")
    assert printed.err.startswith(f"demo {'lost' if state == 'running' else state}: ")


def test_wait_ends_when_the_run_pauses(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    run.heartbeat()
    later = threading.Timer(0.3, lambda: run.meta(state="paused", reason="budget reached"))
    later.start()
    printed = cli("wait", "demo")
    later.join()
    assert printed.code == 3
    assert "demo paused: budget reached; evoscope resume demo goes on" in printed.err


def test_wait_gives_up_after_its_time(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path, state="running").heartbeat()
    printed = cli("wait", "demo", "--timeout", 0.2)
    assert printed.code == 3 and "still running after 0.2 s" in printed.err


def test_follow_prints_what_comes_until_the_end(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path, state="running")
    run.heartbeat()

    def engine() -> None:
        time.sleep(0.3)
        run.verdict("a/g2/i0", "realism", 0, "pass", reason="fine\x07")
        run.insert("event", {"time": T0, "kind": "finished", "tbl": "meta", "ref": "state"})
        run.meta(state="finished")

    thread = threading.Thread(target=engine)
    thread.start()
    printed = cli("follow", "demo")
    thread.join()
    assert printed.code == 0
    lines = [line.split(" ", 1)[1] for line in printed.out.splitlines()]
    assert lines[:3] == [
        "a/g1/i1 correctness vote 1 pass: correctness says pass",
        "a/g1/i1 correctness vote 2 fail: the year␛[31m is gone",
        "a/g1/i1 validity pass: validity says pass",
    ]
    assert lines[-2:] == ["a/g2/i0 realism vote 1 pass: fine␇", "finished"]


def test_follow_shows_the_last_ten_or_everything(cli: Cli, tmp_path: Path) -> None:
    run = small_run(tmp_path)
    for vote in range(15):
        run.verdict("a/g2/i0", "realism", vote, "pass")

    def verdicts(*words: str) -> int:
        lines = map(json.loads, cli("follow", "demo", "--jsonl", *words).out.splitlines())
        return sum(line["type"] == "verdict" for line in lines)

    assert (verdicts(), verdicts("--from-start")) == (10, 18)


def test_plain_progress_ends_with_the_state_in_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = small_run(tmp_path, state="running")
    run.heartbeat(in_flight=4)
    later = threading.Timer(0.7, lambda: run.meta(state="finished"))
    later.start()
    assert watch(run.path) == 0
    later.join()
    printed = capsys.readouterr()
    assert "demo  running  OFFLINE  2/2 cases  4 in flight" in printed.err
    assert re.search(r"^state +finished$", printed.out, re.MULTILINE)


def test_leaving_the_progress_leaves_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, state="running")
    run.heartbeat()

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evoscope.cli.watch.time.sleep", interrupt)
    assert watch(run.path) == 3
    assert "left; demo goes on" in capsys.readouterr().err
