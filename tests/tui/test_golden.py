"""Screens as text, kept in `golden/`; EVOSCOPE_GOLDEN=write writes them anew.

Look at what changed before keeping it.
"""

import os
import re
from pathlib import Path

import pytest

from evoscope.tui.settings import load
from tests.tui.kit import NOWHERE, driven

GOLDEN = Path(__file__).parent / "golden"
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "60x15": (60, 15)}
WAYS = {
    "overview": "1", "tree": "2 tab j j", "axes": "3", "archive": "4 j", "ledger": "5",
    "calls": "6", "log": "8", "diff": "2 tab j j j i", "verdicts": "2 tab j j j i 2",
    "rollouts": "2 tab j j j i 3", "lineage": "2 tab j j j i 4", "veto": "2 tab j j j v",
    "runs": "escape", "help": "?", "palette": ":", "filter": "5 f",
}  # fmt: skip


def compare(name: str, now: str) -> None:
    """The file of that name holds this text."""
    path = GOLDEN / name
    if os.environ.get("EVOSCOPE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(now, encoding="utf-8")
    assert path.exists(), f"{path} is missing; EVOSCOPE_GOLDEN=write makes it"
    assert now == path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("size", SIZES)
async def test_screens_look_as_they_did(golden_run, size):
    async with driven(golden_run, SIZES[size]) as app:
        for name, keys in WAYS.items():
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            # A folder's name may be of any length, so what follows it may be cut anywhere.
            text = re.sub(r"Runs in .*", "Runs in /runs", text)
            compare(f"{name}-{size}.txt", text)
            while len(app.app.stack) > 1:
                app.app.pop()
            await app.settle()
            await app.press("enter")


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("theme", "keys"), [("dusk", "2 tab j"), ("paper", "2 tab j j j i"), ("okabe", "5"),
                        ("contrast", "1")]
)  # fmt: skip
async def test_colours_look_as_they_did(golden_run, theme, keys):
    settings = load(NOWHERE)
    settings.theme = settings.themes[theme]
    async with driven(golden_run, (80, 24), settings) as app:
        await app.press(*keys.split())
        await app.pilot.pause()
        compare(f"{theme}.svg", app.app.export_screenshot(title="evoscope", simplify=True))


@pytest.mark.usefixtures("utc")
async def test_ascii_screens_are_ascii(golden_run):
    async with driven(golden_run, ascii_only=True) as app:
        for keys in ("1", "2", "3", "4", "5", "6", "8", "2 tab j i", "escape escape"):
            await app.press(*keys.split())
            for y in range(24):
                assert app.app.canvas.render_line(y).text.isascii(), (keys, y)
