"""The search with the offline models on the bundled cases: every part fits every other."""

import asyncio
from typing import Any

import pytest

from evoscope.engine.benchmarks.load import load
from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.core import Node, Rollout, Slot, Verdict
from evoscope.engine.model.harden import CaseResult
from evoscope.engine.model.llm import Completion, Params, Request
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.harden.search import run
from evoscope.engine.searches.harden.settings import HardenSettings
from evoscope.engine.searches.harden.setup import ROLES, HardenSetup, Profile
from tests.engine.searches.harden.memory_context import MemoryContext, Store


class OfflineContext(MemoryContext):
    """Buys from the offline provider."""

    def __init__(self, **life: Any) -> None:
        super().__init__(lambda slot, request: Completion("", None), **life)  # type: ignore[arg-type]
        self._provider = OfflineProvider("offline", ProviderSettings(kind="offline", careless=0.3))

    async def complete(self, slot: Slot, request: Request) -> Completion:
        if slot.key not in self.store.calls:
            reply = await self._provider.send(request, 60)
            self.store.calls[slot.key] = (request, self._provider.parse(reply, request))
        return await super().complete(slot, request)


def searched(kind: str, cases: int) -> Store:
    profile, gates = Profile("o", "m", Params(temperature=1.0)), Profile("o", "g", Params())
    of = HardenSetup(
        benchmark=load(kind),
        settings=HardenSettings(generations=2, offspring=5, survivors=2),
        profiles={role: gates if role == "gates" else profile for role in ROLES},
        sample=cases,
    )
    context = OfflineContext()
    asyncio.run(run(context, of))
    assert context.parked == {}
    return context.store


@pytest.mark.parametrize("kind", ["finqa", "pubmedqa", "contractnli"])
def test_offline_models_carry_a_search_through(kind: str) -> None:
    store = searched(kind, 6)
    results = [CaseResult.from_json(r) for u, r in store.results.items() if u != "domain"]
    assert len(results) == 6
    assert not [r for r in results if r.status == "failed"]
    tried = [n for n in store.all(Node) if n.generation]
    assert tried
    invalid = [v for v in store.all(Verdict) if v.gate == "validity" and v.outcome != "pass"]
    assert len(invalid) < 0.1 * len(tried), [v.reason for v in invalid]
    rollouts = store.all(Rollout)
    assert all(r.logprob_sum is not None and r.tokens for r in rollouts)
    majority = {(v.node, v.gate): v.outcome for v in store.all(Verdict) if v.vote is None}
    careless = [n for n in tried if n.origin.get("careless")]
    through = [n for n in careless if majority.get((n.id, "realism")) == "pass"]
    assert len(through) <= 0.4 * max(1, len(careless))
    careful = [n for n in tried if not n.origin.get("careless")]
    kept = [n for n in careful if majority.get((n.id, "realism")) == "pass"]
    assert len(kept) >= 0.4 * len(careful)
