"""The bounds against simulated runs whose true gains are known."""

import pytest

from evoscope.engine.benchmarks.syn_ledger.assignment import neutral_levels, released_levels
from evoscope.engine.searches.chase.coverage import ARCHIVES, Levels, measure
from tests.engine.searches.chase.arena import ledger

ALPHA = 0.05


@pytest.fixture(scope="module")
def levels() -> tuple[Levels, Levels]:
    """Evidence levels under B_rel and B_0."""
    tasks = ledger().released.ledger
    grids = released_levels(0, tasks), neutral_levels(0, tasks)
    released, neutral = (
        [(row[t.evidence[0]], row[t.evidence[1]]) for t, row in zip(tasks, grid, strict=True)]
        for grid in grids
    )
    return released, neutral


@pytest.mark.parametrize("archive", ARCHIVES)
def test_the_bounds_hold_at_least_as_often_as_they_claim(
    levels: tuple[Levels, Levels], archive: str
) -> None:
    found = measure(*levels, archive, runs=2_000)
    assert found.runs == 2_000
    assert found.both >= 1 - ALPHA / 2
    assert found.true_delta_bs > 0.2


def test_bounds_without_their_width_do_not(levels: tuple[Levels, Levels]) -> None:
    found = measure(*levels, "B_0 itself", runs=500, width=0.0)
    assert found.destroyed < 1 - ALPHA / 2
    assert found.gain < 1 - ALPHA / 2
