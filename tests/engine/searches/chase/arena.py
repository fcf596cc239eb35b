"""A small Syn-Ledger and offline models for the search's tests."""

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from evoscope.engine.benchmarks.syn_ledger.environment import Ledger, SynLedger, build
from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.config import ProviderSettings
from evoscope.engine.errors import CallFailed
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Completion, Params, RawReply, Request
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.chase.gate import Observed
from evoscope.engine.searches.chase.settings import ChaseSettings
from evoscope.engine.searches.chase.setup import ROLES, ChaseSetup
from evoscope.engine.searches.harden.setup import Profile

SIZES = {"evo": 4, "disc": 3, "conf1": 2, "conf2": 2, "conf3": 2, "cert": 4}
OFFLINE = OfflineProvider("off", ProviderSettings(kind="offline"))


def ledger() -> Ledger:
    """The whole benchmark, made once."""
    return build(0)


@lru_cache(maxsize=4)
def small(scale: int = 1) -> tuple[SynLedger, SynLedger]:
    """B_rel and B_0 on a few tasks of each split."""
    splits = {name: ids[: SIZES[name] * scale] for name, ids in ledger().released.splits.items()}
    ids = [task for many in splits.values() for task in many]
    return (
        replace(ledger().released.subset(ids), splits=splits),
        replace(ledger().neutral.subset(ids), splits=splits),
    )


def setup(seed: int = 0, scale: int = 1, **settings: Any) -> ChaseSetup:
    """A search on the small ledger; the seed is part of the offline models' names."""
    released, neutral = small(scale)
    quick = {"rollouts_evo": 1, "rollouts_disc": 1, "rollouts_conf": 2, "rollouts_cert": 1}
    profiles = {role: Profile("off", f"offline-{seed}", Params()) for role in ROLES}
    observed = tuple(Observed(t.id, t.question, "") for t in released.tasks)
    chosen = ChaseSettings.model_validate({**quick, **settings})
    return ChaseSetup(released, OPERATORS, chosen, profiles, neutral, observed=observed)


def mute(
    refused: Callable[[Slot, Request], bool],
) -> Callable[[Slot, Request], Completion | CallFailed]:
    """The offline models, but for calls that are refused."""

    def said(slot: Slot, request: Request) -> Completion | CallFailed:
        if refused(slot, request):
            return CallFailed(slot.key, "refusal", "no")
        return answer(slot, request)

    return said


def answer(slot: Slot, request: Request) -> Completion | CallFailed:
    """The offline models' answer, at once."""
    sending = OFFLINE.send(request, 60)
    try:
        sending.send(None)
    except StopIteration as done:
        return OFFLINE.parse(done.value, request)
    raise AssertionError("the offline provider waits for nothing here")


class Delayed:
    """The offline provider with a seeded delay before each answer."""

    free = True

    def __init__(self, seed: int) -> None:
        self.name = "off"
        self._random = random.Random(seed)
        self.sent: list[str] = []

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        self.sent.append(request.role)
        await asyncio.sleep(self._random.random())
        return await OFFLINE.send(request, timeout_s)

    def parse(self, reply: RawReply, request: Request) -> Completion:
        return OFFLINE.parse(reply, request)

    def estimate_input_tokens(self, request: Request) -> int:
        return OFFLINE.estimate_input_tokens(request)

    async def aclose(self) -> None:
        return None


def counted(sent: list[str]) -> Mapping[str, int]:
    """How often each role was asked."""
    return {role: sent.count(role) for role in ROLES}
