"""What the screens say of a chase run: a file's rows in, lines out."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

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
from evoscope.tui.screens.tabs.of_chase import OWN
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


@pytest.fixture
def facts(chase_run):
    with Reader(chase_run) as reader:
        return chase.read_facts(reader)


@pytest.fixture
def living(chase_live):
    with Reader(chase_live) as reader:
        return chase.read_facts(reader)


def words(facts, unit):
    """Every node's outcome, in order."""
    rows = chase_branches.branches(facts)
    return [row.word for row in rows if row.row is not None and row.stage.id == unit]


def drawn(row, glyphs=UNICODE):
    cells = chase_tree.line_of(row, glyphs, True)
    return plain(chase_tree.tree_line(cells, row, 120))


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


def test_a_spec_of_an_earlier_round_is_shown_as_repeated(facts):
    node = next(n for n in facts.nodes if facts.nodes[n].kind == "harness" and n != "H0")
    facts.nodes[node] = replace(facts.nodes[node], state="collapsed")
    row = next(row for row in chase_branches.branches(facts) if row.key == node)
    assert row.word == "repeated" and UNICODE.collapsed in drawn(row) and "repeated" in drawn(row)


def test_what_a_constraint_forbids_is_marked_without_colour(facts):
    over = [row for row in chase_branches.branches(facts) if row.over]
    assert over and all("50.0%!" in drawn(row) for row in over)


def test_candidates_under_way_show_their_rollouts_in_the_scores_place(living):
    rows = [row for row in chase_branches.branches(living) if row.stage.id == "chase/r2"]
    assert rows[0].word == "running" and rows[0].what == "evaluating candidates"
    assert [row.progress.text for row in rows[1:]] == ["4/4", "4/4", "0/4"]
    assert all(row.progress.text in drawn(row) for row in rows[1:])


def test_rollouts_are_counted_once_as_their_calls_are_answered(chase_live, tmp_path):
    path = tmp_path / "counted.evo"
    path.write_bytes(chase_live.read_bytes())
    sql = (
        "SELECT min(seq), finish FROM call WHERE unit = 'chase/r2' AND role = 'agent' AND "
        "finish = ? GROUP BY node, purpose ORDER BY 1"
    )
    with closing(sqlite3.connect(path)) as db, db:
        ended = db.execute(sql, ("stop",)).fetchall()
        again = "UPDATE call SET finish = 'tool_calls' WHERE unit = 'chase/r2' AND finish = 'stop'"
        db.execute(f"{again} AND seq NOT IN ({', '.join(str(seq) for seq, _ in ended)})")
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


def test_surfaces_and_families_are_counted(chase_run):
    with Reader(chase_run) as reader:
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


def test_the_matrix_marks_what_binds_and_what_was_never_measured(chase_run):
    with Reader(chase_run) as reader:
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
         "n": 208, "alpha": 0.05, "rho": 0.0, "vacuous_gain": False},
        [],
    )]  # fmt: skip
    assert "Delta_BS <= 250.0%  vacuous" in lines[0]
    assert lines[1].strip() == "G_0 >= 10.0%" and "k 2" in lines[2]
    assert "certification" in plain(chase_archive.bound_lines(None, [])[0])


def test_the_stopping_bound_names_its_rounds_and_what_it_assumes(chase_run, tmp_path):
    found = {"stopping": 0.4, "stopping_vacuous": False, "stopping_assumes": "all are optimal"}
    held = [plain(line) for line in chase_archive.bound_lines(found, ["chase/r1", "chase/r3"])]
    assert held[0].strip() == "Delta of the harness of chase/r1, chase/r3 < 40.0%"
    assert held[1].strip() == "assumes that all are optimal"
    (none, _) = (plain(line) for line in chase_archive.bound_lines(found, []))
    assert "holds for no harness" in none and "40.0%" not in none
    bounds = json.dumps({"guarantees": found})
    path = Path(shutil.copy(chase_run, tmp_path / "bounds.evo"))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE unit SET result = ? WHERE id = 'certification'", (bounds,))
        db.execute("UPDATE decision SET kind = 'archive' WHERE step = 'confirm'")
    assert any("holds for no harness" in text for text in _bounds(path))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE decision SET kind = 'reject' WHERE step = 'confirm' AND unit = 'chase/r2'"
        )
    assert any("of the harness of chase/r2 < 40.0%" in text for text in _bounds(path))


def _bounds(path):
    with Reader(path) as reader:
        rows = chase_archive.read_archive(reader).rows
    return [plain(row.text) for row in rows if row.key.startswith("bound ")]


def test_the_effect_says_gain_archive_rounds_and_methods(chase_run, chase_live):
    for path, parts in (
        (chase_run, ("G_rel +50.0%", "H* = h-", "3 benchmarks", "+1 cf", "compass", "on D_cert")),
        (chase_live, ("H_t = h-", "1 benchmark", "1 vetoed", "evaluating candidates")),
    ):
        with Reader(path) as reader:
            found = chase.read_facts(reader)
        lines = chase_effect.effect_lines(read_status(path), found, UNICODE)
        text = "\n".join(map(plain, lines))
        assert all(part in text for part in parts), (path.name, text)
        assert all(line_width(line) <= 80 for line in lines)


def test_a_veto_after_the_seal_contests_the_certificate(chase_run, facts):
    assert chase_effect.contested(facts) == []
    member = next(name for name, trial in facts.trials.items() if trial.archived)
    facts.nodes[member] = replace(facts.nodes[member], vetoed=True)
    lines = chase_effect.effect_lines(read_status(chase_run), facts, UNICODE)
    assert f"contested: {member} vetoed afterwards" in plain(lines[-1])


def test_a_harness_is_compared_surface_by_surface():
    harness = Harness(
        control=[Rule(when="results_below", n=2, do="search_any")],
        guidance=[Guidance(name="g", applies_when="always", instruction="read on")],
    )
    fields = chase_sides.harness_fields(json.dumps(harness.plain()))
    assert fields["control"] == ["when results below 2: search any"]
    assert fields["guidance"] == ["g, always: read on"]
    assert "term_mode: all" in fields["retrieval"] and isinstance(fields["system_prompt"], str)


def test_a_reply_that_is_no_spec_is_refused_and_compared_with_nothing(facts):
    bad = replace(facts.nodes["H0"], id="chase/r1/structural", generation=1, state="rejected",
                  unit="chase/r1")  # fmt: skip
    facts.nodes[bad.id], facts.gates[bad.id] = bad, {"schema": "fail"}
    assert "malformed" in words(facts, "chase/r1")
    assert not OWN.diff(bad) and OWN.diff(facts.nodes["H0"]) and OWN.sides(bad) == ()


def test_a_tools_output_becomes_lines_that_compare_well():
    output = {"documents": [{"id": "a", "total": 3}, {"id": "b", "text": "one\ntwo"}, "c"], "n": 2}
    assert chase_sides.output_lines(output) == [
        "documents:", "- id: a, total: 3", "- id: b", "  text:", "  one", "  two", "- c", "n: 2",
    ]  # fmt: skip
    assert chase_sides.output_lines({"empty": [], "none": None}) == ["empty:", "none: none"]


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
