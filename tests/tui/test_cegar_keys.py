"""Every key on a cegar run's own tabs and sides."""

import pytest

from evoscope.tui.screens.inspect import InspectPage
from evoscope.tui.screens.tabs.cegar_class import ClassPage
from evoscope.tui.screens.veto import VetoDialog
from tests.tui.cegarfile import VETOED
from tests.tui.kit import driven
from tests.tui.test_keys import alive

BEST = "target-2/2"


async def test_the_tree_folds_jumps_and_sorts(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("2")
        view = app.top.view
        assert view.list.cursor == "start"
        size = len(view.list.keys)
        await app.press("l")
        assert len(view.list.keys) == size + 1
        await app.press("h", "j", "h")
        assert "target-1/0" not in view.list.keys
        await app.press("enter", "escape", "l")
        await app.press("*")
        assert view.list.cursor == BEST
        await app.press("h")
        assert view.list.cursor == "target-2"
        await app.press("h", "g", "x")
        assert view.list.cursor == "target-1/0"
        await app.press("X")
        assert view.list.cursor == VETOED, "a folded target opens for what is sought"
        await app.press("X")
        assert "none further on" in app.text and view.list.cursor == VETOED
        for word in ("largest class", "best Delta", "state", "as tried"):
            await app.press("s")
            assert word in app.text and view.list.cursor == VETOED


async def test_the_tree_is_filtered_and_searched(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("2", "f")
        await app.type("level=2 state=rejected")
        await app.press("enter")
        rows = app.top.view.rows.values()
        assert {row.level for row in rows if row.depth} == {"2"}
        await app.press("f")
        for _ in range(22):
            await app.press("backspace")
        await app.type("colour=red")
        await app.press("enter")
        assert "there are state, level, gate, vetoed" in app.text
        await app.press("escape", "/")
        await app.type("small_group_types")
        await app.press("enter")
        assert app.top.view.list.cursor == "target-3/3"


async def test_enter_shows_a_targets_class_and_inspects_an_operator(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("2", "j", "enter")
        assert isinstance(app.top, ClassPage) and "66 right, 13 wrong" in app.text
        await app.press("escape", "j", "enter")
        assert isinstance(app.top, InspectPage) and app.top.node_id == "target-1/0"
        await app.press("n")
        assert app.top.node_id == "target-1/1"


async def test_an_operator_has_its_sides(cegar_run):
    words = {
        "1": "own/apply_discounts#5", "2": "minority_values", "3": "what it flags",
        "4": "57 right, 7 wrong", "5": "admission", "6": "chosen: target-2/2", "7": "author",
        "8": '"id"',
    }  # fmt: skip
    async with driven(cegar_run) as app:
        await app.press("2", "*", "i")
        assert "Delta +0.0312" in app.text
        for key, word in words.items():
            await app.press(key)
            if key == "6":
                await app.press("G", "enter")
            assert word in app.text, key
        await app.press("7", "enter")
        assert "You write operators." in app.text


async def test_a_hand_written_operator_has_source_and_flags_only(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("4", "G", "i")
        assert app.top.tabs[:2] == ("Source", "Flags") and "Pair" not in app.top.tabs
        await app.press("2")
        assert "it flags nothing" in app.text


async def test_abstentions_are_counted_by_reason(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("2", "/")
        await app.type("counts_empty_blocks")
        await app.press("enter", "i", "3")
        assert "abstains on 5" in app.text and "2  timeout" in app.text
        assert "2  its own choice" in app.text and "1  crash: ValueError" in app.text


async def test_wide_screens_set_the_pair_side_by_side(cegar_run):
    async with driven(cegar_run, (120, 40)) as app:
        await app.press("2", "*", "i")
        assert any("def apply_discounts" in line.partition("│")[2] for line in app.screen)
    async with driven(cegar_run) as app:
        await app.press("2", "*", "i")
        assert not any("│" in line for line in app.screen[2:])


async def test_the_archive_shows_members_of_a_blind_spot(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("4", "j", "j", "enter")
        assert isinstance(app.top, ClassPage) and "42 right, 1 wrong" in app.text


async def test_a_behaviour_opens_all_its_operators_and_vetoes_none_of_several(cegar_run):
    async with driven(cegar_run) as app:
        await app.press("3", "i")
        assert isinstance(app.top, InspectPage) and len(app.top.siblings) == 3
        await app.press("escape", "v")
        assert "no node here to veto" in app.text


@pytest.mark.parametrize("keys", ["2 *", "4 j", "3 G"])
async def test_an_operator_is_vetoed_from_every_tab(cegar_run, keys, monkeypatch):
    clock = [100.0]
    async with driven(cegar_run) as app:
        monkeypatch.setattr(app.app, "now", lambda: clock[0])
        alive(app)
        await app.press(*keys.split(), "v")
        assert isinstance(app.top, VetoDialog)
        assert "leaves the pool and its signatures" in app.text and "Delta +0.0312" in app.text
        await app.type("keys on layout")
        for key in ("tab", "enter"):
            clock[0] += 1
            await app.press(key)
        assert app.sent == [("veto", {"node": BEST}, "keys on layout")]


async def test_an_open_target_is_skipped_by_its_own_name(cegar_run):
    async with driven(cegar_run) as app:
        alive(app)
        await app.press("2", "G", "k", "S")
        assert "target-3" in app.text
        await app.press("escape", "g", "S")
        assert len(app.app.stack) == 2, "the starting pool is no target"


async def test_the_ledger_counts_every_consultation_and_filters_by_gate(cegar_run):
    async with driven(cegar_run, (120, 40)) as app:
        await app.press("5")
        assert "screens ✓9 ✗0  shrinks ✓3 ✗6  distinction ✓3 ✗0  rewritten ✓3 ✗0" in app.text
        await app.press("f")
        await app.type("gate=admission outcome=fail")
        await app.press("enter")
        assert "1 of 1" in app.text and "fewer than 3 tasks" in app.text


async def test_held_out_figures_appear_without_a_key(cegar_run, tmp_path):
    path = tmp_path / "scored.evo"
    path.write_bytes(cegar_run.read_bytes())
    side = path.with_name(f"{path.name}.d")
    side.mkdir()
    (side / "heldout.jsonl").write_text("a line that a crash cut short\n")
    async with driven(path) as app:
        await app.settle()
        assert "not all of the pool is scored" in app.text


async def test_what_is_shown_is_exported_with_its_reasons(cegar_run):
    async with driven(cegar_run) as app:
        for tab, word in (("1", "headroom"), ("2", "flags none of the target's"),
                          ("3", "behaviour"), ("4", "target-2/2")):  # fmt: skip
            await app.press(tab)
            assert word in "".join(app.top.shown().parts()), tab
        await app.press("2", "g", "j", "enter")
        assert "wrong #" in "".join(app.top.shown().parts())
