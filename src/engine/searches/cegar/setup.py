"""All that a cegar search is given; it opens no file itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...benchmarks.code_tasks.sources import Split
from ..harden.setup import Profile
from .attempts import Limits
from .from_run import FromRun
from .settings import CegarSettings

ROLES = ("author",)
"""The keys of a configuration's models that this search asks for."""
JUDGE = "judge"
"""The key that it asks for where the judge is wanted."""


@dataclass(frozen=True, slots=True)
class CegarSetup:
    """The training split, settings and models of one run. The held-out split is not here: only
    the scoring command reads it. `runs` are those whose operators are merged: then nothing is
    authored, but for comparisons that the settings ask for."""

    training: Split
    settings: CegarSettings
    profiles: Mapping[str, Profile]
    runs: tuple[FromRun, ...] = ()

    @property
    def authors(self) -> bool:
        """Whether anything is to be authored."""
        own = self.settings
        compared = own.ablations or own.induction_level1 or own.induction_level2
        return not self.runs or bool(compared)

    @property
    def limits(self) -> Limits:
        """How much the run may try."""
        found = self.settings
        return Limits(found.level1_attempts, found.level2_attempts, found.rounds, found.calls)
