"""Vetoes that come between two decisions: what was chosen before them is not carried on."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.model.chase import Harness
from evoscope.engine.model.core import Decision, Rollout
from evoscope.engine.searches.chase.gains import Sheet
from evoscope.engine.searches.chase.search import run
from evoscope.engine.searches.chase.selection import Choice
from evoscope.engine.searches.chase.state import State
from tests.engine.searches.chase.arena import Delayed, answer, mute, setup
from tests.engine.searches.harden.memory_context import MemoryContext
from tests.replay_kit import Kit, drop

ADOPTING: dict[str, Any] = {"eta": "2", "rounds": 2, "methods": ["chase", "compass"]}
ARCHIVING: dict[str, Any] = {"eta": "0", "rounds": 1, "methods": ["chase"]}
SPLITS = setup().released.splits
SEAL = ("certification", "seal")


async def lived(seed: int, settings: dict[str, Any], **vetoed: Any) -> MemoryContext:
    ctx = MemoryContext(answer, seed=seed, order=seed, **vetoed)
    await run(ctx, setup(seed, **settings))
    assert ctx.parked == {}
    return ctx


def decision(ctx: MemoryContext, unit: str, step: str) -> Decision:
    (found,) = [d for d in ctx.store.all(Decision) if (d.unit, d.step) == (unit, step)]
    return found  # type: ignore[no-any-return]


def certified(ctx: MemoryContext, method: str) -> str:
    methods: Any = ctx.store.results["certification"]["methods"]
    return str(methods[method]["harness"])


async def test_a_harness_vetoed_right_before_the_seal_is_not_certified() -> None:
    first = await lived(1, ADOPTING)
    chosen = certified(first, "chase")
    assert chosen != "H0", "seed 1 adopts"
    ctx = await lived(1, ADOPTING, at={SEAL: [("veto", chosen)]})
    again, seal = decision(ctx, "certification", "final"), decision(ctx, *SEAL)
    assert decision(ctx, "final", "final").chosen == (chosen,)
    assert again.chosen == (certified(ctx, "chase"),) != (chosen,)
    assert chosen in again.vetoes and chosen in seal.vetoes and chosen not in seal.chosen
    assert {"method": "chase", "node": again.chosen[0], "instead_of": chosen} in seal.considered
    sealed = [r for r in ctx.store.all(Rollout) if r.item in SPLITS["cert"]]
    assert sealed and all(r.node != chosen for r in sealed)
    assert ctx.store.states[chosen].state != "promoted"


async def test_a_comparison_s_last_harness_vetoed_right_before_the_seal_leaves_it_h_0() -> None:
    first = await lived(1, ADOPTING)
    last = certified(first, "compass")
    assert last != "H0", "seed 1 adopts"
    ctx = await lived(1, ADOPTING, at={SEAL: [("veto", last)]})
    assert certified(ctx, "compass") == "H0"
    assert certified(ctx, "chase") == certified(first, "chase")
    assert last in decision(ctx, *SEAL).vetoes
    assert ("certification", "final") not in {(d.unit, d.step) for d in ctx.store.all(Decision)}


async def test_a_counterfactual_vetoed_right_before_the_seal_is_certified_under_by_nobody() -> None:
    first = await lived(3, ARCHIVING)
    (name,) = decision(first, "chase/r1", "confirm").chosen
    ctx = await lived(3, ARCHIVING, at={SEAL: [("veto", name)]})
    assert ctx.store.results["certification"]["archive"] == ["rel"]
    assert not any(r.context == name and r.item in SPLITS["cert"] for r in ctx.store.all(Rollout))
    assert name in decision(ctx, "certification", "final").vetoes


@pytest.mark.parametrize("step", ["challenge", "confirm"])
async def test_a_harness_vetoed_after_its_selection_is_not_challenged(step: str) -> None:
    first = await lived(3, ARCHIVING)
    (chosen,) = decision(first, "chase/r1", "select").chosen
    assert chosen != "H0", "seed 3 adopts"
    ctx = await lived(3, ARCHIVING, at={("chase/r1", step): [("veto", chosen)]})
    made = decision(ctx, "chase/r1", "confirm")
    assert made.kind == "skip" and made.reason.startswith("vetoed") and chosen in made.vetoes
    bought = {r.item for r in ctx.store.all(Rollout)}
    assert bought.isdisjoint(SPLITS["conf1"])
    assert bought.isdisjoint(SPLITS["disc"]) == (step == "challenge")


async def test_decisions_name_the_vetoes_that_the_round_s_prompts_have_followed() -> None:
    settings = {**ARCHIVING, "rounds": 2}
    first = await lived(3, settings)
    (name,) = decision(first, "chase/r1", "confirm").chosen
    early = await lived(3, settings, at={("chase/r2", "propose"): [("veto", name)]})
    assert name in decision(early, "chase/r2", "propose").vetoes
    assert decision(first, "chase/r2", "rank")
    late = await lived(3, settings, at={("chase/r2", "challenge"): [("veto", name)]})
    assert name in decision(late, "chase/r2", "rank").vetoes
    assert decision(late, "chase/r2", "select").vetoes == ()


async def test_a_feedback_pass_that_fails_is_said_to_have() -> None:
    ctx = MemoryContext(mute(lambda slot, request: slot.purpose == "hindsight"), seed=1)
    await run(ctx, setup(1, rounds=1, methods=["chase"]))
    skipped = [d for d in ctx.store.all(Decision) if d.step in ("proactive", "hindsight")]
    assert [(d.step, d.kind) for d in skipped] == [("hindsight", "skip")]
    assert "refusal" in skipped[0].reason


def test_a_veto_takes_along_what_was_ever_revised_from_the_harness() -> None:
    first = Harness()
    names = ("H0", "a", "b", "c", "d")
    state = State("chase", dict.fromkeys(names, first), Sheet(()), Sheet(()))
    state.close(1, Choice("a", "adopt", ""), {"candidates": {"a": "structural"}})
    state.begin(frozenset())
    state.close(2, Choice("b", "adopt", ""), {"candidates": {"b": "guidance", "c": "integrated"}})
    state.begin(frozenset({"a"}))
    state.close(3, Choice("d", "adopt", ""), {"candidates": {"d": "guidance"}})
    assert state.barred(frozenset({"a"})) == {"a", "b", "c"}
    assert state.barred(frozenset({"b"})) == {"b"}
    assert state.eligible(frozenset({"a"}), ["c"]) == ("d", [])


class Interrupted:
    """A context whose people veto a node right before a decision point."""

    def __init__(self, inner: Any, path: Path, step: str, node: str) -> None:
        self.inner, self.path, self.step, self.node = inner, path, step, node

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def point(self, unit: str, step: str) -> Any:
        if step == self.step:
            drop(self.path, {"id": "late", "kind": "veto", "args": {"node": self.node}})
            await asyncio.sleep(30)
        return await self.inner.point(unit, step)


def methods_in(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as db:
        sql = "SELECT result FROM unit WHERE id = 'certification' AND state = 'done'"
        (text,) = db.execute(sql).fetchone()
    return {name: entry["harness"] for name, entry in json.loads(text)["methods"].items()}


@pytest.mark.parametrize(("method", "step"), [("compass", "final"), ("compass", "seal"),
                                              ("chase", "seal")])  # fmt: skip
def test_a_veto_after_a_method_s_last_round_parks_nothing_and_is_heeded(
    tmp_path: Path, method: str, step: str
) -> None:
    kit = Kit(
        lambda: lambda ctx: run(ctx, setup(1, **ADOPTING | {"rounds": 1, "rollouts_conf": 1})),
        tmp_path, lambda seed: {"off": Delayed(seed)}, concurrency=64,
    )  # fmt: skip
    whole, path, plain = kit.file("whole"), kit.file("late"), kit.search
    assert kit.finish(whole, 1).state == "finished"
    before = methods_in(whole)
    kit.search = lambda: (
        lambda ctx: plain()(
            Interrupted(ctx, path, step, before[method])  # type: ignore[arg-type]
        )
    )
    assert before[method] != "H0" and kit.finish(path, 1).state == "finished"
    assert methods_in(path) == before | {method: "H0"}
    kit.search = plain
    assert kit.verify(path).ok
