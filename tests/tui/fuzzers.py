"""What every page must stand: any size, hostile strings, plain ASCII, random keys."""

import random

from evoscope.tui import keymap
from evoscope.tui.lines import line_width

SIZES = ((200, 60), (80, 24), (60, 15), (40, 12), (25, 8), (10, 3), (1, 1), (80, 24))


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


async def stands_every_size(app, ways):
    """Draws the pages that some keys lead to at every size."""
    for keys in ways:
        await app.press(*keys.split())
        for width, height in SIZES:
            lines = app.app.canvas._frame(width, height)
            assert len(lines) == height
            assert all(line_width(line) == width for line in lines)
        await home(app)


async def shows_hostile_strings(app, ways):
    """At 120x40, shows them on the pages that some keys lead to, and sends none of them."""
    seen = ""
    for keys in ways:
        await app.press(*keys.split())
        whole(app, (120, 40))
        seen += app.text
        if (shown := app.top.shown()) is not None:
            text = "".join(shown.parts())
            assert all(char.isprintable() or char == "\n" for char in text)
        await home(app)
    for part in ("[red]bold[/red]", "\N{SYMBOL FOR ESCAPE}", "⟨202E⟩", "表"):
        assert part in seen, part


async def is_ascii(app, ways):
    """Sends nothing but ASCII at 80x24."""
    for keys in ways:
        await app.press(*keys.split())
        for y in range(24):
            assert app.app.canvas.render_line(y).text.isascii(), (keys, y)
        await home(app)


HARMLESS = {"detach", "export", "pager", "copy"}


def pressed():
    """Every key but those that leave or write files; those that move and edit three times more."""
    pages = keymap.DEFAULT.keys
    keys = [key for name, own in pages.items() if name not in HARMLESS for key in own]
    return keys + ["enter", "escape", "tab", "a", "1", "backspace", "left", "right"] * 3


async def press_at_random(app, presses):
    """Any keys but those that leave or write files; a paste and another size now and then."""
    rng, keys = random.Random(20261129), [key for key in pressed() if key != "7"]
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
