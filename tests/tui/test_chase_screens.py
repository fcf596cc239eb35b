"""A chase run's own tabs and sides: keys, sizes, hostile strings, and how they look."""

import sqlite3
from contextlib import closing

import pytest

from evoscope.tui.screens.inspect import InspectPage
from evoscope.tui.screens.veto import VetoDialog
from tests.tui import fuzzers
from tests.tui.kit import driven
from tests.tui.test_golden import SIZES, compare
from tests.tui.test_keys import alive

WAYS = {
    "overview": "1", "tree": "2 j j j", "axes": "3 j j", "archive": "4 j", "ledger": "5",
    "fixture": "4 G k k k k i", "checks": "4 G k k k k i 2", "paths": "2 * i",
    "changes": "2 * i 2", "rollouts": "2 * i 4", "calls": "2 * i 6", "veto": "2 * v",
    "shifted": "4 G k k k k v",
}  # fmt: skip


@pytest.fixture(params=["chase_run", "chase_live", "chase_hostile"])
def each(request):
    return request.getfixturevalue(request.param)


async def test_the_tree_folds_jumps_and_sorts(chase_run):
    async with driven(chase_run) as app:
        await app.press("2")
        view = app.top.view
        assert view.list.cursor == "start"
        size = len(view.list.keys)
        await app.press("j", "j", "h")
        assert view.list.cursor == "chase/r1" and len(view.list.keys) == size - 11
        assert "(11 nodes)" in app.text
        await app.press("enter")
        assert len(view.list.keys) == size
        await app.press("*")
        assert view.rows[view.list.cursor].word == "chosen"
        await app.press("h")
        assert view.list.cursor == "chase/r2"
        await app.press("h", "x")
        assert view.rows[view.list.cursor].word == "invalid", "a folded round opens for it"
        await app.press("X")
        assert "none further on" in app.text
        for word in ("by score", "by outcome", "as it came"):
            before = view.list.cursor
            await app.press("s")
            assert word in app.text and view.list.cursor == before


async def test_the_next_vetoed_one_is_found(chase_live):
    async with driven(chase_live) as app:
        await app.press("2", "X")
        view = app.top.view
        assert view.rows[view.list.cursor].word == "vetoed" and "⊘" in app.text


async def test_the_tree_is_filtered_and_searched(chase_run):
    async with driven(chase_run) as app:
        await app.press("2", "f")
        await app.type("state=confirmed")
        await app.press("enter")
        rows = app.top.view.rows.values()
        assert [row.word for row in rows if row.row is not None] == ["confirmed", "confirmed"]
        assert "filter: state=confirmed" in app.text
        await app.press("*")
        assert "filter:" not in app.text, "what the filter hides is shown when it is sought"
        await app.press("f")
        await app.type("colour=red")
        await app.press("enter")
        assert "no filter 'colour' here" in app.text
        await app.press("escape", "g", "/")
        await app.type("identifiers")
        await app.press("enter")
        first = app.top.view.list.at
        await app.press("n")
        assert "identifiers" in app.screen[5 + app.top.view.list.at - app.top.view.list.top]
        assert app.top.view.list.at > first


async def test_the_cursor_keeps_to_its_node_when_rows_arrive(chase_run, tmp_path):
    path = tmp_path / "more.evo"
    path.write_bytes(chase_run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM node WHERE id LIKE 'chase/r1/p%'")
    async with driven(path) as app:
        await app.press("2", "*")
        node, place = app.top.view.list.cursor, app.top.view.list.at
        with closing(sqlite3.connect(chase_run)) as db:
            sql = "SELECT * FROM node WHERE id LIKE 'chase/r1/p%'"
            rows = db.execute(sql).fetchall()
        with closing(sqlite3.connect(path)) as db, db:
            marks = ", ".join("?" * len(rows[0]))
            db.executemany(f"INSERT INTO node VALUES ({marks})", rows)
        app.top.tick()
        await app.settle()
        assert (app.top.view.list.cursor, app.top.view.list.at) == (node, place + len(rows))


async def test_axes_go_from_all_methods_to_each(chase_run):
    async with driven(chase_run) as app:
        await app.press("3")
        for word in ("chase", "compass", "all methods"):
            await app.press("a")
            assert app.screen[3].strip().startswith(word)


async def test_enter_on_a_confirmation_opens_its_fixture_and_checks(chase_run):
    async with driven(chase_run) as app:
        await app.press("4", "G", "k", "k", "k", "k", "enter")
        assert isinstance(app.top, InspectPage) and app.top.node_id.startswith("cf-")
        assert app.top.tabs[:2] == ("Fixture", "Checks") and "Diff" not in app.top.tabs
        assert "set_depth" in app.text and "claims (never used)" in app.text
        assert "fixture " in app.text
        await app.press("2")
        for part in ("holds    task and answer", "1 of 6 in round 2", "D_disc  100.0%",
                     "confirmed, and in the archive"):  # fmt: skip
            assert part in app.text
        await app.press("N")
        assert app.top.node_id.startswith("cf-")


async def test_a_refused_proposal_says_why_and_what_is_unknown(chase_run):
    async with driven(chase_run) as app:
        await app.press("2", "x", "i")
        assert "unknown, for it was refused before" in app.text
        await app.press("2")
        assert "unknown  task and answer" in app.text and "not ranked" in app.text


async def test_a_harness_has_trajectories_and_a_diff_by_surface(chase_run):
    async with driven(chase_run) as app:
        await app.press("2", "*", "i")
        assert app.top.tabs[:2] == ("Trajectories", "Diff")
        assert "H0 before, this harness after" in app.text and "differs most" in app.text
        assert "search  " in app.text
        await app.press("2")
        assert "retrieval  2 of 10 lines changed" in app.text
        assert "by_period: true" in app.top.shown().text
        await app.press("d")
        assert "vs original" in app.text
        await app.press("4")
        assert "1x  L" in app.text
        await app.press("6", "enter")
        text = "".join(app.top.shown().parts())
        assert "-- user" in text and "-- response" in text


async def test_wide_screens_set_trajectories_side_by_side(chase_run):
    async with driven(chase_run, (120, 40)) as app:
        await app.press("2", "*", "i")
        assert any("answer: " in line.partition("│")[2] for line in app.top.texts_pane.text()
                   .splitlines())  # fmt: skip


async def test_h_0_has_nothing_to_be_compared_with(chase_run):
    async with driven(chase_run) as app:
        await app.press("2", "j", "i")
        assert app.top.node_id == "H0" and app.top.tabs[0] == "Diff"
        assert "the original" in app.text and "system_prompt" in app.text


async def test_help_says_what_the_signs_mean_here(chase_run):
    async with driven(chase_run) as app:
        await app.press("?")
        text = "".join(app.top.shown().parts())
        assert "H*, the chosen harness" in text and "best of its case" not in text


async def test_the_ledger_counts_chases_gates_and_filters_by_kind(chase_run):
    async with driven(chase_run) as app:
        await app.press("5")
        head = app.screen[3]
        assert head.index("generalization") < head.index("firewall") < head.index("duplicate")
        await app.press("f")
        assert "kind=" in app.text and "case=" not in app.text
        await app.type("kind=guidance outcome=pass")
        await app.press("enter")
        assert len(app.top.view.list.keys) == 2


@pytest.mark.parametrize(
    ("keys", "takes"),
    [("4 G k k k k", "leaves the archive"), ("2 *", "goes from every later selection")],
)
async def test_a_veto_says_what_it_takes_and_is_sent(chase_run, keys, takes, monkeypatch):
    clock = [100.0]
    async with driven(chase_run) as app:
        monkeypatch.setattr(app.app, "now", lambda: clock[0])
        alive(app)
        await app.press(*keys.split())
        node = app.top.view.node()
        await app.press("v")
        assert isinstance(app.top, VetoDialog) and takes in app.text and node in app.text
        await app.type("no real protocol")
        for key in ("tab", "enter"):
            clock[0] += 5.0
            await app.press(key)
        assert app.sent == [("veto", {"node": node}, "no real protocol")]


async def test_h_0_cannot_be_vetoed(chase_run):
    async with driven(chase_run) as app:
        alive(app)
        await app.press("2", "j", "v")
        assert "H0 is an original" in app.text


async def test_exports_hold_the_whole_tab(chase_run):
    async with driven(chase_run, (60, 15)) as app:
        for keys, parts in (
            ("2", ("h-", "cf-", "infeasible", "confirmed")), ("3", ("guidance", "serialisation")),
            ("4", ("epsilon 5.0%", "b2", "bounds", "50.0*")),
        ):  # fmt: skip
            await app.press(*keys.split())
            text = app.top.shown().text
            assert all(part in text for part in parts), keys


# sizes, hostile strings, looks


async def test_every_page_stands_every_size(each):
    async with driven(each) as app:
        await fuzzers.stands_every_size(app, WAYS.values())


async def test_hostile_strings_are_shown_and_never_sent(chase_hostile):
    async with driven(chase_hostile, size=(120, 40)) as app:
        await fuzzers.shows_hostile_strings(app, WAYS.values())


async def test_random_keys_break_nothing_and_command_nothing(chase_hostile):
    async with driven(chase_hostile) as app:
        await fuzzers.press_at_random(app, 600)


async def test_ascii_screens_are_ascii(chase_run):
    async with driven(chase_run, ascii_only=True) as app:
        await fuzzers.is_ascii(app, WAYS.values())


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("size", SIZES)
async def test_screens_look_as_they_did(chase_run, chase_live, size):
    async with driven(chase_run, SIZES[size]) as app:
        for name, keys in WAYS.items():
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            compare(f"chase-{name}-{size}.txt", text)
            await fuzzers.home(app)
    async with driven(chase_live, SIZES[size]) as app:
        for name, keys in (("live", "1"), ("running", "2 G")):
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            compare(f"chase-{name}-{size}.txt", text)
