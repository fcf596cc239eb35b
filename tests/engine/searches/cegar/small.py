"""A small cegar run: a few tasks of the own suite, the offline author, no starting pool."""

from functools import cache

from evoscope.engine.benchmarks.code_tasks.sources import Split, own_splits
from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.llm import Params
from evoscope.engine.providers.base import Provider
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.cegar.settings import CegarSettings
from evoscope.engine.searches.cegar.setup import CegarSetup
from evoscope.engine.searches.harden.setup import Profile

PLACES, CANDIDATES = (2, 8, 14, 20, 21), 10
"""Decidable tasks, so that an operator can help enough of them."""


@cache
def split() -> Split:
    """Some tasks of the training split with few candidates."""
    whole, _ = own_splits(CANDIDATES, 42)
    tasks = tuple(whole.tasks[place] for place in PLACES)
    return Split(tasks, {task.id: whole.samples[task.id] for task in tasks})


def setup(**changes: object) -> CegarSetup:
    given = {
        "starting_pool": False, "rounds": 3, "level1_attempts": 1, "level2_attempts": 3,
        "candidates": CANDIDATES, **changes,
    }  # fmt: skip
    profiles = {"author": Profile("p", "grammar", Params())}
    return CegarSetup(split(), CegarSettings.model_validate(given), profiles)


def providers(seed: int) -> dict[str, Provider]:
    """The offline author, whose answers take a seeded time."""
    settings = ProviderSettings.model_validate(
        {"kind": "offline", "faults": {"latency_s": 0.1 + seed % 7 / 10, "jitter_s": 1.0}}
    )
    return {"p": OfflineProvider("p", settings)}
