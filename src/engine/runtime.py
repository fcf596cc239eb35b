"""The running engine behind `context.Context`: units, calls, facts, decision points.

Every method that a search calls is either served from the unit's memory (replay) or committed
before it returns; so a search that runs again from the top pays only for what is missing.
"""

import asyncio
import json
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from .canonical import request_body, request_hash, sha256
from .commands import Book
from .context import UnitBody, UnitSpec, Work
from .errors import (
    CallFailed,
    CallOpen,
    ReplayDiverged,
    RunPaused,
    SandboxUnavailable,
    StoreError,
)
from .executor import Executor
from .facts import FactKeeper
from .model.core import Directives, Effect, Fact, Slot
from .model.llm import Completion, Json, Request
from .model.outcomes import Outcomes, Place
from .outcomes import OutcomeKeeper
from .pause import Pause
from .providers.base import Provider
from .served import ServedModels
from .store.memory import KnownCall, UnitMemory, load_call
from .store.writer import Write, Writer
from .units import UnitBoard

log = logging.getLogger(__name__)
MARK = "INSERT INTO mark(unit, step, last_command) VALUES (?, ?, ?)"
FATAL = (RunPaused, ReplayDiverged, StoreError, SandboxUnavailable, asyncio.CancelledError)
"""What ends the run instead of parking one unit."""

Buy = Callable[[Slot, Request, int], Awaitable[Completion]]


class Runtime:
    """One search's view of one run. Built by `run.py`; knows neither processes nor screens."""

    def __init__(
        self,
        *,
        path: Path,
        seed: int,
        writer: Writer,
        board: UnitBoard,
        book: Book,
        pause: Pause,
        providers: Mapping[str, Provider],
        buy: Buy,
        memories: dict[str, UnitMemory],
        served: ServedModels,
        executor: Executor,
    ) -> None:
        self._seed, self._writer = seed, writer
        self._board, self._book, self._pause = board, book, pause
        self._providers, self._buy, self._memories = providers, buy, memories
        self._served = served
        self._facts = FactKeeper(path, writer, memories)
        self._outcomes = OutcomeKeeper(path, writer, executor)

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self._seed

    def rng(self, *path: str | int) -> random.Random:
        """See `Context.rng`."""
        return derived_rng(self._seed, *path)

    async def complete(self, slot: Slot, request: Request) -> Completion:
        """See `Context.complete`."""
        known = self._memories[slot.unit].calls.get(slot.key)
        if known is not None:
            check_identity(slot, request, known)
            if known.bodiless:
                loop = asyncio.get_running_loop()
                known = await loop.run_in_executor(None, load_call, self._writer.path, slot.key)
            if known is not None and known.status in ("completed", "failed"):
                return served(slot, request, known, self._providers[request.provider])
        while True:
            await self._pause.lifted()
            try:
                completion = await self._buy(slot, request, self._board.ord(slot.unit))
            except RunPaused:
                self._pause.must_hold()
                continue
            self._served.watch(request, completion)
            return completion

    async def recall(self, slot: Slot, request: Request) -> Completion:
        """See `Context.recall`."""
        loop = asyncio.get_running_loop()
        known = await loop.run_in_executor(None, load_call, self._writer.path, slot.key)
        return recalled(slot, request, known, self._providers)

    async def record(self, *facts: Fact, effects: Sequence[Effect] = ()) -> None:
        """See `Context.record`."""
        await self._facts.record(facts, effects)

    async def settle(self, place: Place, work: Work) -> Outcomes:
        """See `Context.settle`; no code is run while the run is paused."""
        await self._pause.lifted()
        return await self._outcomes.settle(place, work)

    async def point(self, unit: str, step: str) -> Directives:
        """See `Context.point`."""
        await self._pause.lifted()
        marks = self._memories[unit].marks
        if step not in marks:
            marks[step] = self._book.last_seq
            await self._writer.commit(Write(MARK, (unit, step, marks[step])))
        return self._book.directives(unit, marks[step])

    def wants_revision(self, unit: str, step: str, nodes: Sequence[str]) -> bool:
        """See `Context.wants_revision`."""
        return step in self._memories[unit].marks or not self._book.vetoed().isdisjoint(nodes)

    def vetoed(self) -> frozenset[str]:
        """See `Context.vetoed`."""
        return self._book.vetoed()

    async def run_units(
        self,
        units: Sequence[UnitSpec],
        body: UnitBody,
        *,
        one_after_another: bool = False,
    ) -> None:
        """See `Context.run_units`."""
        await self._board.register(units)
        await self._board.drive(units, self._guarded(body), 1 if one_after_another else None)

    def _guarded(self, body: UnitBody) -> UnitBody:
        async def run(unit: UnitSpec) -> None:
            try:
                await self._facts.open_unit(unit.id)
                await self._until_settled(unit, body)
            except FATAL:
                raise
            except CallOpen as error:
                await self._board.park(unit.id, str(error))
            except Exception as error:
                log.exception("unit %s failed", unit.id)
                await self._board.park(unit.id, f"{type(error).__name__}: {error}")
            finally:
                self._memories.pop(unit.id, None)

        return run

    async def _until_settled(self, unit: UnitSpec, body: UnitBody) -> None:
        """Run the body, again if a veto of one of its nodes came while it was finishing."""
        memory = self._memories[unit.id]
        while True:
            seen = self._book.last_seq
            await body(unit)
            if not self._board.concerned(memory, self._book.later_vetoes(seen)):
                break
        await self._board.finish(unit.id, memory)

    async def finish_unit(self, unit: str, result: Mapping[str, Json]) -> None:
        """See `Context.finish_unit`; durable together with the unit's end."""
        self._board.set_result(unit, result)

    async def unit_result(self, unit: str) -> Mapping[str, Json] | None:
        """See `Context.unit_result`."""
        return self._board.result(unit)

    async def save_text(self, name: str, text: str) -> None:
        """See `Context.save_text`."""
        await self._facts.save_text(name, text)

    async def load_text(self, name: str) -> str | None:
        """See `Context.load_text`."""
        return await self._facts.load_text(name)


def derived_rng(seed: int, *path: str | int) -> random.Random:
    """A generator seeded with SHA-256 of the seed and a path."""
    return random.Random(int(sha256("/".join(map(str, (seed, *path))).encode()), 16))


def check_identity(slot: Slot, request: Request, known: KnownCall) -> None:
    """Raise ReplayDiverged if the slot was recorded with another request."""
    body_hash = sha256(request_body(request))
    if request_hash(body_hash, request.sample) != known.request_hash:
        raise ReplayDiverged(
            f"replay diverged at {slot.key}: recorded request {known.request_blob[:12]}, now "
            f"{body_hash[:12]}; nothing was sent. Resume with the version that began this run"
        )


def recalled(
    slot: Slot, request: Request, known: KnownCall | None, providers: Mapping[str, Provider]
) -> Completion:
    """See `Context.recall`; `known` is what the file has under the slot."""
    if known is None or known.status not in ("completed", "failed"):
        raise ReplayDiverged(f"call {slot.key} is not in the file, which is not whole; restore it")
    check_identity(slot, request, known)
    return served(slot, request, known, providers[request.provider])


def served(slot: Slot, request: Request, known: KnownCall, provider: Provider) -> Completion:
    """The completion of a finished call; raises CallFailed where that is what was recorded."""
    if known.status == "failed":
        reason, message = json.loads(known.failure or '["unknown", ""]')
        raise CallFailed(slot.key, reason, message)
    return replace(provider.parse(known.reply(), request), latency_s=known.latency_s)
