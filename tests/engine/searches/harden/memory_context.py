"""A `Context` in memory: facts are inserted or compared, calls end in a seeded order."""

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoscope.engine.context import UnitBody, UnitSpec, Work
from evoscope.engine.errors import CallFailed, CallOpen, ReplayDiverged
from evoscope.engine.model.core import (
    Decision,
    Directives,
    Effect,
    Fact,
    Item,
    Node,
    NodeState,
    Rollout,
    Slot,
    Tally,
    Verdict,
)
from evoscope.engine.model.llm import Completion, Json, Request
from evoscope.engine.model.outcomes import Outcomes, Place

Model = Callable[[Slot, Request], Completion | CallFailed]


@dataclass
class Store:
    """What outlives a context: what a file would hold."""

    facts: dict[tuple[Any, ...], Fact] = field(default_factory=dict)
    calls: dict[str, tuple[Request, Completion | CallFailed]] = field(default_factory=dict)
    marks: dict[tuple[str, str], int] = field(default_factory=dict)
    results: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    states: dict[str, NodeState] = field(default_factory=dict)
    tallies: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    commands: list[tuple[str, str]] = field(default_factory=list)
    """(kind, target) in order; sequence numbers count from 1."""

    def all(self, kind: type[Any]) -> list[Any]:
        """The facts of one kind, in natural order."""
        return [fact for key, fact in sorted(self.facts.items()) if isinstance(fact, kind)]

    def decisions(self, kind: str) -> list[Decision]:
        """The decisions of one kind."""
        return [d for d in self.all(Decision) if d.kind == kind]

    def tally(self, gate: str, outcome: str) -> int:
        """A counter over all units and axes."""
        return sum(n for (_, g, _, o), n in self.tallies.items() if (g, o) == (gate, outcome))


def key_of(fact: Fact) -> tuple[Any, ...]:
    """A fact's natural key."""
    match fact:
        case Item():
            return ("item", fact.id)
        case Node():
            return ("node", fact.id)
        case Rollout():
            return ("rollout", fact.node, fact.context, fact.item, fact.sample)
        case Verdict():
            return ("verdict", fact.node, fact.gate, -1 if fact.vote is None else fact.vote)
        case Decision():
            return ("decision", fact.unit, fact.step)


class MemoryContext:
    """One life of a run over a store."""

    def __init__(
        self,
        model: Model,
        *,
        seed: int = 42,
        order: int = 0,
        store: Store | None = None,
        at: Mapping[tuple[str, str], Sequence[tuple[str, str]]] | None = None,
        parallel: int = 8,
    ) -> None:
        """`at` gives commands that people send just before a decision point (unit, step) is
        reached for the first time; `order` seeds the order in which calls end."""
        self.model, self._seed = model, seed
        self.order = random.Random(order)
        self.store = store or Store()
        self.at = dict(at or {})
        self.parallel = parallel
        self.bought: list[str] = []
        self.parked: dict[str, str] = {}

    @property
    def seed(self) -> int:
        return self._seed

    def rng(self, *path: str | int) -> random.Random:
        text = "/".join(map(str, (self._seed, *path)))
        return random.Random(int(hashlib.sha256(text.encode()).hexdigest(), 16))

    async def complete(self, slot: Slot, request: Request) -> Completion:
        known = self.store.calls.get(slot.key)
        if known is None:
            for _ in range(self.order.randrange(3)):
                await asyncio.sleep(0)
            assert slot.key not in self.store.calls, f"{slot.key} was asked for twice at once"
            self.bought.append(slot.key)
            known = self.store.calls[slot.key] = (request, self.model(slot, request))
        if known[0] != request:
            raise ReplayDiverged(f"replay diverged at {slot.key}")
        if isinstance(known[1], CallFailed):
            raise known[1]
        return known[1]

    async def recall(self, slot: Slot, request: Request) -> Completion:
        known = self.store.calls.get(slot.key)
        if known is None or known[0] != request:
            raise ReplayDiverged(f"replay diverged at {slot.key}")
        if isinstance(known[1], CallFailed):
            raise known[1]
        return known[1]

    async def record(self, *facts: Fact, effects: Sequence[Effect] = ()) -> None:
        new = False
        for fact in facts:
            key = key_of(fact)
            known = self.store.facts.setdefault(key, fact)
            if known is not fact and known != fact:
                raise ReplayDiverged(f"replay diverged at {key}: {known} is now {fact}")
            new = new or known is fact
        if new:
            self._apply(effects)
        await asyncio.sleep(0)

    def _apply(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, NodeState):
                self.store.states[effect.node] = effect
            elif isinstance(effect, Tally):
                name = (effect.unit, effect.gate, effect.axis, effect.outcome)
                self.store.tallies[name] += effect.n

    async def point(self, unit: str, step: str) -> Directives:
        await asyncio.sleep(0)
        if (unit, step) not in self.store.marks:
            self.store.commands += self.at.get((unit, step), ())
            self.store.marks[unit, step] = len(self.store.commands)
        upto = self.store.marks[unit, step]
        said = self.store.commands[:upto]
        return Directives(upto, self._vetoed(said), ("skip", unit) in said)

    def _vetoed(self, said: Sequence[tuple[str, str]]) -> frozenset[str]:
        vetoed: set[str] = set()
        for kind, target in said:
            if kind == "veto":
                vetoed.add(target)
            elif kind == "unveto":
                vetoed.discard(target)
        return frozenset(vetoed)

    def wants_revision(self, unit: str, step: str, nodes: Sequence[str]) -> bool:
        self.store.commands += self.at.pop((unit, f"before {step}"), ())
        live = self._vetoed(self.store.commands)
        return (unit, step) in self.store.marks or not live.isdisjoint(nodes)

    def vetoed(self) -> frozenset[str]:
        return self._vetoed(self.store.commands)

    async def run_units(
        self, units: Sequence[UnitSpec], body: UnitBody, *, one_after_another: bool = False
    ) -> None:
        gate = asyncio.Semaphore(1 if one_after_another else self.parallel)

        async def guarded(unit: UnitSpec) -> None:
            async with gate:
                if unit.id in self.store.results:
                    return
                try:
                    await body(unit)
                except ReplayDiverged:
                    raise
                except CallOpen as error:
                    self.parked[unit.id] = str(error)
                except Exception as error:
                    self.parked[unit.id] = f"{type(error).__name__}: {error}"

        await asyncio.gather(*(guarded(unit) for unit in units))

    async def finish_unit(self, unit: str, result: Mapping[str, Json]) -> None:
        self.store.results[unit] = result

    async def unit_result(self, unit: str) -> Mapping[str, Json] | None:
        return self.store.results.get(unit)

    async def save_text(self, name: str, text: str) -> None:
        if self.store.texts.setdefault(name, text) != text:
            raise ReplayDiverged(f"replay diverged at text {name}")

    async def load_text(self, name: str) -> str | None:
        return self.store.texts.get(name)

    async def settle(self, place: Place, work: Work) -> Outcomes:
        raise AssertionError(f"{place}: neither harden nor chase runs code")
