"""A search of sixty lines with every move that the real ones make: for the replay kit.

Per unit: propose children of the best node, gate each by votes, race them in waves of graded
rollouts, select, promote; vetoes count at every decision point.
"""

import asyncio
from fractions import Fraction

from evoscope.engine.context import Context, UnitSpec
from evoscope.engine.errors import CallFailed
from evoscope.engine.model.core import Decision, Node, NodeState, Rollout, Slot, Tally, Verdict
from evoscope.engine.model.llm import Message, Request

GENERATIONS, CHILDREN, VOTES, WAVES, KEEP = 2, 3, 3, (2, 2), 2


def ask(role: str, text: str, sample: int = 0) -> Request:
    return Request(role, "toy", "toy-1", (Message("user", text),), sample=sample)


class Toy:
    """Callable search over `units` units."""

    def __init__(self, units: int) -> None:
        self.units = units

    async def __call__(self, ctx: Context) -> None:
        self.ctx = ctx
        specs = [UnitSpec(f"u{k}", "case", k) for k in range(self.units)]
        await ctx.run_units(specs, self.unit)

    async def unit(self, spec: UnitSpec) -> None:
        unit, ctx = spec.id, self.ctx
        root = Node(f"{unit}/g0/i0", unit, "case", unit, 0, 0, '"root"')
        await ctx.record(root, effects=[NodeState(root.id, "parent")])
        lineage: dict[str, tuple[str, ...]] = {root.id: (root.id,)}
        scores = {root.id: await self.score(unit, root.id, WAVES[0], "base")}
        for generation in range(1, GENERATIONS + 1):
            said = await ctx.point(unit, f"g{generation}/propose")
            if said.skipped:
                break
            parent = self.best(scores, lineage, said.vetoed)
            proposal = await ctx.complete(
                Slot(unit, "propose", parent, generation), ask("p", parent)
            )
            children = [
                Node(f"{unit}/g{generation}/i{k}", unit, "case", unit, generation, k, proposal.text,
                     parents=((parent, "mutation"),))
                for k in range(CHILDREN)
            ]  # fmt: skip
            for child in children:
                lineage[child.id] = (*lineage[parent], child.id)
            await ctx.record(*children)
            passed = await asyncio.gather(*(self.gate(unit, child.id) for child in children))
            alive = [c.id for c, ok in zip(children, passed, strict=True) if ok]
            scores |= await self.race(unit, generation, alive, lineage)
            scores = await self.select(unit, generation, scores, lineage)
        await self.promote(unit, scores, lineage)

    async def gate(self, unit: str, node: str) -> bool:
        async def vote(k: int) -> bool:
            slot = Slot(unit, "gate", node, k)
            try:
                text = (await self.ctx.complete(slot, ask("g", node, k))).text
            except CallFailed as error:
                text = error.reason
            ok = text < "a"
            await self.ctx.record(
                Verdict(node, unit, "gate", k, "pass" if ok else "fail", "model", text[:4]),
                effects=[Tally(unit, "gate", "", "pass" if ok else "fail")],
            )
            return ok

        first = await asyncio.gather(vote(0), vote(1))
        votes = sum(first) if first[0] == first[1] else sum(first) + await vote(2)
        ok = votes > VOTES // 2
        await self.ctx.record(
            Verdict(node, unit, "gate", None, "pass" if ok else "fail", "rule"),
            effects=[NodeState(node, "scored" if ok else "rejected")],
        )
        return ok

    async def score(self, unit: str, node: str, n: int, purpose: str, start: int = 0) -> Fraction:
        async def one(k: int) -> Fraction:
            text = (await self.ctx.complete(Slot(unit, purpose, node, k), ask("t", node, k))).text
            grade = Fraction(int(text[-1], 16) % 2)
            await self.ctx.record(Rollout(node, unit, purpose, unit, k, "graded", grade, text[-1]))
            return grade

        return sum(await asyncio.gather(*(one(k) for k in range(start, start + n))), Fraction(0))

    async def race(
        self, unit: str, generation: int, alive: list[str], lineage: dict[str, tuple[str, ...]]
    ) -> dict[str, Fraction]:
        totals = {node: Fraction(0) for node in alive}
        done = 0
        for wave, n in enumerate(WAVES):
            said = await self.ctx.point(unit, f"g{generation}/wave{wave}")
            alive = [node for node in alive if said.vetoed.isdisjoint(lineage[node])]
            for node in alive:
                totals[node] += await self.score(unit, node, n, "rollout", done)
            done += n
        return {node: totals[node] for node in alive}

    async def select(
        self, unit: str, generation: int, scores: dict[str, Fraction],
        lineage: dict[str, tuple[str, ...]],
    ) -> dict[str, Fraction]:  # fmt: skip
        said = await self.ctx.point(unit, f"g{generation}/select")
        gone = tuple(sorted(n for n in scores if not said.vetoed.isdisjoint(lineage[n])))
        ranked = sorted((n for n in scores if n not in gone), key=lambda n: (scores[n], n))
        kept = {node: scores[node] for node in ranked[:KEEP]}
        await self.ctx.record(
            Decision(unit, f"g{generation}/select", "select", unit,
                     tuple({"node": n, "score": str(scores[n])} for n in ranked),
                     tuple(kept), "lowest first", gone),
            effects=[NodeState(node, "survivor", score) for node, score in kept.items()],
        )  # fmt: skip
        return kept

    def best(
        self, scores: dict[str, Fraction], lineage: dict[str, tuple[str, ...]],
        vetoed: frozenset[str],
    ) -> str:  # fmt: skip
        free = [n for n in scores if vetoed.isdisjoint(lineage[n])]
        return min(free, key=lambda n: (scores[n], n), default=next(iter(lineage)))

    async def promote(
        self, unit: str, scores: dict[str, Fraction], lineage: dict[str, tuple[str, ...]]
    ) -> None:
        turn = 0
        while True:
            said = await self.ctx.point(unit, f"promote{turn}")
            chosen = self.best(scores, lineage, said.vetoed)
            gone = tuple(sorted(n for n in scores if not said.vetoed.isdisjoint(lineage[n])))
            await self.ctx.record(
                Decision(unit, f"promote{turn}", "promote", unit, (), (chosen,), "best", gone),
                effects=[NodeState(chosen, "promoted")],
            )
            fresh = await self.score(unit, chosen, 2, "fresh")
            turn += 1
            if not self.ctx.wants_revision(unit, f"promote{turn}", lineage[chosen]):
                break
        await self.ctx.finish_unit(unit, {"promoted": chosen, "fresh": str(fresh)})
