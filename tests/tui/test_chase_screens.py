"""A chase run's own tabs and sides: keys, sizes, hostile strings, and how they look."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import pytest

from evoscope.engine.benchmarks.transform.firewall import CHECKS
from evoscope.engine.benchmarks.transform.operators import FAMILIES
from evoscope.engine.model.chase import ADVICE, CAPABILITY, Guidance, Harness, Retrieval, Rule
from evoscope.engine.store.content import prompt_of, turns_of
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.status import read_status
from evoscope.tui.filters import parse
from evoscope.tui.glyphs import ASCII, UNICODE
from evoscope.tui.lines import line_width, plain
from evoscope.tui.screens.inspect import InspectPage
from evoscope.tui.screens.veto import VetoDialog
from evoscope.tui.searches import (
    chase,
    chase_archive,
    chase_axes,
    chase_branches,
    chase_effect,
    chase_paths,
    chase_progress,
    chase_sides,
    chase_tree,
)
from tests.tui import chasefile, test_fuzz
from tests.tui.kit import driven
from tests.tui.test_golden import SIZES, compare
from tests.tui.test_keys import alive

WAYS = {
    "overview": "1", "tree": "2 j j j", "axes": "3 j j", "archive": "4 j", "ledger": "5",
    "fixture": "4 G k k k k i", "checks": "4 G k k k k i 2", "paths": "2 * i",
    "changes": "2 * i 2", "rollouts": "2 * i 4", "calls": "2 * i 6", "veto": "2 * v",
    "shifted": "4 G k k k k v",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return chasefile.finished(tmp_path_factory.mktemp("chase") / "chase.evo")


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    return chasefile.under_way(tmp_path_factory.mktemp("chase") / "live.evo")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return chasefile.hostile(tmp_path_factory.mktemp("chase") / "hostile.evo")


@pytest.fixture(params=["run", "live", "hostile"])
def each(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def facts(run):
    with Reader(run) as reader:
        return chase.read_facts(reader)


@pytest.fixture
def living(live):
    with Reader(live) as reader:
        return chase.read_facts(reader)


def words(facts, unit):
    """Every node's outcome, in order."""
    rows = chase_branches.branches(facts)
    return [row.word for row in rows if row.row is not None and row.stage.id == unit]


def drawn(row, glyphs=UNICODE):
    cells = chase_tree.line_of(row, glyphs, True)
    return plain(chase_tree.tree_line(cells, row, 120))


# rows


def test_every_node_stands_once_below_its_round(facts):
    rows = chase_branches.branches(facts)
    below = [row.key for row in rows if row.row is not None]
    assert sorted(below) == sorted(facts.nodes) and len(set(below)) == len(below)
    assert all(row.stage.id == row.row.unit for row in rows if row.row is not None)


def test_outcomes_are_those_of_the_decisions(facts):
    assert words(facts, "chase/r1")[:3] == ["adopted", "not adopted", "not adopted"]
    assert words(facts, "chase/r2")[:3] == ["infeasible", "not adopted", "chosen"]
    found = words(facts, "chase/r1")[3:]
    assert found.count("confirmed") == 1 and found.count("tried") == 1
    assert found[-2:] == ["invalid", "inactive"]
    assert words(facts, "chase/r2")[-1] == "duplicate"


def test_a_rounds_line_says_what_it_chose_and_confirmed(facts):
    heads = {row.key: row for row in chase_branches.branches(facts) if row.row is None}
    text = heads["chase/r2"].what
    assert "adopted h-" in text and "2 of 3 feasible" in text and "confirmed cf-" in text
    assert heads["final"].what.startswith("H* is h-")
    assert heads["certification"].what == "3 methods on D_cert"


def test_a_veto_stands_before_everything(facts):
    node = next(name for name, trial in facts.trials.items() if trial.archived)
    facts.nodes[node] = replace(facts.nodes[node], vetoed=True)
    row = next(row for row in chase_branches.branches(facts) if row.key == node)
    assert row.word == "vetoed" and UNICODE.vetoed in drawn(row) and "vetoed" in drawn(row)


def test_what_a_constraint_forbids_is_marked_without_colour(facts):
    over = [row for row in chase_branches.branches(facts) if row.over]
    assert over and all("50.0%!" in drawn(row) for row in over)


def test_candidates_under_way_show_their_rollouts_in_the_scores_place(living):
    rows = [row for row in chase_branches.branches(living) if row.stage.id == "chase/r2"]
    assert rows[0].word == "running" and rows[0].what == "evaluating candidates"
    assert [row.progress.text for row in rows[1:]] == ["4/4", "4/4", "0/4"]
    assert all(row.progress.text in drawn(row) for row in rows[1:])


def test_rollouts_are_counted_once_as_their_calls_are_answered(live, tmp_path):
    path = tmp_path / "counted.evo"
    path.write_bytes(live.read_bytes())
    sql = "SELECT seq, finish FROM call WHERE unit = 'chase/r2' AND finish = 'stop' ORDER BY seq"
    with closing(sqlite3.connect(path)) as db, db:
        ended = db.execute(sql).fetchall()
        waiting = "UPDATE call SET status = 'sent', finish = NULL WHERE seq = ?"
        db.executemany(waiting, [(seq,) for seq, _ in ended[1:]])
        settings = {"rollouts_evo": 1}

    def done(reader):
        return sum(one.done for one in chase_progress.read_progress(reader, ["chase/r2"],
                                                                    settings).values())  # fmt: skip

    with Reader(path) as reader:
        counts = [done(reader), done(reader)]
        for seq, finish in reversed(ended[1:]):
            with closing(sqlite3.connect(path)) as db, db:
                answered = "UPDATE call SET status = 'completed', finish = ? WHERE seq = ?"
                db.execute(answered, (finish, seq))
            counts.append(done(reader))
    assert counts == [1, *range(1, len(ended) + 1)]


def test_a_round_says_what_it_does_now(living):
    stage = next(one for one in living.stages if one.id == "chase/r2")
    living.nodes = {name: row for name, row in living.nodes.items() if row.unit != stage.id}
    assert chase_branches.stage_activity(living, stage) == "proposing"
    earlier = [replace(one, state="open") if one.id == "chase/r1" else one for one in living.stages]
    living.stages = earlier
    assert chase_branches.stage_activity(living, stage) == "waits for the round before"
    assert not chase_branches.waits(living, living.stages[0])


@pytest.mark.parametrize(
    ("text", "count"),
    [("state=infeasible", 1), ("kind=counterfactual", 16), ("kind=guidance method=chase", 2),
     ("family=order", 2), ("round=2 kind=harness", 6), ("vetoed=1", 0), ("reserialise", 5)],
)  # fmt: skip
def test_lines_are_filtered_by_name_and_word(facts, text, count):
    wanted = parse(text)
    rows = [row for row in chase_branches.branches(facts) if row.row is not None]
    assert sum(chase_tree.matches(row, wanted.where, wanted.text) for row in rows) == count


def test_the_best_harness_is_the_chosen_one_else_the_methods_best(facts, living):
    rows = chase_branches.branches(facts)
    assert chase_tree.best(rows, "compass").word == "chosen"
    rows = chase_branches.branches(living)
    best = chase_tree.best(rows, "compass")
    assert best.stage.method == "compass" and best.score == Fraction(1, 2)


def test_surfaces_and_families_are_counted(run):
    with Reader(run) as reader:
        rows, methods = chase_axes.read_counts(reader, None)
        own, _ = chase_axes.read_counts(reader, "compass")
    assert methods == ["chase", "compass"]
    counts = {row.name: row.counts for row in rows}
    assert counts["guidance"][0] >= 4 and counts["guidance"][-1] >= 1
    assert counts["layout"][3:] == (2, 1) and counts["tool schema"] == (0, 0, 0, 0, 0)
    assert counts["none, or unread"] == (4, 1, 0, 0, 0)
    assert {row.name: row.counts for row in own}["layout"][0] == 0
    for proposed, *rest in (row.counts for row in rows if row.counts):
        known = [number for number in (proposed, *rest) if number is not None]
        assert known == sorted(known, reverse=True), "each count is a part of the one before"


def test_names_are_the_engines():
    assert set(chase_axes.SURFACES) == {*ADVICE, *CAPABILITY}
    assert chase_axes.FAMILIES == FAMILIES and tuple(chase_sides.CHECKS) == CHECKS
    assert tuple(Harness.model_fields) == chase_sides.SPEC


def test_a_surface_counts_as_changed_where_it_differs_from_the_parent():
    before, after = Harness().plain(), Harness(memory=["x"], retrieval=Retrieval(top_k=3)).plain()
    assert chase_axes.changed_surfaces(before, after) == {"memory", "retrieval"}


def test_the_matrix_marks_what_binds_and_what_was_never_measured(run):
    with Reader(run) as reader:
        found = chase_archive.read_archive(reader)
    lines = {
        row.key: [text for text, _ in chase_archive.matrix_cells(row, found.benchmarks, 80, ASCII)]
        for row in found.rows
        if row.gains is not None
    }
    assert len(found.benchmarks) == 2
    bound = [cells for cells in lines.values() if "no" in cells]
    assert len(bound) == 1 and "50.0*" in bound[0][3] and "?" in bound[0][4]
    assert sum("chosen" in cells for cells in lines.values()) == 1


def test_an_interval_is_over_tasks_and_needs_two():
    scores = {("h", "rel"): 1.0, ("H0", "rel"): 0.0, ("h", "b"): 0.0, ("H0", "b"): 0.0}
    flat = {**scores, ("h", "b"): 1.0}
    pairs = {("a", 0): scores, ("a", 1): flat, ("b", 0): flat, ("c", 0): {("h", "rel"): 1.0}}
    assert chase_archive.task_means(pairs, "h", "b") == [0.5, 0.0]
    assert chase_archive.Measured(Fraction(1, 4), 0.1).text == "25.0% ±10.0"
    assert chase_archive.Measured(Fraction(1, 4)).text == "25.0%"
    assert chase_archive.Measured(None).text == "?"


def test_vacuous_bounds_are_marked_and_missing_ones_said():
    lines = [plain(line) for line in chase_archive.bound_lines(
        {"delta_bs_at_most": 2.5, "vacuous_delta": True, "g_0_at_least": 0.1, "k": 2, "m": 3,
         "n": 208, "alpha": 0.05, "rho": 0.0, "vacuous_gain": False}
    )]  # fmt: skip
    assert "Delta_BS <= 250.0%  vacuous" in lines[0]
    assert lines[1].strip() == "G_0 >= 10.0%" and "k 2" in lines[2]
    assert "certification" in plain(chase_archive.bound_lines(None)[0])


def test_the_effect_says_gain_archive_rounds_and_methods(run, live):
    for path, parts in (
        (run, ("G_rel +50.0%", "H* = h-", "3 benchmarks", "+1 cf", "compass", "on D_cert")),
        (live, ("H_t = h-", "1 benchmark", "1 vetoed", "evaluating candidates")),
    ):
        with Reader(path) as reader:
            found = chase.read_facts(reader)
        lines = chase_effect.effect_lines(read_status(path), found, UNICODE)
        text = "\n".join(map(plain, lines))
        assert all(part in text for part in parts), (path.name, text)
        assert all(line_width(line) <= 80 for line in lines)


def test_a_harness_is_compared_surface_by_surface():
    harness = Harness(
        control=[Rule(when="results_below", n=2, do="search_any")],
        guidance=[Guidance(name="g", applies_when="always", instruction="read on")],
    )
    fields = chase_sides.harness_fields(json.dumps(harness.plain()))
    assert fields["control"] == ["when results below 2: search any"]
    assert fields["guidance"] == ["g, always: read on"]
    assert "term_mode: all" in fields["retrieval"] and isinstance(fields["system_prompt"], str)


def rolled(context, item, node, score, answer="a", split="evo"):
    return chase_paths.Rolled(context, item, 0, node, Fraction(score), answer, "slot", split)


def test_trajectories_are_of_the_task_that_differs_most():
    rows = [
        rolled("rel", "t1", "H0", 0), rolled("rel", "t1", "h", 0, "b"),
        rolled("cf", "t2", "H0", 0), rolled("cf", "t2", "h", 1),
        rolled("rel", "t3", "H0", 1), rolled("rel", "t3", "h", 0),
        rolled("rel", "t0", "h", 1),
    ]  # fmt: skip
    before, after = chase_paths.most_different(rows, "h")
    assert (before.item, before.node, after.node) == ("t3", "H0", "h")
    before, _ = chase_paths.most_different(rows[:2], "h")
    assert before.item == "t1"
    assert chase_paths.most_different(rows[-1:], "h") is None


@pytest.mark.parametrize(
    "raw",
    [[{"id": "1", "name": "search", "arguments": {"q": "x"}}],
     [{"type": "text", "text": "t"}, {"type": "tool_use", "name": "search", "input": {"q": "x"}}],
     {"tool_calls": [{"function": {"name": "search", "arguments": '{"q": "x"}'}}]}],
)  # fmt: skip
def test_tool_calls_are_read_in_every_form(raw):
    tool = ["tool", '{"results": ["a", "b", "c", "d", "e"]}', None, "1"]
    messages = [["user", "<q>", None, None], ["assistant", "", raw, None], tool]
    request = json.dumps({"system": "s", "messages": messages})
    lines = chase_paths.trajectory_lines(request, "42")
    assert lines[0] == "search  q x" and "  and 1 more" in lines[-2] and lines[-1] == "answer: 42"
    assert [role for role, _ in prompt_of(request)] == ["system", "user", "assistant", "tool"]
    assert turns_of("no json") == []


# keys


async def test_the_tree_folds_jumps_and_sorts(run):
    async with driven(run) as app:
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


async def test_the_next_vetoed_one_is_found(live):
    async with driven(live) as app:
        await app.press("2", "X")
        view = app.top.view
        assert view.rows[view.list.cursor].word == "vetoed" and "⊘" in app.text


async def test_the_tree_is_filtered_and_searched(run):
    async with driven(run) as app:
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


async def test_the_cursor_keeps_to_its_node_when_rows_arrive(run, tmp_path):
    path = tmp_path / "more.evo"
    path.write_bytes(run.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM node WHERE id LIKE 'chase/r1/p%'")
    async with driven(path) as app:
        await app.press("2", "*")
        node, place = app.top.view.list.cursor, app.top.view.list.at
        with closing(sqlite3.connect(run)) as db:
            sql = "SELECT * FROM node WHERE id LIKE 'chase/r1/p%'"
            rows = db.execute(sql).fetchall()
        with closing(sqlite3.connect(path)) as db, db:
            marks = ", ".join("?" * len(rows[0]))
            db.executemany(f"INSERT INTO node VALUES ({marks})", rows)
        app.top.tick()
        await app.settle()
        assert (app.top.view.list.cursor, app.top.view.list.at) == (node, place + len(rows))


async def test_axes_go_from_all_methods_to_each(run):
    async with driven(run) as app:
        await app.press("3")
        for word in ("chase", "compass", "all methods"):
            await app.press("a")
            assert app.screen[3].strip().startswith(word)


async def test_enter_on_a_confirmation_opens_its_fixture_and_checks(run):
    async with driven(run) as app:
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


async def test_a_refused_proposal_says_why_and_what_is_unknown(run):
    async with driven(run) as app:
        await app.press("2", "x", "i")
        assert "unknown, for it was refused before" in app.text
        await app.press("2")
        assert "unknown  task and answer" in app.text and "not ranked" in app.text


async def test_a_harness_has_trajectories_and_a_diff_by_surface(run):
    async with driven(run) as app:
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


async def test_wide_screens_set_trajectories_side_by_side(run):
    async with driven(run, (120, 40)) as app:
        await app.press("2", "*", "i")
        assert any("answer: " in line.partition("│")[2] for line in app.top.texts_pane.text()
                   .splitlines())  # fmt: skip


async def test_h_0_has_nothing_to_be_compared_with(run):
    async with driven(run) as app:
        await app.press("2", "j", "i")
        assert app.top.node_id == "H0" and "unknown: no task" in app.text


async def test_the_ledger_counts_chases_gates_and_filters_by_kind(run):
    async with driven(run) as app:
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
async def test_a_veto_says_what_it_takes_and_is_sent(run, keys, takes, monkeypatch):
    clock = [100.0]
    async with driven(run) as app:
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


async def test_h_0_cannot_be_vetoed(run):
    async with driven(run) as app:
        alive(app)
        await app.press("2", "j", "v")
        assert "H0 is an original" in app.text


async def test_exports_hold_the_whole_tab(run):
    async with driven(run, (60, 15)) as app:
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


async def test_ascii_screens_are_ascii(run):
    async with driven(run, ascii_only=True) as app:
        for keys in WAYS.values():
            await app.press(*keys.split())
            for y in range(24):
                assert app.app.canvas.render_line(y).text.isascii(), (keys, y)
            await test_fuzz.home(app)


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("size", SIZES)
async def test_screens_look_as_they_did(run, live, size):
    async with driven(run, SIZES[size]) as app:
        for name, keys in WAYS.items():
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            compare(f"chase-{name}-{size}.txt", text)
            await test_fuzz.home(app)
    async with driven(live, SIZES[size]) as app:
        for name, keys in (("live", "1"), ("running", "2 G")):
            await app.press(*keys.split())
            text = "\n".join(line.rstrip() for line in app.screen) + "\n"
            compare(f"chase-{name}-{size}.txt", text)
