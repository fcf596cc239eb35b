"""Winner's curse: with no real effect the selection score hardens cases, the fresh one does not.

The task model is right with chance .9 whatever the text says. Over n = 30 cases with T = 10 fresh
rollouts the mean has the standard deviation sqrt(.9 * .1 / (10 n)) = .0173; four of them are .07.
The search must look as successful as luck alone makes it (about .65, decisions.md), and the fresh
score must show that nothing happened.
"""

import asyncio

from evoscope.engine.model.harden import CaseResult
from evoscope.engine.searches.harden.search import run
from tests.engine.searches.harden.memory_context import MemoryContext
from tests.engine.searches.harden.models import Scripted, setup

CASES, RIGHT, BOUND = 30, 0.9, 0.07


def test_noise_alone_hardens_by_the_selection_score_and_not_by_the_fresh_one() -> None:
    model = Scripted(lambda text: RIGHT, audit_rate=1.0, realism_rate=1.0)
    context = MemoryContext(model, parallel=CASES)
    paper = setup(CASES, generations=4, offspring=11, survivors=5, final_audit=False)
    asyncio.run(run(context, paper))
    results = [
        CaseResult.from_json(r) for unit, r in context.store.results.items() if unit != "domain"
    ]

    def mean(name: str) -> float:
        return float(sum(getattr(r, name) for r in results) / len(results))

    hardened = [r for r in results if r.status == "hardened"]
    assert len(hardened) >= 0.8 * CASES
    assert mean("score_after") < 0.72
    assert abs(mean("fresh_after") - RIGHT) < BOUND
    assert abs(mean("fresh_before") - RIGHT) < BOUND
    still = sum(r.fresh_after < r.fresh_before for r in hardened)  # type: ignore[operator]
    assert still < 0.6 * len(hardened)
    print(
        f"hardened {len(hardened)}/{CASES}; selection {mean('score_before'):.3f} -> "
        f"{mean('score_after'):.3f}; fresh {mean('fresh_before'):.3f} -> {mean('fresh_after'):.3f}"
    )
