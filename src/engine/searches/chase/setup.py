"""All that a chase search is given; it opens no file itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...benchmarks.environment import Environment
from ...benchmarks.transform.operators import Catalogue
from ...context import Context
from ...model.chase import Harness
from ..harden.setup import Profile
from .gate import Observed
from .settings import ChaseSettings

ROLES = ("agent", "proposer", "challenger")
"""The keys of a configuration's models that this search asks for."""


@dataclass(frozen=True, slots=True)
class ChaseSetup:
    """Released benchmark, operators, settings and models of one run.

    `first` is H_0.
    `release` is a separate release, scored once beside D_cert and in no gain.
    `neutral` is B_0 where it is known, else None: then there is no B0-Access and no Delta_BS.
    `observed` are D_evo's questions with answers and sources, for the Generalization Gate alone.
    """

    released: Environment
    operators: Catalogue
    settings: ChaseSettings
    profiles: Mapping[str, Profile]
    neutral: Environment | None = None
    release: Environment | None = None
    first: Harness = field(default_factory=Harness)
    observed: tuple[Observed, ...] = ()


@dataclass(slots=True)
class Desk:
    """What every part of the search works with. `variants` are the benchmarks by id."""

    ctx: Context
    setup: ChaseSetup
    variants: dict[str, Environment] = field(default_factory=dict)

    @property
    def settings(self) -> ChaseSettings:
        """The run's settings."""
        return self.setup.settings

    def tasks(self, split: str) -> tuple[str, ...]:
        """The ids of a split, in order."""
        return self.setup.released.splits[split]
