"""The summary of a run: counts, effect, money, and whether its engine lives."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.engine.heartbeat import process_runs, read_heartbeat
from evoscope.engine.store.lock import process_start
from evoscope.engine.store.status import read_status
from tests.store_builder import new_run, small_run


def test_a_finished_run_is_summed_up(tmp_path: Path) -> None:
    status = read_status(small_run(tmp_path).path)
    assert (status.name, status.state, status.done, status.total) == ("demo", "finished", 2, 2)
    assert (status.calls.completed, status.calls.ambiguous, status.calls.retries) == (1, 1, 1)
    assert (status.calls.cost, status.calls.cost_source) == (Decimal("0.25"), "provider")
    assert (status.budget, status.calls.maybe_paid) == (Decimal(5), Decimal("0.1"))
    effect = status.effect
    assert (effect.cases, effect.hardened, effect.scored) == (2, 1, 2)
    assert (effect.fresh_before, effect.fresh_after) == (Fraction(9, 10), Fraction(3, 4))
    assert effect.selection_after == Fraction(13, 20)
    assert (effect.saved_by_vote_stopping, effect.saved_by_racing) == (3, 5)


def test_an_unknown_price_is_unknown_and_never_zero(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.sql("UPDATE call SET cost = NULL")
    assert read_status(run.path).calls.cost is None
    assert read_status(run.path).calls.cost_source == "unknown"


def test_a_price_that_is_known_for_some_calls_only_has_no_known_source(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.call("a|rollout|a/g1/i0|1|0|0")
    calls = read_status(run.path).calls
    assert (calls.cost, calls.cost_source) == (Decimal("0.25"), "unknown")


def test_a_budget_that_was_set_later_counts(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.meta(**{"set:budget": "7.50"})
    assert read_status(run.path).budget == Decimal("7.5")
    run.meta(**{"set:budget": "none"})
    assert read_status(run.path).budget is None


@pytest.mark.parametrize("state", ["starting", "running", "pausing", "paused", "stopping"])
def test_an_active_run_without_its_engine_is_lost(tmp_path: Path, state: str) -> None:
    run = new_run(tmp_path, state=state)
    assert read_status(run.path).state == "lost"
    run.heartbeat()
    assert read_status(run.path).state == state
    run.heartbeat(start_time="1")
    assert read_status(run.path).state == "lost"
    run.heartbeat(boot_id="another boot")
    status = read_status(run.path)
    assert (status.state, status.alive) == ("lost", False)
    assert status.reason.startswith(f"was {state}; the engine (process ")


@pytest.mark.parametrize("state", ["finished", "stopped", "failed"])
def test_an_ended_run_is_not_lost(tmp_path: Path, state: str) -> None:
    assert read_status(new_run(tmp_path, state=state).path).state == state


@pytest.mark.parametrize(("age", "state"), [(10, "running"), (120, "lost")])
def test_an_engine_on_another_host_is_judged_by_its_silence(
    tmp_path: Path, age: int, state: str
) -> None:
    run = new_run(tmp_path, state="running")
    written = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
    run.heartbeat(host="elsewhere", time=written)
    assert read_status(run.path).state == state


def test_a_process_that_ended_does_not_run_even_as_a_zombie() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    started = process_start(child.pid)
    assert process_runs(child.pid, started)
    child.kill()
    while Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        pass
    assert not process_runs(child.pid, started)
    child.communicate()
    assert not process_runs(child.pid, "")


@pytest.mark.parametrize("text", ["", "[]", '{"pid": 1}', "{", '{"time": 3}'])
def test_a_broken_heartbeat_is_none(tmp_path: Path, text: str) -> None:
    run = new_run(tmp_path)
    run.heartbeat()
    (tmp_path / "demo.evo.d" / "heartbeat.json").write_text(text)
    assert read_heartbeat(run.path) is None


def test_a_heartbeat_keeps_what_it_says_besides(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    run.heartbeat(in_flight=7, lanes=[{"model": "m"}], reused=3)
    beat = read_heartbeat(run.path)
    assert beat is not None
    assert (beat.in_flight, beat.lanes[0]["model"], beat.extra) == (7, "m", {"reused": 3})


def test_the_time_left_is_a_range_from_this_session_s_rate(tmp_path: Path) -> None:
    run = new_run(tmp_path, state="running", progress_total="14")
    run.heartbeat()
    assert read_status(run.path).eta_s is None
    start = datetime.now(UTC) - timedelta(seconds=100)
    run.insert("event", {"time": start.isoformat(), "kind": "running", "tbl": "meta", "ref": ""})
    for place in range(10):
        ended = start + timedelta(seconds=-1 if place < 6 else 10)  # six of an earlier session
        run.insert("unit", {
            "id": f"{place}", "kind": "case", "ord": place, "state": "done",
            "result": json.dumps({"case": str(place), "shard": 0, "status": "kept",
                                  "original": "o", "final": None}),
            "ended": ended.isoformat(),
        })  # fmt: skip
    low, high = read_status(run.path).eta_s or (0, 0)
    assert low == pytest.approx(100 / 1.5, abs=2)
    assert high == pytest.approx(100 * 1.5, abs=3)


def test_parked_units_are_listed(tmp_path: Path) -> None:
    run = small_run(tmp_path, state="stopped")
    run.sql("UPDATE unit SET state = 'parked' WHERE id = 'b'")
    status = read_status(run.path)
    assert (status.done, status.parked) == (1, ("b",))
