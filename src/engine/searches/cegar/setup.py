"""All that a cegar search is given; it opens no file itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...benchmarks.code_tasks.sources import Split
from ..harden.setup import Profile
from .attempts import Limits
from .settings import CegarSettings

ROLES = ("author",)
"""The keys of a configuration's models that this search asks for."""


@dataclass(frozen=True, slots=True)
class CegarSetup:
    """The training split, settings and models of one run. The held-out split is not here: only
    the scoring command reads it."""

    training: Split
    settings: CegarSettings
    profiles: Mapping[str, Profile]

    @property
    def limits(self) -> Limits:
        """How much the run may try."""
        found = self.settings
        return Limits(found.level1_attempts, found.level2_attempts, found.rounds, found.calls)
