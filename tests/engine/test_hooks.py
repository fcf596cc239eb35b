"""The user's hook: what it gets, and that a run never suffers from it."""

import asyncio
import json
import logging
import time
from pathlib import Path

import pytest

from evoscope.engine import hooks as module
from evoscope.engine.hooks import Hooks


async def test_the_command_gets_one_json_line_on_standard_input(tmp_path: Path) -> None:
    out = tmp_path / "told"
    hooks = Hooks(f"cat >> {out}", "night")
    hooks.state("paused", "budget reached: «ü»")
    await hooks.close()
    (line,) = out.read_text().splitlines()
    told = json.loads(line)
    assert told["time"].endswith("Z")
    del told["time"]
    assert told == {"event": "paused", "run": "night", "reason": "budget reached: «ü»"}


async def test_only_what_a_person_wants_to_know_is_told_and_only_once(tmp_path: Path) -> None:
    hooks = Hooks(f'cat > "{tmp_path}/$$"', "r")
    for state in ("starting", "running", "pausing", "paused", "paused", "running", "stopping"):
        hooks.state(state, "")
    for state in ("budget_80", "failed", "finished", "stopped"):
        hooks.state(state, "why")
    await hooks.close()
    events = [json.loads(path.read_text())["event"] for path in tmp_path.iterdir()]
    assert sorted(events) == ["budget_80", "error", "finished", "paused", "stopped"]


async def test_a_slow_command_blocks_nobody_and_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.2)
    hooks = Hooks("sleep 60 & sleep 60", "r")
    started = time.monotonic()
    hooks.state("finished", "")
    assert time.monotonic() - started < 0.1
    await hooks.close()
    assert time.monotonic() - started < 5
    assert "took more than" in caplog.text


async def test_closing_ends_a_command_that_still_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LAST_WORDS_S", 0.2)
    mark = tmp_path / "alive"
    hooks = Hooks(f"sleep 1; touch {mark}", "r")
    hooks.state("finished", "")
    await hooks.close()
    await asyncio.sleep(1.2)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [("echo broken >&2; exit 3", "ended with 3: broken"), ("/no/such/program", "ended with 127")],
)
async def test_a_failing_command_is_logged(
    command: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    hooks = Hooks(command, "r")
    hooks.state("paused", "x" * 100_000)  # it reads none of it
    await hooks.close()
    assert said in caplog.text


async def test_no_command_means_nothing_happens() -> None:
    hooks = Hooks(None, "r")
    hooks.state("finished", "")
    await hooks.close()
