"""A cegar run's own tabs and sides: keys, sizes, hostile strings, and how they look."""

import sqlite3
from contextlib import closing
from fractions import Fraction

import pytest

from evoscope.engine.report.cegar_live import Facts, facts_of, trouble
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.status import read_status
from evoscope.tui.filters import Filter, parse
from evoscope.tui.glyphs import UNICODE
from evoscope.tui.lines import line_width, plain
from evoscope.tui.screens.inspect import InspectPage
from evoscope.tui.screens.tabs.cegar_class import ClassPage
from evoscope.tui.screens.veto import VetoDialog
from evoscope.tui.searches import cegar, cegar_effect, cegar_pool, cegar_tree
from tests.tui import test_fuzz
from tests.tui.cegarfile import ABSTAINING, HAND, VETOED, build_cegar
from tests.tui.kit import driven
from tests.tui.test_golden import SIZES, compare
from tests.tui.test_keys import alive

BEST = "target-2/2"
WAYS = {
    "overview": "1", "tree": "2 j j j", "axes": "3 j j", "archive": "4", "ledger": "5",
    "pair": "2 * i", "source": "2 * i 2", "flags": "2 * i 3", "class": "2 * i 4",
    "calls": "2 * i 7", "target": "2 g j enter", "veto": "2 * v",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return build_cegar(tmp_path_factory.mktemp("cegar") / "cegar.evo")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return build_cegar(tmp_path_factory.mktemp("cegar") / "hostile.evo", hostile=True)


@pytest.fixture(params=["run", "hostile"])
def either(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def reader(run):
    with Reader(run) as opened:
        yield opened


# rows


def test_targets_hold_their_attempts_and_say_how_they_ended(reader):
    search = cegar.read_search(reader)
    assert [target.word for target in search.targets] == [
        "admitted", "admitted", "abandoned", "incomplete"
    ]  # fmt: skip
    assert [len(target.attempts) for target in search.targets] == [2, 3, 4, 0]
    assert search.standing == ["target-1/1", BEST]
    assert search.admitted_before("target-2") == ["target-1/1"]
    assert search.targets[1].best == Fraction(1, 32)


def test_a_class_that_no_decision_names_yet_is_found_in_the_labels(reader):
    facts = facts_of(reader)
    search = cegar.read_search(reader)
    decided = [(target.right, target.wrong, target.fault) for target in search.targets[:3]]
    blank = [cegar.replace(t, right=None, wrong=None, fault="") for t in search.targets[:3]]
    found = cegar.with_classes(cegar.replace(search, targets=tuple(blank)), facts)
    assert [(t.right, t.wrong, t.fault) for t in found.targets] == decided


def test_a_target_is_found_whichever_vetoes_were_known_then(reader):
    facts, search = facts_of(reader), cegar.read_search(reader)
    key, before = search.targets[2].key, search.admitted_before("target-3")
    gone = frozenset([BEST])
    assert facts.target(key, before, gone).key == key
    first = search.targets[1].key
    assert facts.target(first, before, gone).key == first, "its pool had no second operator"
    assert facts.target(first, before, frozenset()) is None


def test_tree_lines_fold_filter_and_sort(reader):
    search, none = cegar.read_search(reader), Filter({}, "")
    whole = cegar_tree.tree_lines(search, frozenset(), none, 0)
    assert [line.key for line in whole if not line.depth] == [
        "start", "target-1", "target-2", "target-3", "ending"
    ]  # fmt: skip
    folded = cegar_tree.tree_lines(search, frozenset({"target-3"}), none, 0)
    assert len(whole) - len(folded) == 5
    largest = cegar_tree.tree_lines(search, frozenset(), parse("state=abandoned"), 1)
    assert [line.unit for line in largest] == ["target-3"] * 2
    vetoed = cegar_tree.tree_lines(search, frozenset(), parse("vetoed=1"), 0)
    assert [line.key for line in vetoed] == ["target-2", VETOED]
    by_delta = cegar_tree.tree_lines(search, frozenset(), none, 2)
    assert [line.key for line in by_delta if not line.depth][1] == "target-2"


def test_operators_stop_at_a_gate_or_are_admitted(reader):
    levels = [row for row in cegar_pool.read_tried(reader) if row.key.startswith("level ")]
    assert [len(row.nodes) for row in levels] == [3, 6]
    for row in levels:
        assert sum(row.stops.values()) + row.admitted == len(row.nodes)


def test_a_behaviour_is_what_flags_the_same_programs(reader):
    facts = facts_of(reader)
    for row in cegar_pool.read_tried(reader)[2:]:
        assert len({facts.behaviour(node) for node in row.nodes}) == 1


def test_the_archive_has_pool_spots_and_certificate(reader):
    archive = cegar_pool.read_archive(reader)
    kinds = ["spot" if row.spot else row.word for row in archive.rows]
    assert kinds == ["admitted", "admitted", "spot", "spot", "spot", "starting"]
    assert archive.sealed is not None and archive.ended == "incomplete"
    for row in archive.rows:
        columns = cegar_pool.columns_of(row, 120)
        assert len(cegar_pool.kept_cells(row, UNICODE)) == len(columns)
    facts = facts_of(reader)
    admitted = archive.rows[0]
    assert facts.score(admitted.node).delta == admitted.delta
    assert facts.score(admitted.node).helped == admitted.helped


def test_a_running_target_says_what_it_is_doing(run, tmp_path):
    path = tmp_path / "live.evo"
    path.write_bytes(run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM node WHERE id = 'target-3/3'")
        db.execute("UPDATE unit SET state = 'open', result = NULL WHERE id = 'target-3'")
        db.execute("DELETE FROM decision WHERE unit IN ('target-3', 'ending')")
    with Reader(path) as opened:
        target = cegar.read_search(opened).targets[2]
    assert (target.word, target.under_way) == ("open", "is being tried")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE call SET status = 'sent' WHERE slot = 'target-3|author||3|0|0'")
    with Reader(path) as opened:
        assert cegar.read_search(opened).targets[2].under_way == "is being authored"


def effect_text(path):
    with Reader(path) as opened:
        effect = cegar_effect.read_effect(opened)
    return "\n".join(map(plain, cegar_effect.effect_lines(read_status(path), effect, UNICODE)))


def test_the_effect_says_what_it_rests_on(run):
    text = effect_text(run)
    assert "+0.0285  20.4% of the headroom, helped 3, hurt 0, p 0.034, training" in text
    assert "2 operators, by two votes" in text and "9 of 60 calls" in text
    assert "2 split, 1 abandoned" in text and "evoscope score RUN" in text


def test_a_last_unit_that_finds_nothing_to_try_is_no_progress_beyond_the_whole(run):
    status = read_status(run)
    assert (status.done, status.total) == (3, 3)


def test_after_a_veto_of_a_pool_member_the_effect_is_unknown(run, tmp_path):
    path = tmp_path / "vetoed.evo"
    path.write_bytes(run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE node SET vetoed = 1 WHERE id = 'target-1/1'")
    assert "not known since a veto" in effect_text(path)


def test_before_the_baseline_is_done_there_are_no_classes(run, tmp_path):
    path = tmp_path / "early.evo"
    path.write_bytes(run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE unit SET state = 'open' WHERE id = 'baseline'")
        db.execute("DELETE FROM unit WHERE kind = 'target'")
        db.execute("DELETE FROM decision")
    with Reader(path) as opened:
        assert facts_of(opened) is None and trouble(opened) == ""
    assert "24 of 24 tasks are labelled" in effect_text(path)


def test_a_file_without_its_labels_says_so(run, tmp_path):
    path = tmp_path / "broken.evo"
    path.write_bytes(run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM matrix WHERE node = 'labels' AND shard = 3")
    with Reader(path) as opened:
        archive = cegar_pool.read_archive(opened)
        assert facts_of(opened) is None
        head = "\n".join(map(plain, cegar_pool.archive_head(archive)))
    assert "are missing" in head


def test_an_operators_figures_are_those_of_its_recorded_verdicts(reader):
    facts = Facts(reader)
    said = facts.said(ABSTAINING)
    assert set(said.verdicts.values()) == {"A"} and len(said.reasons) == 3
    assert facts.column(ABSTAINING) is None and facts.score(ABSTAINING) is None
    assert set(facts.said(HAND).verdicts.values()) == {"P"}


# keys


async def test_the_tree_folds_jumps_and_sorts(run):
    async with driven(run) as app:
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


async def test_the_tree_is_filtered_and_searched(run):
    async with driven(run) as app:
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


async def test_enter_shows_a_targets_class_and_inspects_an_operator(run):
    async with driven(run) as app:
        await app.press("2", "j", "enter")
        assert isinstance(app.top, ClassPage) and "66 right, 13 wrong" in app.text
        await app.press("escape", "j", "enter")
        assert isinstance(app.top, InspectPage) and app.top.node_id == "target-1/0"
        await app.press("n")
        assert app.top.node_id == "target-1/1"


async def test_an_operator_has_its_sides(run):
    words = {
        "1": "own/apply_discounts#5", "2": "minority_values", "3": "what it flags",
        "4": "57 right, 7 wrong", "5": "admission", "6": "chosen: target-2/2", "7": "author",
        "8": '"id"',
    }  # fmt: skip
    async with driven(run) as app:
        await app.press("2", "*", "i")
        assert "Delta +0.0312" in app.text
        for key, word in words.items():
            await app.press(key)
            if key == "6":
                await app.press("G", "enter")
            assert word in app.text, key
        await app.press("7", "enter")
        assert "-- system" in app.text


async def test_a_hand_written_operator_has_source_and_flags_only(run):
    async with driven(run) as app:
        await app.press("4", "G", "i")
        assert app.top.tabs[:2] == ("Source", "Flags") and "Pair" not in app.top.tabs
        await app.press("2")
        assert "it flags nothing" in app.text


async def test_abstentions_are_counted_by_reason(run):
    async with driven(run) as app:
        await app.press("2", "/")
        await app.type("counts_empty_blocks")
        await app.press("enter", "i", "3")
        assert "abstains on 5" in app.text and "2  timeout" in app.text
        assert "2  its own choice" in app.text and "1  crash: ValueError" in app.text


async def test_wide_screens_set_the_pair_side_by_side(run):
    async with driven(run, (120, 40)) as app:
        await app.press("2", "*", "i")
        assert any("def apply_discounts" in line.partition("│")[2] for line in app.screen)
    async with driven(run) as app:
        await app.press("2", "*", "i")
        assert not any("│" in line for line in app.screen[2:])


async def test_the_archive_shows_members_of_a_blind_spot(run):
    async with driven(run) as app:
        await app.press("4", "j", "j", "enter")
        assert isinstance(app.top, ClassPage) and "42 right, 1 wrong" in app.text


async def test_a_behaviour_opens_all_its_operators_and_vetoes_none_of_several(run):
    async with driven(run) as app:
        await app.press("3", "i")
        assert isinstance(app.top, InspectPage) and len(app.top.siblings) == 3
        await app.press("escape", "v")
        assert "no node here to veto" in app.text


@pytest.mark.parametrize("keys", ["2 *", "4 j", "3 G"])
async def test_an_operator_is_vetoed_from_every_tab(run, keys, monkeypatch):
    clock = [100.0]
    async with driven(run) as app:
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


async def test_an_open_target_is_skipped_by_its_own_name(run):
    async with driven(run) as app:
        alive(app)
        await app.press("2", "G", "k", "S")
        assert "target-3" in app.text
        await app.press("escape", "g", "S")
        assert len(app.app.stack) == 2, "the starting pool is no target"


async def test_the_ledger_counts_every_consultation_and_filters_by_gate(run):
    async with driven(run, (120, 40)) as app:
        await app.press("5")
        assert "screens ✓9 ✗0  shrinks ✓3 ✗6  distinction ✓3 ✗0  rewritten ✓3 ✗0" in app.text
        await app.press("f")
        await app.type("gate=admission outcome=fail")
        await app.press("enter")
        assert "1 of 1" in app.text and "fewer than 3 tasks" in app.text


async def test_what_is_shown_is_exported_with_its_reasons(run):
    async with driven(run) as app:
        for tab, word in (("1", "headroom"), ("2", "flags none of the target's"),
                          ("3", "behaviour"), ("4", "target-2/2")):  # fmt: skip
            await app.press(tab)
            assert word in "".join(app.top.shown().parts()), tab
        await app.press("2", "g", "j", "enter")
        assert "wrong #" in "".join(app.top.shown().parts())


# fuzzers


async def test_every_page_stands_every_size(either):
    async with driven(either) as app:
        for keys in WAYS.values():
            await app.press(*keys.split())
            for width, height in test_fuzz.SIZES:
                lines = app.app.canvas._frame(width, height)
                assert len(lines) == height
                assert all(line_width(line) == width for line in lines)
            await test_fuzz.home(app)


async def test_hostile_strings_are_shown_and_never_sent(hostile):
    seen = ""
    async with driven(hostile, size=(120, 40)) as app:
        for keys in WAYS.values():
            await app.press(*keys.split())
            test_fuzz.whole(app, (120, 40))
            seen += app.text
            if (shown := app.top.shown()) is not None:
                text = "".join(shown.parts())
                assert all(char.isprintable() or char == "\n" for char in text)
            await test_fuzz.home(app)
    for part in ("[red]bold[/red]", "\N{SYMBOL FOR ESCAPE}", "⟨202E⟩", "表"):
        assert part in seen, part


# looks


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("size", SIZES)
async def test_screens_look_as_they_did(run, size):
    async with driven(run, SIZES[size]) as app:
        for name, keys in WAYS.items():
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            compare(f"cegar-{name}-{size}.txt", text)
            await test_fuzz.home(app)


@pytest.mark.usefixtures("utc")
async def test_ascii_screens_are_ascii(run):
    async with driven(run, ascii_only=True) as app:
        for keys in WAYS.values():
            await app.press(*keys.split())
            for y in range(24):
                assert app.app.canvas.render_line(y).text.isascii(), (keys, y)
            await test_fuzz.home(app)
