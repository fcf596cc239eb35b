"""View models: rows in, lines out; and what the app does outside its screen."""

import base64
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.model.harden import AxisTerms
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.status import HardenEffect, read_status
from evoscope.tui import format as format_
from evoscope.tui import shell
from evoscope.tui.filters import parse
from evoscope.tui.glyphs import UNICODE
from evoscope.tui.lines import line_width, plain
from evoscope.tui.screens.header import header, state_text, waiting_for
from evoscope.tui.screens.tabs.report import report_lines, table_lines
from evoscope.tui.searches import harden
from tests.tui.kit import driven


@pytest.fixture(scope="module")
def reader(small):
    with Reader(small) as opened:
        yield opened


def test_a_tree_shows_children_below_their_parent_and_hides_those_of_closed_ones(reader):
    unit = harden.read_cases(reader)[0].unit
    tree = harden.read_tree(reader, unit, 10)
    lines = harden.tree_lines(tree, frozenset())
    depth = {line.row.id: line.depth for line in lines}
    assert len(lines) == len(tree.rows)
    for line in lines:
        assert all(depth[parent] == line.depth - 1 for parent in line.row.parents)
    root = lines[0].row.id
    assert len(harden.tree_lines(tree, frozenset([root]))) == 1


def test_vanished_parents_leave_their_children_reachable(reader):
    tree = harden.read_tree(reader, harden.read_cases(reader)[0].unit, 10)
    tree.rows = tree.rows[1:]
    assert len(harden.tree_lines(tree, frozenset())) == len(tree.rows)


def test_the_best_score_never_rises_from_generation_to_generation(reader):
    for case in harden.read_cases(reader):
        known = [score for score in case.best if score is not None]
        assert known == sorted(known, reverse=True)


def test_cases_are_filtered_by_state_and_word(reader):
    rows = harden.read_cases(reader)
    parked = [row for row in rows if harden.case_matches(row, {"state": "parked"}, "")]
    assert [row.state for row in parked] == ["parked"]
    assert len([row for row in rows if harden.case_matches(row, {}, "0003")]) == 1


def test_gate_signs_stand_in_the_gates_order():
    assert harden.gate_signs({"validity": "pass", "realism": "fail"}, UNICODE) == "✓··✗·"


def test_terms_that_are_zero_are_left_out():
    zero = Fraction(0)
    terms = AxisTerms(Fraction(11, 4), Fraction(3), zero, zero, Fraction(-1), zero)
    assert harden.terms_text(terms) == "2.75 +3 -1"


def test_an_effect_says_what_it_rests_on():
    effect = HardenEffect(cases=4, hardened=2, scored=4, fresh_before=Fraction(7, 10),
                          fresh_after=Fraction(4, 10))  # fmt: skip
    text = "\n".join(map(plain, harden.effect_lines(effect, (0.1, None), UNICODE)))
    assert "70.0% ±10.0 → 40.0%" in text and "-30.0 points, fresh rollouts, 4 cases" in text
    assert "no case" in plain(harden.effect_lines(HardenEffect(), (None, None), UNICODE)[0])


@given(st.integers(60, 220))
def test_the_header_is_two_lines_of_the_screens_width(width):
    status = CACHE["status"]
    for line in header(status, [], width, UNICODE):
        assert line_width(line) == width


CACHE: dict = {}


@pytest.fixture(autouse=True, scope="module")
def _status(small):
    CACHE["status"] = read_status(small)


def test_states_are_said_in_words():
    status = CACHE["status"]
    assert state_text(status) == "engine lost"
    paused = replace(status, state="paused", reason="budget reached")
    assert state_text(paused) == "paused: budget reached"
    assert (
        waiting_for({"next_retry_s": 44.6, "next_retry_reason": "429"}) == "retry in 45 s after 429"
    )
    assert waiting_for({}) == ""


def test_a_report_becomes_aligned_lines():
    report = {
        "title": "demo", "banner": ["offline"],
        "tables": {"a": {"title": "A", "columns": [{"name": "x"}, "y"],
                         "rows": [["long cell", 1.5], ["b", None]], "notes": ["a note"]}},
    }  # fmt: skip
    text = [plain(line) for line in report_lines(report, 60)]
    assert "  long cell  1.5" in text and any("n/a" in line for line in text)
    assert any("a note" in line for line in text)


async def test_the_report_tab_shows_what_the_command_gives(small):
    async with driven(small) as app:
        app.top.views[6]._make = lambda: {"title": "demo", "tables": {}}
        await app.press("7")
        assert "demo" in app.text


async def test_a_job_that_fails_is_one_line_and_more_on_request(small):
    async with driven(small) as app:
        app.app.load(lambda: 1 / 0, lambda result: None)
        await app.settle()
        assert "division by zero" in app.text
        app.app.show_messages()
        await app.settle()
        assert "ZeroDivisionError" in app.text
        app.app.failures.clear()


def test_the_clipboard_takes_what_terminals_take():
    sequence = shell.osc52("hé")
    assert sequence is not None and sequence.startswith("\x1b]52;c;")
    assert base64.b64decode(sequence[7:-1]).decode() == "hé"
    assert shell.osc52("x" * 100_000) is None


def test_a_saved_text_never_overwrites(tmp_path):
    first = shell.save_parts("a/b c.txt", ["one"], tmp_path)
    second = shell.save_parts("a/b c.txt", ["tw", "o"], tmp_path)
    assert first != second and first.parent == second.parent == tmp_path
    assert (first.read_text(), second.read_text()) == ("one", "two")


def test_filters_are_names_and_words():
    found = parse("gate=realism not natural outcome=fail =x")
    assert found.where == {"gate": "realism", "outcome": "fail"}
    assert found.text == "not natural =x"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5, "<1 min"), (61, "1 min"), (3_600, "1 h 00 min"), (7_980, "2 h 13 min"),
     (360_000, "4 d 4 h")],
)  # fmt: skip
def test_durations_are_coarse(seconds, text):
    assert format_.duration(seconds) == text


def test_numbers_are_written_alike():
    assert format_.money(None) == "?" and format_.money(Decimal("1234.5")) == "$1,234.50"
    assert format_.money(Decimal("0.0021")) == "$0.0021"
    assert [format_.short(n) for n in (None, 999, 12_345, 4_100_000)] == [
        "-",
        "999",
        "12.3k",
        "4.1M",
    ]
    assert format_.span(600, 900) == "10-15 min" and format_.span(30, 40) == "<1 min"


@pytest.mark.usefixtures("utc")
def test_times_are_local_and_broken_ones_are_empty():
    assert format_.local_time("2026-03-01T08:00:01.000Z", date=True) == "2026-03-01 08:00:01"
    assert format_.local_time("soon") == ""
    assert format_.parse_time("2026-03-01T08:00:01") == datetime(2026, 3, 1, 8, 0, 1, tzinfo=UTC)


@given(
    st.lists(
        st.tuples(
            st.text("ab [/]cde", max_size=60),
            st.integers(-(10**9), 10**9),
            st.floats(-1e6, 1e6),
            st.none(),
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(60, 200),
)
def test_a_report_fits_every_width_and_cuts_no_number(rows, width):
    table = {
        "columns": ["what it is", "how many candidates met it", "share of all of them, %", "p"],
        "digits": [None, 0, 3, 4],
        "rows": [list(row) for row in rows],
    }
    lines = table_lines(table, width)
    text = "\n".join(plain(line) for line in lines)
    assert max(map(line_width, lines)) <= width
    for _, number, share, _ in rows:
        assert f"{number:,}" in text and f"{share:z,.3f}" in text
    assert text.count("n/a") == len(rows)
