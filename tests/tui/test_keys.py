"""Every key on every page does what the help says."""

import base64
import shutil
import sqlite3
from contextlib import closing

import pytest

from evoscope.tui import shell
from evoscope.tui.keymap import ACTIONS, INSPECT, RUN, RUNS
from evoscope.tui.screens import dialogs, rows
from evoscope.tui.screens.dialogs import Confirm, Prompt
from evoscope.tui.screens.help import HelpPage
from evoscope.tui.screens.inspect import InspectPage
from evoscope.tui.screens.palette import PalettePage
from evoscope.tui.screens.run import RunPage
from evoscope.tui.screens.runs import RunsPage
from evoscope.tui.screens.veto import VetoDialog
from tests.tui.kit import driven

PAGES_OF = {RUNS: RunsPage, RUN: RunPage, INSPECT: InspectPage}


async def test_numbers_choose_tabs_and_each_tab_says_what_it_is(small):
    words = {
        "1": "progress", "2": "source order", "3": "applied", "4": "kept nodes", "5": "gate",
        "6": "purpose", "7": "report", "8": "event",
    }  # fmt: skip
    async with driven(small) as app:
        for key, word in words.items():
            await app.press(key)
            assert app.top.tab == int(key) - 1
            assert word in app.text.lower(), key


async def test_movement_keys_move_the_cursor_in_every_list(small):
    async with driven(small) as app:
        for tab in "2345 68".replace(" ", ""):
            await app.press(tab, "g")
            view = app.top.view
            listing = view.cases if tab == "2" else view.list
            assert listing.at == 0
            for key, place in (("j", 1), ("k", 0), ("down", 1), ("up", 0)):
                await app.press(key)
                assert listing.at == place, (tab, key)
            await app.press("G")
            last = listing.at
            assert last == len(listing.keys) - 1
            await app.press("ctrl+u", "ctrl+d")
            assert listing.at == last
            await app.press("home")
            assert listing.at == 0
            await app.press("end", "pageup", "pagedown")
            assert listing.at == last


async def test_tree_folds_jumps_and_changes_panes(small):
    async with driven(small) as app:
        await app.press("2", "tab")
        view = app.top.view
        assert view.pane == 1
        root = view.nodes.cursor
        size = len(view.nodes.keys)
        await app.press("h")
        assert len(view.nodes.keys) == 1
        await app.press("l")
        assert (len(view.nodes.keys), view.nodes.cursor) == (size, root)
        await app.press("*")
        scores = [view.nodes.known(key).row for key in view.nodes.keys]
        alive = [r.score for r in scores if r.score and not r.bound and not r.vetoed]
        assert view.nodes.row().row.score == min(alive)
        await app.press("g", "x")
        assert view.nodes.row().row.state == "rejected"
        await app.press("X")
        assert view.nodes.row().row.vetoed or "none further" in app.text
        await app.press("shift+tab")
        assert view.pane == 0


async def test_sorting_changes_the_order_of_cases(small):
    async with driven(small) as app:
        await app.press("2", "s")
        assert "most gained" in app.text
        gains = [app.top.view._by_unit[key].gain for key in app.top.view.cases.keys]
        assert gains == sorted(gains, reverse=True)


async def test_enter_and_i_inspect_the_node_under_the_cursor(small):
    async with driven(small) as app:
        for keys in (
            ("2", "tab", "j", "enter"),
            ("2", "i"),
            ("4", "i"),
            ("5", "enter"),
            ("6", "i"),
        ):
            await app.press(*keys)
            assert isinstance(app.top, InspectPage), keys
            await app.press("escape")
            assert isinstance(app.top, RunPage)


async def test_inspect_has_its_tabs_neighbours_base_and_folds(small):
    async with driven(small) as app:
        await app.press("2", "tab", "j", "j", "j", "i")
        page = app.top
        first = page.node_id
        for key, word in zip("123456", ("vs parent", "evidence", "task", "g0", "audit", '"id"'),
                             strict=True):  # fmt: skip
            await app.press(key)
            assert page.tabs.index(page.tab) == int(key) - 1
            assert word in app.text, key
        await app.press("tab")
        assert page.tab == "Diff"
        await app.press("shift+tab", "right", "d")
        assert page.tab == "Diff" and "vs original" in app.text
        await app.press("z")
        assert page.unfolded
        await app.press("n")
        assert page.node_id != first
        await app.press("N")
        assert page.node_id == first
        await app.press("2", "G", "g", "enter")
        assert page.folds["Verdicts"].open


async def test_a_whole_response_and_its_prompt_open(small):
    async with driven(small) as app:
        await app.press("2", "tab", "j", "j", "j", "i", "5", "enter")
        assert "-- response" in app.text or "Thinking" in app.text or "Question" in app.text


async def test_search_goes_from_hit_to_hit(small):
    async with driven(small) as app:
        await app.press("5", "g", "/")
        assert isinstance(app.top, Prompt)
        await app.type("sibling")
        await app.press("enter")
        first = app.top.view.list.cursor
        assert "sibling" in app.top.view.list.row().reason
        await app.press("n")
        second = app.top.view.list.cursor
        assert second > first
        await app.press("N")
        assert app.top.view.list.cursor == first


@pytest.mark.parametrize(
    ("tab", "text", "check"),
    [
        ("5", "gate=realism outcome=fail", lambda r: (r.gate, r.outcome) == ("realism", "fail")),
        ("5", "axis=cross_reference", lambda r: True),
        ("6", "status=sent", lambda r: r.status == "sent"),
        ("8", "kind=command", lambda r: r.kind == "command"),
    ],
)
async def test_filters_leave_only_what_fits(small, tab, text, check):
    async with driven(small) as app:
        await app.press(tab, "f")
        await app.type(text)
        await app.press("enter")
        listing = app.top.view.list
        for key in list(listing.keys)[-15:]:
            listing.go_to(key)
            app.top.view.request()
            await app.settle()
            assert check(listing.row())
        assert len(listing.keys) < 900
        await app.press("f", "ctrl+u", "enter")
        assert len(app.top.view.list.keys) >= len(listing.keys)


async def test_a_wrong_filter_says_which_there_are(small):
    async with driven(small) as app:
        await app.press("5", "f")
        await app.type("colour=red")
        await app.press("enter")
        assert "no filter 'colour'" in app.text
        assert isinstance(app.top, Prompt)


async def test_follow_is_switched_and_ends_when_one_scrolls(small):
    async with driven(small) as app:
        await app.press("5")
        listing = app.top.view.list
        assert listing.follow
        await app.press("k")
        assert not listing.follow
        await app.press("space")
        assert listing.follow and listing.at == len(listing.keys) - 1
        await app.press("space")
        assert not listing.follow


async def test_orders_reach_the_engine(small, monkeypatch):
    monkeypatch.setattr(dialogs, "QUIET_S", 0.0)
    async with driven(small) as app:
        alive(app)
        await app.press("p")
        await app.press("+", "-", "b")
        assert isinstance(app.top, Prompt)
        await app.press("ctrl+u")
        await app.type("12.50")
        await app.press("enter", "Q")
        assert isinstance(app.top, Confirm)
        await app.press("enter")
        assert isinstance(app.top, RunPage), "Cancel has the focus"
        await app.press(
            "Q", "tab", "enter", "2", "tab", "j", "u", "shift+tab", "S", "right", "enter"
        )
        kinds = [kind for kind, _, _ in app.sent]
        assert kinds == ["pause", "set", "set", "set", "stop", "unveto", "skip"]
        assert app.sent[1][1] == {"key": "concurrency", "value": 80}
        assert app.sent[2][1] == {"key": "concurrency", "value": 48}
        assert app.sent[3][1] == {"key": "budget", "value": "12.50"}


async def test_a_run_without_an_engine_takes_no_orders_but_offers_a_restart(small):
    async with driven(small) as app:
        for key in ("p", "+", "Q", "S"):
            await app.press(key)
        assert app.sent == []
        assert "R starts" in app.text or "no engine" in app.text
        await app.press("R")
        assert isinstance(app.top, Confirm), "starting an engine may cost money"
        await app.press("enter")
        assert isinstance(app.top, RunPage)


async def test_read_only_sends_nothing(small):
    async with driven(small, read_only=True) as app:
        alive(app)
        await app.press("p", "u", "R")
        assert app.sent == []
        assert "read-only" in app.text


async def test_pages_come_and_go(small):
    async with driven(small) as app:
        await app.press("?")
        assert isinstance(app.top, HelpPage)
        await app.press("j", "G", "/")
        await app.type("veto")
        await app.press("enter", "n", "escape", ":")
        assert isinstance(app.top, PalettePage)
        await app.press("escape", "ctrl+p")
        assert isinstance(app.top, PalettePage)
        await app.press("escape", "escape")
        assert isinstance(app.top, RunsPage)
        await app.press("escape")
        assert isinstance(app.top, RunsPage), "the last page stays"
        await app.press("s", "s", "s", "f")
        await app.type("nothing like this")
        await app.press("enter")
        assert len(app.top.list.keys) == 0
        await app.press("f", "ctrl+u", "enter", "enter")
        assert isinstance(app.top, RunPage)


async def test_the_palette_runs_what_one_means(small):
    async with driven(small) as app:
        await app.press(":")
        await app.type("veto the")
        await app.press("enter")
        assert isinstance(app.top, VetoDialog) or "veto" in app.text
        await app.press("escape", ":")
        await app.type("theme: paper")
        await app.press("enter")
        assert app.app.settings.theme.name == "paper"
        await app.press(":")
        await app.type("messages")
        await app.press("enter")
        assert "Messages" in app.text


async def test_t_wears_the_next_theme(small):
    async with driven(small) as app:
        before = app.app.settings.theme.name
        names = set()
        for _ in app.app.settings.themes:
            await app.press("t")
            names.add(app.app.settings.theme.name)
        assert names == set(app.app.settings.themes) and before in names


async def test_copy_export_and_pager(small, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    copied, paged = [], []
    monkeypatch.setattr(shell, "run_pager", lambda path, suspend: paged.append(path.read_text()))
    async with driven(small) as app:
        monkeypatch.setattr(app.app._driver, "write", copied.append)
        for tab in "123468":
            await app.press(tab, "y", "e", "o")
        await app.press(
            "2", "i", "y", "e", "o", "escape", "escape", "y", "e", "o", "?", "y", "e", "o"
        )
        copies = [text for text in copied if text.startswith("\x1b]52")]
        assert len(paged) == 9 and all(text.strip() for text in paged)
        assert len(copies) == 8, "the whole table of calls is too long to copy"
        assert (tmp_path / "evoscope-copy.txt").exists()
        assert len(list(tmp_path.iterdir())) == 10
        assert "accuracy" in base64.b64decode(copies[0][7:-1]).decode()


@pytest.mark.parametrize(
    ("filter_text", "condition"),
    [("", "1"), ("gate=realism outcome=fail", "gate = 'realism' AND outcome = 'fail'")],
)
async def test_a_table_is_exported_whole(small, monkeypatch, tmp_path, filter_text, condition):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rows, "PART", 7)
    async with driven(small) as app:
        await app.press("5", "f")
        await app.type(filter_text)
        await app.press("enter", "e")
    with closing(sqlite3.connect(small)) as db:
        (wanted,) = db.execute(f"SELECT count(*) FROM verdict WHERE {condition}").fetchone()
    (file,) = tmp_path.iterdir()
    assert len(file.read_text().splitlines()) == wanted + 1 > 2


async def test_a_text_too_long_to_copy_becomes_a_file(small, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shell, "COPY_LIMIT", 500)
    async with driven(small) as app:
        await app.press("5", "y")
        assert "too long to copy" in app.text
        await app.press("e")
    copied, exported = sorted(tmp_path.iterdir())
    assert copied.name == "evoscope-copy.txt"
    assert copied.read_text() == exported.read_text()


async def test_a_full_disk_leaves_one_line_and_no_half_of_a_file(small, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def full(view):
        yield "head"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rows.RowsView, "_text", full)
    async with driven(small) as app:
        await app.press("5", "e")
        assert "cannot write" in app.text and "No space left" in app.text
        assert list(tmp_path.iterdir()) == []


async def test_q_leaves(small):
    async with driven(small) as app:
        await app.press("q")
        await app.pilot.pause()
        assert app.app._exit


async def test_the_help_names_every_key_of_its_page(small):
    async with driven(small, size=(100, 60)) as app:
        await app.press("?")
        text = app.top.pane.text()
        for action in ACTIONS:
            if RUN in action.pages and not action.name.startswith("tab"):
                assert action.text in text


async def test_the_mouse_works(small):
    async with driven(small) as app:
        app.app._click(14, 2)
        await app.settle()
        assert app.top.tab == 1
        app.app._click(3, 6)
        app.app._click(40, 7)
        await app.settle()
        assert app.top.view.pane == 1
        app.app._wheel(3)
        await app.settle()
        assert app.top.view.nodes.at > 0


def alive(app):
    """Make the run look as if its engine worked, with 64 calls allowed."""
    from dataclasses import replace

    from evoscope.engine.heartbeat import Heartbeat

    page = app.top
    beat = Heartbeat(
        pid=1, host="here", boot_id="b", start_time="s", time="2026-01-01T00:00:00.000Z",
        in_flight=7, waiting=3, lanes=({"ceiling": 64},),
    )  # fmt: skip
    status = replace(page.run.status, state="running", heartbeat=beat)
    page.run.take(status)
    page.run.read = lambda: status
    page.run.take = lambda status: None


async def test_what_a_person_vetoed_stays_in_the_archive(small, tmp_path):
    run = tmp_path / "copy.evo"
    shutil.copy(small, run)
    with closing(sqlite3.connect(run)) as db:
        (node,) = db.execute(
            "SELECT id FROM node WHERE state = 'survivor' AND generation > 0 LIMIT 1"
        ).fetchone()
        db.execute("UPDATE node SET state = 'discarded', vetoed = 1 WHERE id = ?", (node,))
        db.execute(
            "INSERT INTO command SELECT max(seq) + 1, 'v', 'a@b', '2026-03-01T00:00:00Z', 'veto', "
            "json_object('node', ?), 'not natural', 'done', 'vetoed', 1 FROM command",
            (node,),
        )
        db.commit()
    async with driven(run) as app:
        await app.press("4")
        assert node in app.top.view.siblings()
        assert "vetoed" in app.text
