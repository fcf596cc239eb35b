"""Lines: cut, padded, sliced and laid over each other to the cell."""

from hypothesis import given
from hypothesis import strategies as st

from evoscope.tui.lines import (
    Column,
    brief,
    fit_line,
    line_width,
    merged,
    overlay,
    plain,
    put,
    slice_line,
    table_row,
)
from evoscope.tui.text import cell_width, clean_line

TEXTS = st.text(st.characters(), max_size=30).map(clean_line)
LINES = st.lists(st.tuples(TEXTS, st.sampled_from(["", "bad", "dim"])), max_size=5).map(tuple)


@given(LINES, st.integers(0, 60))
def test_a_fitted_line_is_exactly_as_wide_as_asked(line, width):
    assert line_width(fit_line(line, width)) == width


@given(LINES, st.integers(0, 40), st.integers(0, 40))
def test_a_slice_has_as_many_cells_as_the_line_has_there(line, start, size):
    cells = slice_line(line, start, start + size)
    assert line_width(cells) <= size
    if line_width(line) >= start + size:
        assert line_width(cells) == size


@given(TEXTS, st.integers(0, 40))
def test_a_brief_text_fits_and_says_when_something_is_missing(text, cells):
    short = brief(text, cells)
    assert cell_width(short) <= cells
    assert short == text or cells == 0 or short.endswith("…")


@given(LINES, LINES, st.integers(0, 30))
def test_a_box_covers_its_cells_and_nothing_else(ground, box, x):
    lines = [fit_line(ground, 40)]
    width = line_width(box)
    put(lines, [box], x, 0, 40)
    assert line_width(lines[0]) == 40
    if x + width <= 40:
        assert plain(slice_line(lines[0], x, x + width)) == plain(box)
        assert plain(slice_line(lines[0], 0, x)) == plain(slice_line(fit_line(ground, 40), 0, x))


@given(st.lists(TEXTS, min_size=3, max_size=3), st.integers(20, 90))
def test_a_table_row_fills_the_width_and_leaves_out_what_has_no_room(cells, width):
    columns = (Column("a", 8), Column("b", 5, "right", least=60), Column("c", 0))
    assert line_width(table_row(columns, [(cell, "") for cell in cells], width)) == width


def test_numbers_stand_at_the_right_of_their_column():
    row = table_row((Column("a", 6, "right"), Column("b", 0)), [("12", ""), ("x", "")], 12)
    assert plain(row) == "    12 x    "


@given(LINES)
def test_merging_keeps_the_text(line):
    assert plain(merged(line)) == plain(line)


def test_a_mark_lies_over_every_span():
    assert overlay((("a", "bad"), ("b", "")), "cursor") == (("a", "bad cursor"), ("b", "cursor"))
