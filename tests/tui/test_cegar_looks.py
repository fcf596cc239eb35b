"""A cegar run's tabs and sides at every size and on hostile strings, and how they look."""

import pytest

from tests.tui import fuzzers
from tests.tui.kit import driven
from tests.tui.test_golden import SIZES, compare

WAYS = {
    "overview": "1", "tree": "2 j j j", "axes": "3 j j", "archive": "4", "ledger": "5",
    "pair": "2 * i", "source": "2 * i 2", "flags": "2 * i 3", "class": "2 * i 4",
    "calls": "2 * i 7", "target": "2 g j enter", "veto": "2 * v",
}  # fmt: skip


@pytest.fixture(params=["cegar_run", "cegar_hostile"])
def either(request):
    return request.getfixturevalue(request.param)


async def test_every_page_stands_every_size(either):
    async with driven(either) as app:
        await fuzzers.stands_every_size(app, WAYS.values())


async def test_hostile_strings_are_shown_and_never_sent(cegar_hostile):
    async with driven(cegar_hostile, size=(120, 40)) as app:
        await fuzzers.shows_hostile_strings(app, WAYS.values())


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("size", SIZES)
async def test_screens_look_as_they_did(cegar_run, size):
    async with driven(cegar_run, SIZES[size]) as app:
        for name, keys in WAYS.items():
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            compare(f"cegar-{name}-{size}.txt", text)
            await fuzzers.home(app)


@pytest.mark.usefixtures("utc")
async def test_ascii_screens_are_ascii(cegar_run):
    async with driven(cegar_run, ascii_only=True) as app:
        await fuzzers.is_ascii(app, WAYS.values())
