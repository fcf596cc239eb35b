"""What a search sees of the engine: the one object between a search's rules and the run.

A search is plain async Python over this protocol. It must be deterministic given its seed, the
recorded calls and the directives, in whatever order calls finish: every await may be reordered.
"""

import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from .model.core import Directives, Effect, Fact, Slot
from .model.llm import Completion, Json, Request
from .model.outcomes import Outcomes, Place
from .sandbox.jobs import Job, Outcome


@dataclass(frozen=True, slots=True)
class UnitSpec:
    """A piece of a run that is finished, skipped or parked as a whole; `ord` is its place."""

    id: str
    kind: str
    ord: int


UnitBody: TypeAlias = Callable[[UnitSpec], Coroutine[Any, Any, None]]
Run: TypeAlias = Callable[[Job], Awaitable[Outcome]]
"""Runs one job in the sandbox and gives its settled outcome."""
Work: TypeAlias = Callable[[Run], Awaitable[Outcomes]]
"""Computes the outcomes of one place."""


class Context(Protocol):
    """The engine as a search sees it."""

    @property
    def seed(self) -> int:
        """The run's seed."""
        ...

    def rng(self, *path: str | int) -> random.Random:
        """A generator seeded with SHA-256 of (seed, path); for whatever a decision reads."""
        ...

    async def complete(self, slot: Slot, request: Request) -> Completion:
        """The completion of this slot: from the file if it is there, else bought once.

        Raises CallFailed (a recorded permanent failure), CallOpen (parks the unit: let it pass),
        ReplayDiverged (the recorded request of this slot was another one).
        """
        ...

    async def recall(self, slot: Slot, request: Request) -> Completion:
        """The completion that this slot has in the file, also where its unit has ended.

        Buys nothing. Raises CallFailed as `complete` does, ReplayDiverged where the slot has no
        call or another request.
        """
        ...

    async def record(self, *facts: Fact, effects: Sequence[Effect] = ()) -> None:
        """Commit facts, with their effects, in one transaction; returns once it is durable.

        A fact that is recorded already is compared instead, and then its effects are left out.
        Raises ReplayDiverged on a difference, StoreError for a rollout on an item of the sealed
        split before the run has an `open_seal` decision.
        """
        ...

    async def settle(self, place: Place, work: Work) -> Outcomes:
        """The outcomes of a place: from the file if they are there, else computed by `work` once.

        Durable once it returns. `work` must give the same for the same place, whatever the order
        in which its jobs end. Raises CallOpen (parks the unit) where the sandbox could not run a
        job, SandboxUnavailable where there is none.
        """
        ...

    async def point(self, unit: str, step: str) -> Directives:
        """A decision point: what people's commands say here, the same again on replay.

        Commits the number of the last command seen before it returns. Waits while the run is
        paused.
        """
        ...

    def wants_revision(self, unit: str, step: str, nodes: Sequence[str]) -> bool:
        """Whether decision point `step` exists already or a live veto names one of `nodes`.

        Asked after a promotion: true means that another promotion must supersede it.
        """
        ...

    def vetoed(self) -> frozenset[str]:
        """The nodes that are vetoed now: whether a unit is to be run that reads them at a point."""
        ...

    async def run_units(
        self,
        units: Sequence[UnitSpec],
        body: UnitBody,
        *,
        one_after_another: bool = False,
    ) -> None:
        """Run `body` for each unit, in order, at most `parallel_cases` at a time.

        Finished units are skipped whole. A unit whose body raises CallOpen, or any exception that
        is not the run's own (pause, divergence, takeover), is parked; the others go on.
        Returns when every unit is done or parked.
        """
        ...

    async def finish_unit(self, unit: str, result: Mapping[str, Json]) -> None:
        """Record the unit's result, which `unit_result` gives back in later stages."""
        ...

    async def unit_result(self, unit: str) -> Mapping[str, Json] | None:
        """The result of a finished unit, None where it is not finished (parked, failed)."""
        ...

    async def save_text(self, name: str, text: str) -> None:
        """Keep a named text with the run (axes, frozen rubric); compared if it is there."""
        ...

    async def load_text(self, name: str) -> str | None:
        """A text that an earlier unit kept, None where there is none; for what is too long for a
        unit's result."""
        ...
