"""What the search is for, offline: gains that a neutral protocol takes away are left behind."""

from fractions import Fraction
from typing import Any

from evoscope.engine.searches.chase.search import run
from tests.engine.searches.chase.arena import answer, setup
from tests.engine.searches.harden.memory_context import MemoryContext

SEEDS = (1, 2, 3)


async def outcome(seed: int) -> tuple[Fraction, Fraction, set[str]]:
    """Delta_BS of HarnessCompass and of CHASE on D_cert, and the kinds of decisions met."""
    ctx = MemoryContext(answer, seed=seed)
    await run(ctx, setup(seed, scale=3, methods=["chase", "compass"]))
    assert ctx.parked == {}
    methods: Any = ctx.store.results["certification"]["methods"]
    values = [Fraction(methods[name]["delta_bs"]) for name in ("compass", "chase")]
    kinds = {d.kind for d in ctx.store.decisions("fallback")} | {
        d.kind for step in ("archive", "keep") for d in ctx.store.decisions(step)
        if d.step == "confirm" and d.considered
    }  # fmt: skip
    return values[0], values[1], kinds


async def test_the_released_score_alone_leaves_more_gain_to_be_destroyed() -> None:
    found = [await outcome(seed) for seed in SEEDS]
    assert sum(compass for compass, _, _ in found) > sum(chase for _, chase, _ in found)
    met = set[str]().union(*(kinds for _, _, kinds in found))
    assert met == {"fallback", "archive", "keep"}
