"""Digest and verification of a run's file.

`digest` hashes the canonical rows without seq, time, latency, attempts and cost: two runs are
identical where their digests are. `verify` runs the search again from the recorded responses and
people's commands, and compares every verdict and decision with what it derives.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from .canonical import completion_hash, sha256
from .commands import Book
from .context import Context, UnitBody, UnitSpec, Work
from .errors import CallFailed, EvoscopeError
from .facts import named_text
from .model.core import Directives, Effect, Fact, Slot
from .model.llm import Completion, Json, Request
from .model.outcomes import Outcomes, Place
from .outcomes import canonical_rows, recorded
from .providers.base import Provider
from .runtime import check_identity, derived_rng, recalled, served
from .store.memory import UnitMemory, digest_rows, load_call, load_unit, read_only, unpack
from .store.reader import assemble
from .store.rows import ITEM, fact_row, hash_only


class NotRecorded(EvoscopeError):
    """A call that the search wants and the file does not hold."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One difference: what kind of row, which one, as recorded, as derived."""

    what: str
    id: str
    recorded: str
    derived: str


@dataclass(slots=True)
class Verification:
    """What was checked, and every difference."""

    calls: int = 0
    verdicts: int = 0
    decisions: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the file says only what its responses say."""
        return not self.mismatches


def digest(path: Path) -> str:
    """SHA-256 of the run's canonical rows."""
    with closing(read_only(path)) as db:
        units = db.execute("SELECT id, kind, state, result FROM unit ORDER BY id").fetchall()
        items = db.execute(ITEM.select).fetchall()
        texts = db.execute("SELECT name, content_hash FROM text").fetchall()
    rows: list[list[object]] = [["item", *row] for row in items]
    rows += [["text", *row] for row in texts if not row[0].startswith("start/")]
    rows += canonical_rows(recorded(path))
    for unit, kind, state, result in units:
        own = load_unit(path, unit).digest(json.loads(result) if result else {})
        rows.append(["unit", unit, kind, state, own])
    return digest_rows(rows, {})


def damaged_blobs(path: Path) -> list[Mismatch]:
    """Stored texts whose content no longer has the hash that they are kept under."""
    found = []
    with closing(read_only(path)) as db:

        def piece(name: str) -> bytes:
            row = db.execute("SELECT codec, data FROM blob WHERE hash = ?", (name,)).fetchone()
            return unpack(*row)

        for digest_kept, codec, data in db.execute("SELECT hash, codec, data FROM blob"):
            try:
                now = sha256(assemble(codec, data, piece))
            except Exception as error:
                now = f"unreadable ({error})"
            if now != digest_kept:
                found.append(Mismatch("text", digest_kept, digest_kept, now))
    return found


class Again(Protocol):
    """Who runs recorded code again."""

    async def compare(self, place: Place, recorded: Outcomes, work: Work) -> None:
        """Run the work behind a place and note what differs."""
        ...


class VerifyingContext:
    """A `Context` that pays for nothing and writes nothing: it compares."""

    def __init__(
        self, path: Path, seed: int, providers: Mapping[str, Provider], again: Again | None = None
    ) -> None:
        self.report = Verification()
        self._again = again
        self._path, self._seed, self._providers = path, seed, providers
        self._book = Book.load(path)
        self._memories: dict[str, UnitMemory] = {"": load_unit(path, "")}
        self._derived: dict[str, set[Any]] = {"": set()}
        self._results: dict[str, Mapping[str, Json]] = {}
        with closing(read_only(path)) as db:
            rows = db.execute("SELECT id, state, result FROM unit").fetchall()
            self._texts = dict(db.execute("SELECT name, content_hash FROM text").fetchall())
        self._states = {unit: (state, result) for unit, state, result in rows}
        self._outcomes = recorded(path)

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self._seed

    def rng(self, *path: str | int) -> random.Random:
        """See `Context.rng`."""
        return derived_rng(self._seed, *path)

    async def complete(self, slot: Slot, request: Request) -> Completion:
        """The recorded completion; raises NotRecorded where there is none."""
        await asyncio.sleep(0)
        known = self._memories[slot.unit].calls.get(slot.key)
        if known is None or known.status not in ("completed", "failed"):
            raise NotRecorded(f"call {slot.key} is not in the file")
        check_identity(slot, request, known)
        self.report.calls += 1
        try:
            completion = served(slot, request, known, self._providers[request.provider])
        except CallFailed:
            raise
        except Exception as error:
            self._note("call", slot.key, known.fact or "", f"unreadable: {error}")
            raise NotRecorded(f"call {slot.key} cannot be read") from None
        derived = completion_hash(completion)
        if derived != known.fact:
            self._note("call", slot.key, known.fact or "", derived)
        return completion

    async def recall(self, slot: Slot, request: Request) -> Completion:
        """See `Context.recall`; the call was compared where its own unit asked for it."""
        await asyncio.sleep(0)
        return recalled(slot, request, load_call(self._path, slot.key), self._providers)

    async def record(self, *facts: Fact, effects: Sequence[Effect] = ()) -> None:
        """Compare; a difference is noted and the derived value goes on."""
        for fact in facts:
            row = fact_row(fact, hash_only)
            known = self._memories[row.unit].known(row)
            self._derived[row.unit].add(row.key)
            self._count(row.table.name)
            if known != row.row:
                identity = "/".join(map(str, row.key[1]))
                self._note(row.table.name, identity, repr(known), repr(row.row))

    async def settle(self, place: Place, work: Work) -> Outcomes:
        """The recorded outcomes; raises NotRecorded where there are none."""
        if place not in self._outcomes:
            raise NotRecorded(f"outcomes {place.key} are not in the file")
        if self._again is not None:
            await self._again.compare(place, self._outcomes[place], work)
        return self._outcomes[place]

    async def point(self, unit: str, step: str) -> Directives:
        """What was known at the recorded point; an unrecorded one saw every command."""
        marks = self._memories[unit].marks
        return self._book.directives(unit, marks.get(step, self._book.last_seq))

    def wants_revision(self, unit: str, step: str, nodes: Sequence[str]) -> bool:
        """Whether the file holds the later decision point."""
        return step in self._memories[unit].marks

    def vetoed(self) -> frozenset[str]:
        """What the file's commands have vetoed."""
        return self._book.vetoed()

    async def run_units(
        self, units: Sequence[UnitSpec], body: UnitBody, *, one_after_another: bool = False
    ) -> None:
        """Every finished unit again, one after another."""
        for unit in units:
            state, _ = self._states.get(unit.id, (None, None))
            if state != "done":
                continue
            self._memories[unit.id] = load_unit(self._path, unit.id)
            self._derived[unit.id] = set()
            try:
                await body(unit)
                self._compare_result(unit.id)
                self._leftovers(unit.id)
            except EvoscopeError as error:
                self._note("unit", unit.id, "done", str(error))
            del self._memories[unit.id], self._derived[unit.id]

    async def finish_unit(self, unit: str, result: Mapping[str, Json]) -> None:
        """Keep the derived result for later stages."""
        self._results[unit] = result

    async def unit_result(self, unit: str) -> Mapping[str, Json] | None:
        """The derived result."""
        return self._results.get(unit)

    async def save_text(self, name: str, text: str) -> None:
        """Compare a named text."""
        derived = sha256(text.encode("utf-8", "replace"))
        if self._texts.get(name) != derived:
            self._note("text", name, str(self._texts.get(name)), derived)

    async def load_text(self, name: str) -> str | None:
        """The recorded text; `save_text` has compared it."""
        return named_text(self._path, name)

    def _compare_result(self, unit: str) -> None:
        recorded = json.loads(self._states[unit][1] or "{}")
        derived = json.loads(json.dumps(self._results.get(unit, {})))
        if recorded != derived:
            self._note("result", unit, repr(recorded), repr(derived))

    def _leftovers(self, unit: str) -> None:
        """Rows that the file holds and the search never derives."""
        for key, row in self._memories[unit].facts.items():
            if key not in self._derived[unit]:
                self._note(key[0], "/".join(map(str, key[1])), repr(row), "nothing")

    def _count(self, table: str) -> None:
        self.report.verdicts += table == "verdict"
        self.report.decisions += table == "decision"

    def _note(self, what: str, identity: str, recorded: str, derived: str) -> None:
        self.report.mismatches.append(Mismatch(what, identity, recorded, derived))


async def verify(
    path: Path,
    seed: int,
    search: Callable[[Context], Awaitable[None]],
    providers: Mapping[str, Provider],
    again: Again | None = None,
) -> Verification:
    """Replay a run from its recorded responses and compare everything it derives.

    With `again` recorded code is run once more besides; the recorded outcomes stay the facts.
    """
    context = VerifyingContext(path, seed, providers, again)
    context.report.mismatches += damaged_blobs(path)
    await search(context)
    return context.report
