"""Two fuzzers and a monkey: sizes, hostile strings, thousands of keys."""

import pytest

from tests.tui.fuzzers import (
    SIZES,
    press_at_random,
    shows_hostile_strings,
    stands_every_size,
    whole,
)
from tests.tui.kit import driven

WAYS = (
    "1", "2", "2 tab", "3", "4", "5", "6", "8", "2 tab j j i", "2 tab j j i 2", "2 tab j j i 3",
    "2 tab j j i 4", "2 tab j j i 5", "2 tab j j i 6", "2 tab j j v", "escape", "?", ":", "5 f",
    "5 /", "b", "t", "L", "L y r",
)  # fmt: skip


@pytest.mark.parametrize("file", ["small", "hostile"])
async def test_every_page_stands_every_size(request, file):
    async with driven(request.getfixturevalue(file)) as app:
        await stands_every_size(app, WAYS)


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
    async with driven(hostile, size=(120, 40)) as app:
        await shows_hostile_strings(app, WAYS)


async def test_five_thousand_random_keys_break_nothing_and_command_nothing(small):
    async with driven(small) as app:
        await press_at_random(app, 5_000)
