"""Two fuzzers and a monkey: sizes, hostile strings, thousands of keys."""

import random

import pytest

from evoscope.tui import keymap
from evoscope.tui.lines import line_width
from tests.tui.kit import driven

SIZES = ((200, 60), (80, 24), (60, 15), (40, 12), (25, 8), (10, 3), (1, 1), (80, 24))
WAYS = (
    "1", "2", "2 tab", "3", "4", "5", "6", "8", "2 tab j j i", "2 tab j j i 2", "2 tab j j i 3",
    "2 tab j j i 4", "2 tab j j i 5", "2 tab j j i 6", "2 tab j j v", "escape", "?", ":", "5 f",
    "5 /", "b", "t", "L", "L y r",
)  # fmt: skip


async def home(app):
    """Back to the run's page."""
    while len(app.app.stack) > 2:
        app.app.stack.pop()
    if len(app.app.stack) == 1:
        await app.press("enter")


def whole(app, size):
    """Every line is exactly as wide as the screen, and there are as many as it has."""
    width, height = size
    lines = app.app.canvas.lines
    assert len(lines) == height
    assert all(line_width(line) == width for line in lines)
    for y in range(height):
        strip = app.app.canvas.render_line(y)
        assert strip.cell_length == width
        assert strip.text.isprintable() or strip.text == "", repr(strip.text)


@pytest.mark.parametrize("file", ["small", "hostile"])
async def test_every_page_stands_every_size(request, file):
    async with driven(request.getfixturevalue(file)) as app:
        for keys in WAYS:
            await app.press(*keys.split())
            for width, height in SIZES:
                lines = app.app.canvas._frame(width, height)
                assert len(lines) == height
                assert all(line_width(line) == width for line in lines)
            await home(app)


@pytest.mark.parametrize("keys", ["1", "2 tab", "5", "2 tab j j i", "2 tab j j v"])
async def test_a_terminal_may_be_resized_at_any_time(small, keys):
    async with driven(small) as app:
        await app.press(*keys.split())
        for size in SIZES:
            await app.resize(*size)
            whole(app, size)
            await app.press("j", "k")


async def test_a_screen_that_is_too_small_says_so(small):
    async with driven(small, size=(59, 24)) as app:
        assert "too small" in app.text
        await app.resize(60, 15)
        assert "Overview" in app.text


async def test_hostile_strings_are_shown_and_never_sent(hostile):
    seen = ""
    async with driven(hostile, size=(120, 40)) as app:
        for keys in WAYS:
            await app.press(*keys.split())
            whole(app, (120, 40))
            seen += app.text
            if (shown := app.top.shown()) is not None:
                text = "".join(shown.parts())
                assert all(char.isprintable() or char == "\n" for char in text)
            await home(app)
    for part in ("[red]bold[/red]", "\N{SYMBOL FOR ESCAPE}", "⟨202E⟩", "表"):
        assert part in seen, part


HARMLESS = {"detach", "export", "pager", "copy"}


async def press_at_random(app, presses):
    """Any keys but those that leave or write files; a paste and another size now and then."""
    rng = random.Random(20261129)
    pages = keymap.DEFAULT.keys
    keys = [key for name, own in pages.items() if name not in HARMLESS for key in own]
    keys = [key for key in keys if key != "7"]
    keys += ["enter", "escape", "tab", "a", "1", "backspace", "left", "right"] * 3
    for number in range(presses):
        key = rng.choice(keys)
        character = {"space": " "}.get(key, key if len(key) == 1 else None)
        app.app.take_key(key, character)
        if number % 10 == 0:
            await app.settle()
        if number % 400 == 399:
            await app.resize(*rng.choice(SIZES))
        if number % 500 == 499:
            app.app.take_paste("Q\ty\r\nyes\r\n")
    await app.settle()
    app.check()
    kinds = {kind for kind, _, _ in app.sent}
    assert not kinds & {"stop", "veto", "skip"}, "typed in a burst, nothing is confirmed"


async def test_five_thousand_random_keys_break_nothing_and_command_nothing(small):
    async with driven(small) as app:
        await press_at_random(app, 5_000)
