"""Signals, pauses, stops, budgets and owners of a real engine."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from decimal import Decimal
from pathlib import Path

import pytest

from evoscope.engine.store.status import read_status
from tests.e2e.kit import Run, ServerThread, wait_until, wire_config
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer

LATENCY = Rule("latency", args={"low": 0.02, "high": 0.06})
PRICE = {"input": "10", "output": "30"}


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with ServerThread([LATENCY]) as server:
        yield server


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """Digest and number of calls of the run when nobody disturbs it."""
    with ServerThread() as server:
        run = Run(tmp_path_factory.mktemp("whole") / "run.evo", wire_config(server)).make()
        assert run.finish() == 0
        return run.digest(), server.stats.seen


@pytest.fixture
def run(server: LlmServer, tmp_path: Path) -> Iterator[Run]:
    """A run in the middle of its calls."""
    run = Run(tmp_path / "run.evo", wire_config(server)).make()
    run.begin()
    wait_until(lambda: server.stats.seen > 30, "a first part of the run")
    yield run
    run.end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_engine_and_loses_nothing(
    run: Run, server: LlmServer, whole: tuple[str, int], number: signal.Signals
) -> None:
    run.engines[-1].send_signal(number)
    assert run.engines[-1].wait(30) == 3
    assert run.meta("state") == "stopped" and number.name in run.meta("reason")
    assert run.count("call WHERE status IN ('sent', 'ambiguous')") == 0
    assert run.finish() == 0
    assert run.digest() == whole[0]
    assert server.stats.seen == whole[1], "a call was paid twice"
    assert run.count("attempt WHERE outcome = 'ambiguous'") == 0


def test_a_pause_outlives_the_engine_and_resume_lifts_it(
    run: Run, server: LlmServer, whole: tuple[str, int]
) -> None:
    assert run.cli("pause", run.path, "--reason", "lunch").code == 0
    assert run.wait_state("paused") == "lunch"
    assert run.cli("wait", run.path).code == 3
    run.kill()
    seen = server.stats.seen
    run.begin()
    wait_until(lambda: (b := read_status(run.path)).alive and b.state == "paused", "new engine")
    assert server.stats.seen == seen
    assert run.cli("resume", run.path, "--headless").code == 0
    assert run.engines[-1].wait(30) == 0
    assert run.digest() == whole[0] and server.stats.seen == whole[1]


def test_a_pause_now_cuts_calls_off_and_lists_them(
    run: Run, server: LlmServer, whole: tuple[str, int]
) -> None:
    server.rules = [Rule("delay", args={"seconds": 20})]
    wait_until(lambda: server.stats.in_flight > 1, "slow calls")
    assert run.cli("pause", run.path, "--now").code == 0
    run.wait_state("paused")
    cut = run.count("attempt WHERE outcome = 'ambiguous' AND maybe_paid = 1")
    assert cut > 1
    server.rules = []
    assert run.cli("resume", run.path, "--headless").code == 0
    assert run.digest() == whole[0]
    assert server.stats.seen - whole[1] <= cut


def test_a_stop_ends_with_three_and_a_second_engine_is_refused(
    run: Run, server: LlmServer, whole: tuple[str, int]
) -> None:
    assert run.cli("pause", run.path).code == 0
    second = run.cli("_engine", run.path)
    assert second.code == 1 and "is run by process" in second.err
    assert str(run.engines[0].pid) in second.err
    assert run.cli("stop", run.path, "--reason", "enough").code == 0
    assert run.engines[0].wait(30) == 3
    assert (run.meta("state"), run.meta("reason")) == ("stopped", "enough")
    assert run.cli("stop", run.path).code == 2
    assert run.cli("resume", run.path, "--headless").code == 0
    assert run.digest() == whole[0] and server.stats.seen == whole[1]


def test_an_engine_whose_run_was_taken_over_writes_nothing_more(
    run: Run, whole: tuple[str, int]
) -> None:
    first = run.engines[-1]
    freeze_between_commits(run)
    (run.path.with_name("run.evo.d") / "lock").unlink()
    second = run.begin()
    wait_until(lambda: int(run.meta("epoch")) == 2, "takeover")
    first.send_signal(signal.SIGCONT)
    assert first.wait(30) == 1
    assert "another engine took this run over" in log_of(run)
    assert second.wait(60) == 0
    assert run.digest() == whole[0]
    assert run.cli("verify", run.path).code == 0


def freeze_between_commits(run: Run) -> None:
    """Stop the engine's process where it holds no lock of SQLite's, which nobody could break."""
    while True:
        run.engines[-1].send_signal(signal.SIGSTOP)
        db = sqlite3.connect(run.path, isolation_level=None, timeout=0)
        with closing(db), suppress(sqlite3.OperationalError):
            db.execute("BEGIN IMMEDIATE")
            return
        run.engines[-1].send_signal(signal.SIGCONT)
        time.sleep(0.01)


def log_of(run: Run) -> str:
    folder = run.path.with_name("run.evo.d")
    return "".join((folder / name).read_text() for name in ("engine.log", "out.txt"))


def test_a_reached_budget_pauses_and_a_higher_one_goes_on(
    server: LlmServer, tmp_path: Path, whole: tuple[str, int]
) -> None:
    changes = {f"models.{role}.price": PRICE for role in ("task", "analysis", "mutation", "gates")}
    limits = {"models.task.max_tokens": 200, "models.gates.max_tokens": 200}
    asked = {"models.analysis.max_tokens": 200, "models.mutation.max_tokens": 200}
    config = wire_config(server, **changes, **limits, **asked, budget="0.05")
    run = Run(tmp_path / "run.evo", config).make()
    engine = run.begin()
    try:
        reason = run.wait_state("paused", "failed", "finished")
        assert "budget of $0.05 reached" in reason and "evoscope set RUN budget" in reason
        costs = run.query("SELECT cost FROM call WHERE cost IS NOT NULL")
        spent = sum(Decimal(cost) for (cost,) in costs)
        assert 0 < spent <= Decimal("0.05")
        seen = server.stats.seen
        assert run.cli("set", run.path, "budget=50").code == 0
        assert server.stats.seen == seen
        assert run.cli("resume", run.path, "--headless").code == 0
        assert engine.wait(30) == 0
    finally:
        run.end()


def test_a_spend_limit_pauses_with_its_reason_and_is_never_a_result(
    run: Run, server: LlmServer, whole: tuple[str, int]
) -> None:
    server.rules = [Rule("spend_limit_429")]
    reason = run.wait_state("paused")
    assert "spend limit" in reason and "wire" in reason
    server.rules = []
    assert run.cli("resume", run.path, "--headless").code == 0
    assert run.engines[-1].wait(30) == 0
    assert run.digest() == whole[0]
    assert run.count("call WHERE status = 'failed'") == 0


def test_leaving_the_watcher_leaves_the_engine_working(
    server: LlmServer, tmp_path: Path, whole: tuple[str, int]
) -> None:
    run = Run(tmp_path / "run.evo", wire_config(server)).make()
    command = [sys.executable, "-m", "evoscope.cli.main", "resume", str(run.path), "--headless"]
    watcher = subprocess.Popen(
        command, env={**os.environ, "OPENROUTER_API_KEY": "k"}, stderr=subprocess.PIPE
    )
    wait_until(lambda: server.stats.seen > 10, "a first part of the run")
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=30)
    assert run.cli("wait", run.path).code == 0
    assert run.digest() == whole[0]
    assert json.loads(run.cli("status", run.path, "--json").out)["state"] == "finished"
