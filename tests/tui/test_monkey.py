"""Five thousand random keys on a run whose engine works: nothing breaks, nothing is ordered."""

import random
import time
from pathlib import Path

import pytest

from evoscope.engine.store.reader import Reader
from evoscope.tui.app import EvoscopeApp
from evoscope.tui.settings import load
from tests.tui.fuzzers import pressed
from tests.tui.kit import NOWHERE, Driven, run_pages
from tests.tui.test_tmux import demo, evoscope, stop, wait_for_node

pytestmark = pytest.mark.slow
PRESSED = {"pause", "resume", "set", "unveto", "label"}
"""Orders that one key gives, which nobody has to confirm."""


async def test_random_keys_on_a_live_run_break_nothing_and_order_nothing(tmp_path):
    runs = tmp_path / "runs"
    evoscope(*demo("quiet", runs, 0.0, "--headless"))
    evoscope(*demo("live", runs, 2.0, "--detach"))
    run = runs / "live.evo"
    wait_for_node(run, "survivor")
    try:
        await press_at_random(run)
        until_taken(run)
        with Reader(run) as reader:
            kinds = {kind for (kind,) in reader.rows("SELECT kind FROM command")}
        assert kinds and kinds <= PRESSED, "typed in a burst, nothing is confirmed"
        evoscope("resume", str(run), "--headless")
    finally:
        stop(run)
    assert evoscope("digest", str(run)) == evoscope("digest", str(runs / "quiet.evo"))


def until_taken(run: Path, seconds: float = 20) -> None:
    """Wait until the engine has taken every order."""
    inbox, end = run.with_name(f"{run.name}.d") / "inbox", time.monotonic() + seconds
    while any(inbox.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.1)


async def press_at_random(run: Path) -> None:
    """Five thousand keys, some pastes, some sizes; real orders to a real engine."""
    rng, keys = random.Random(20261130), pressed()
    app = EvoscopeApp(run_pages(run), load(NOWHERE))
    async with app.run_test(size=(80, 24)) as pilot:
        driven = Driven(app, pilot)
        for number in range(5_000):
            key = rng.choice(keys)
            app.take_key(key, " " if key == "space" else key if len(key) == 1 else None)
            if number % 20 == 0:
                await pilot.pause(0.02)
            if number % 400 == 399:
                await pilot.resize_terminal(*rng.choice(((80, 24), (160, 50), (60, 15), (10, 3))))
            if number % 500 == 499:
                app.take_paste("Q\ty\r\nyes\r\n")
        driven.check()
        with Reader(run) as reader:
            (state,) = reader.row("SELECT value FROM meta WHERE key = 'state'") or ("?",)
        assert state in ("running", "paused"), "the run went on while the keys were pressed"
