"""One pool for each level that this machine has, shared by a module's tests."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from evoscope.engine.sandbox.jobs import LevelName
from evoscope.engine.sandbox.levels import STRONGEST_FIRST, missing
from evoscope.engine.sandbox.pool import Pool

LEVELS = STRONGEST_FIRST[::-1]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=LEVELS)
async def leveled(request: pytest.FixtureRequest) -> AsyncIterator[Pool]:
    """Two workers at each level in turn."""
    level: LevelName = request.param
    if problem := missing(level):
        pytest.skip(problem)
    async with await Pool.open(2, (level,)) as pool:
        yield pool


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[Pool]:
    """Two workers at the strongest level."""
    async with await Pool.open(2) as pool:
        yield pool
