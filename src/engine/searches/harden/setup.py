"""All that a harden search is given; it opens no file itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...benchmarks.base import Benchmark
from ...model.llm import Params, Route
from .settings import HardenSettings

ROLES = ("task", "analysis", "mutation", "gates")
"""The keys of a configuration's models that this search asks for."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The model behind one role, with its sampling profile."""

    provider: str
    model: str
    params: Params
    route: Route | None = None


@dataclass(frozen=True, slots=True)
class HardenSetup:
    """Benchmark, settings and models of one run.

    `profiles` has the keys of `ROLES`. `sample` is the number of cases to draw (None: all). The
    `*_text` fields hold the user's own JSON files as text, None where there is none.
    """

    benchmark: Benchmark
    settings: HardenSettings
    profiles: Mapping[str, Profile]
    sample: int | None = None
    axes_text: str | None = None
    rubric_text: str | None = None
    profile_text: str | None = None
    sources_text: str | None = None
