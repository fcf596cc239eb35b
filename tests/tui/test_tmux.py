"""A whole story in tmux, with a real engine: watch, inspect, veto, pause, lose the line, resume.

And the engine never notices: apps that are killed, hung up or stopped change nothing of the result.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tui.terminal import Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]
EVOSCOPE = (sys.executable, "-m", "evoscope.cli.main")
SMALL = ("benchmark.sample=4", "harden.generations=3", "harden.offspring=5", "harden.survivors=3")


def evoscope(*words: str) -> str:
    """Run a command, which must succeed."""
    done = subprocess.run([*EVOSCOPE, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def demo(name: str, folder: Path, latency: float, *more: str) -> tuple[str, ...]:
    """The words that start a demonstration of four cases."""
    settings = (*SMALL, f"providers.offline.faults.latency_s={latency}")
    sets = [part for setting in settings for part in ("--set", setting)]
    return ("demo", "--name", name, "--dir", str(folder), *sets, *more)


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, folder: Path, size: tuple[int, int]) -> None:
        self.socket, self.folder, self.size = str(folder / "tmux"), folder, size

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self.socket, *words], capture_output=True, text=True, timeout=20
        )
        return done.stdout

    def start(self, *words: str) -> None:
        """Run a command of ours in the window."""
        width, height = self.size
        line = " ".join([*EVOSCOPE, *words])
        shell = f"cd {self.folder}; TERM=xterm-256color {line}; echo left with $?; sleep 60"
        size = ("-x", str(width), "-y", str(height))
        self("-f", "/dev/null", "new-session", "-d", *size, shell)

    def keys(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            self("send-keys", key)
            time.sleep(0.15)

    def shows(self, *words: str, seconds: float = 40) -> str:
        """Wait until all the words stand on the screen."""
        end = time.monotonic() + seconds
        while True:
            text = self("capture-pane", "-p")
            if all(word in text for word in words):
                return text
            assert time.monotonic() < end, f"{words} did not come:\n{text}"
            time.sleep(0.1)

    def kill(self) -> None:
        """The connection is lost."""
        self("kill-server")


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_a_run_from_start_to_report_with_a_lost_line_between(tmp_path, size):
    tmux = Tmux(tmp_path, size)
    runs = tmp_path / "runs"
    tmux.start(*demo("story", runs, 2.0))
    try:
        tmux.shows("story", "running", "OFFLINE", "last verdicts")
        wait_for_node(runs / "story.evo", "rejected")
        tmux.keys("2", "x")
        tmux.shows("g1.")
        tmux.keys("i")
        tmux.shows("rejected", "vs parent")
        tmux.keys("2")
        tmux.shows("✗ fail")
        tmux.keys("Escape")
        wait_for_node(runs / "story.evo", "survivor")
        tmux.keys("4")
        tmux.shows("kept nodes", "survivor")
        tmux.keys("p")
        tmux.shows("paus")
        tmux.keys("i", "3")
        tmux.shows("mean", "task")
        tmux.keys("v")
        tmux.shows("descendant")
        tmux("send-keys", "-l", "not natural")
        tmux.keys("Tab")
        time.sleep(0.4)
        tmux.keys("Enter")
        tmux.shows("veto done")
        tmux.keys("u")
        tmux.shows("unveto done")
        tmux.keys("Escape")
        tmux.shows("paused")
        tmux.keys("q")
        tmux.shows("left with 0")
        tmux.kill()
        assert "paused" in evoscope("status", "story", "--dir", str(runs))
        tmux.start("attach", "story", "--dir", str(runs))
        tmux.shows("paused")
        tmux.keys("p")
        tmux.shows("running")
        tmux.shows("finished", seconds=90)
        tmux.keys("7")
        tmux.shows("Accuracy", seconds=60)
    finally:
        tmux.kill()
        stop(runs / "story.evo")
    evoscope("verify", str(runs / "story.evo"))


def test_a_veto_in_the_app_takes_descendants_and_the_next_selection_says_so(tmp_path):
    tmux, runs = Tmux(tmp_path, (100, 30)), tmp_path / "runs"
    tmux.start(*demo("veto", runs, 1.0))
    try:
        tmux.shows("veto", "running", "last verdicts")
        parent = wait_for_node(runs / "veto.evo", "parent")
        tmux.keys("p")
        tmux.shows("paused")
        tmux.keys("5", "f")
        tmux("send-keys", "-l", f"node={parent}")
        tmux.keys("Enter", "v")
        tmux.shows("descendant")
        tmux("send-keys", "-l", "changes the question")
        tmux.keys("Tab")
        time.sleep(0.4)
        tmux.keys("Enter")
        tmux.shows("veto done")
        tmux.keys("p")
        tmux.shows("finished", seconds=90)
        tmux.keys("Enter", "4")
        assert re.search(r"without [1-9]\d* vetoed", tmux.shows("chosen"))
    finally:
        tmux.kill()
        stop(runs / "veto.evo")


def test_the_engine_never_notices_what_becomes_of_its_apps(tmp_path):
    runs = tmp_path / "runs"
    evoscope(*demo("quiet", runs, 0.0, "--headless"))
    evoscope(*demo("watched", runs, 2.0, "--detach"))
    run = runs / "watched.evo"
    try:
        with (
            Terminal(run) as killed,
            Terminal(run) as hung_up,
            Terminal(run) as stopped,
            Terminal(run) as unread,
        ):
            for terminal in (killed, hung_up, stopped, unread):
                terminal.until("OFFLINE")
            killed.kill(signal.SIGKILL)
            hung_up.kill(signal.SIGHUP)
            os.kill(stopped.pid, signal.SIGSTOP)
            time.sleep(30)
            assert "running" in evoscope("status", str(run))
            os.kill(stopped.pid, signal.SIGCONT)
            for terminal in (stopped, unread):
                terminal.type("2")
                terminal.until("source order")
            evoscope("wait", str(run), "--timeout", "110")
            stopped.until("finished")
    finally:
        stop(run)
    assert evoscope("digest", str(run)) == evoscope("digest", str(runs / "quiet.evo"))


def wait_for_node(run: Path, state: str, seconds: float = 60) -> str:
    """The first node that gets a state."""
    from evoscope.engine.store.reader import Reader

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with Reader(run) as reader:
            row = reader.row(
                "SELECT id FROM node WHERE state = ? AND generation > 0 LIMIT 1", (state,)
            )
        if row is not None:
            return str(row[0])
        time.sleep(0.2)
    raise AssertionError(f"no node became a {state}")


def stop(run: Path) -> None:
    """End the engine, if it still runs."""
    subprocess.run([*EVOSCOPE, "stop", str(run)], capture_output=True, timeout=60, check=False)
