"""The sealed split and texts that later units read, on the engine's own store."""

from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.engine.context import Context, UnitSpec
from evoscope.engine.model.core import RELEASE_SPLIT, SEALED_SPLIT, Decision, Item, Node, Rollout
from tests.replay_kit import HashProvider, Kit, Life

OPEN = Decision("u0", "seal", "open_seal", "", (), (), "hash of what is certified")


def opening(early: bool, seen: list[str | None], split: str = SEALED_SPLIT) -> Kit:
    async def search(ctx: Context) -> None:
        async def body(unit: UnitSpec) -> None:
            if unit.id == "u0":
                await ctx.record(Node("h", "u0", "harness", "r", 0, 0, "{}"))
                await ctx.save_text("history", "é" * 3000)
                if not early:
                    await ctx.record(OPEN)
            else:
                seen.append(await ctx.load_text("history"))
                seen.append(await ctx.load_text("nothing"))
                await ctx.record(Rollout("h", "u1", "rel", "t", 0, "graded", Fraction(1)))
            await ctx.finish_unit(unit.id, {})

        await ctx.record(Item("t", split, "{}"), Item("e", "evo", "{}", 1))
        units = [UnitSpec(f"u{k}", "round", k) for k in range(2)]
        await ctx.run_units(units, body, one_after_another=True)

    return Kit(lambda: search, FOLDER, lambda seed: {"toy": HashProvider("toy", seed)})


FOLDER = Path()


@pytest.mark.parametrize("split", [SEALED_SPLIT, RELEASE_SPLIT])
def test_a_rollout_on_a_sealed_item_is_refused_before_the_seal_is_opened(
    tmp_path: Path, split: str
) -> None:
    kit = opening(True, [], split)
    kit.folder = tmp_path
    path = kit.file("early")
    end = kit.finish(path, 1)
    assert (end.state, "sealed" in end.reason) == ("failed", True)


def test_the_decision_opens_the_seal_for_this_life_and_the_next(tmp_path: Path) -> None:
    seen: list[str | None] = []
    kit = opening(False, seen)
    kit.folder = tmp_path
    path = kit.file("whole")
    assert kit.finish(path, 1).state == "finished"
    assert seen == ["é" * 3000, None]
    assert kit.verify(path).ok
    for cut in range(2, 9):
        path = kit.file(f"cut{cut}")
        kit.live(path, 1, Life(stop_after=cut))
        assert kit.finish(path, 1).state == "finished"
        assert kit.digest(path) == kit.digest(tmp_path / "whole.evo")
