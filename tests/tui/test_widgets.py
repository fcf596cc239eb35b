"""Lists, texts, folds, bars, editor, diff: the parts that pages are made of."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.tui.canvas import changed_cells
from evoscope.tui.glyphs import ASCII, UNICODE, ascii_text
from evoscope.tui.lines import fit_line, line_width, one, plain, slice_line
from evoscope.tui.text import cell_width, clean_line
from evoscope.tui.widgets.bars import bar, resampled, sparkline
from evoscope.tui.widgets.diff import (
    compare,
    compare_documents,
    folded,
    render,
    text_lines,
    wrap_spans,
)
from evoscope.tui.widgets.editor import LIMIT, Editor
from evoscope.tui.widgets.folding import Entry, FoldPane
from evoscope.tui.widgets.listing import Listing
from evoscope.tui.widgets.text import TextPane

NAMES = st.lists(st.integers(0, 60), unique=True, max_size=40)


@given(NAMES, NAMES, st.integers(0, 39), st.integers(1, 12))
def test_the_cursor_keeps_to_its_entity_whatever_arrives(before, after, at, height):
    listing = Listing()
    listing.resize(height)
    listing.set_keys(sorted(before))
    listing.go(at)
    entity = listing.cursor
    listing.set_keys(sorted(after))
    if entity in after:
        assert listing.cursor == entity
    if after:
        assert listing.top <= listing.at < listing.top + height
        assert listing.keys[listing.at] == listing.cursor


@given(st.lists(st.sampled_from(["up", "down", "half_up", "half_down", "top", "bottom"])),
       st.integers(0, 30), st.integers(1, 9))  # fmt: skip
def test_the_cursor_is_always_in_view(actions, size, height):
    listing = Listing()
    listing.resize(height)
    listing.set_keys(range(size))
    for action in actions:
        assert listing.act(action)
        assert not size or listing.cursor in listing.in_view()


def test_following_stays_at_the_end_until_one_scrolls_away():
    listing = Listing(ordered=True)
    listing.follow = True
    listing.set_keys(range(1, 11))
    assert listing.cursor == 10
    listing.set_keys(range(1, 21))
    assert listing.cursor == 20
    listing.move(-1)
    listing.set_keys(range(1, 31))
    assert (listing.follow, listing.cursor) == (False, 19)


def test_a_list_of_a_million_keeps_a_few_hundred_rows():
    listing = Listing(ordered=True)
    listing.resize(20)
    listing.set_keys(range(1_000_000))
    for place in range(0, 1_000_000, 9_973):
        listing.go(place)
        listing.put((key, str(key)) for key in listing.missing())
        assert not listing.missing()
        assert listing.row() == str(place)
    assert len(listing._rows) <= 600


@given(st.floats(0, 1), st.integers(0, 40))
def test_a_bar_is_as_wide_as_asked_and_full_only_when_done(share, width):
    drawn = bar(share, width, UNICODE)
    assert len(drawn) == width
    if width > 1 and 0 < share < 1:
        assert UNICODE.bar in drawn and UNICODE.rest in drawn


def test_a_sparkline_shows_the_shape():
    assert sparkline([0.0, 0.5, 1.0, None], UNICODE) == "▁▅█ "
    assert sparkline([0.0, 1.0], ASCII) == "_#"
    assert sparkline([0.0, 0.0], UNICODE) == "▁▁"
    assert resampled([1, 1, 3, 3], 2) == [1, 3]


def test_every_sign_is_one_cell_wide_in_both_sets():
    for glyphs in (UNICODE, ASCII):
        for name in glyphs.__slots__:
            assert all(cell_width(char) == 1 for char in getattr(glyphs, name)), name
    assert all(getattr(ASCII, name).isascii() for name in ASCII.__slots__)
    states = ("survivor", "parent", "promoted", "vetoed", "raced_out", "rejected", "collapsed")
    for glyphs in (UNICODE, ASCII):
        assert len({glyphs.of(state) for state in states}) == len(states)


@given(st.text())
def test_ascii_text_is_ascii(text):
    assert ascii_text(text).isascii()


def test_the_editor_edits():
    editor = Editor("hello")
    for key, char in (("x", "x"), ("left", None), ("backspace", None), ("home", None), ("A", "A")):
        assert editor.key(key, char)
    assert editor.text == "Ahellx"
    assert editor.key("delete", None) and editor.text == "Aellx"
    assert editor.key("end", None) and editor.key("ctrl+w", None) and editor.text == ""
    assert not editor.key("f9", None)


@given(st.text(max_size=2 * LIMIT), st.integers(2, 40))
def test_whatever_is_pasted_stays_one_clean_line(text, width):
    editor = Editor()
    editor.insert(text)
    assert len(editor.text) <= LIMIT
    assert not {unicodedata.category(char) for char in editor.text} & {"Cc", "Cf", "Cs", "Zl"}
    assert any(style == "cursor" for _, style in editor.line(width))


def test_searching_a_text_goes_round():
    pane = TextPane([one(f"line {n}") for n in range(50)])
    pane.view(80, 10)
    assert pane.search("line 4") and pane.search("LINE 49")
    assert pane.search("line 4") and pane.search("line 49", -1)
    assert not pane.search("absent")


def test_folds_open_and_close_where_the_cursor_is():
    pane = FoldPane()
    pane.entries = [Entry("a", one("A"), lambda w: [one("inside")]), Entry("b", one("B"))]
    assert "inside" not in "".join(map(plain, pane.view(40, 9, "v", ">")))
    assert pane.toggle() == "a"
    assert "inside" in "".join(map(plain, pane.view(40, 9, "v", ">")))
    pane.act("down")
    assert pane.toggle() is None


WORDS = st.lists(st.sampled_from(["alpha", "beta", "3.5", "gamma", ","]), max_size=12).map(" ".join)


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6))
def test_a_comparison_holds_both_texts_whole(old, new):
    changes = compare(old, new)
    assert [plain(c.old) for c in changes if c.old is not None] == old
    assert [plain(c.new) for c in changes if c.new is not None] == new


def test_changed_words_are_marked_and_others_are_not():
    (change,) = compare(["revenue rose by 5 percent"], ["revenue fell by 5 percent"])
    assert ("rose", "removed!") in change.old
    assert ("fell", "added!") in change.new
    assert not any("revenue" in text for text, style in change.old if style.endswith("!"))


def test_unchanged_stretches_fold_to_their_number():
    old = [f"line {n}" for n in range(20)]
    parts = folded(compare(old, [*old[:10], "other", *old[11:]]))
    assert parts[0] == 9 and parts[-1] == 8 and len(parts) == 5


def test_table_cells_are_aligned_over_both_versions():
    old = {"table": [["", "2007"], ["sales", "1"]]}
    new = {"table": [["", "2007"], ["net sales of goods", "12,345"]]}
    lines = render(compare_documents(old, new, ASCII), 80, ASCII, unfolded=True)
    bars = {plain(line).index("|") for line in lines if "|" in plain(line)}
    assert len(bars) == 1


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_a_diff_fits_its_width(width):
    old = {"text": ["a long sentence of many words " * 9, "same"], "table": [["a", "b"]]}
    new = {"text": ["a long sentence with other words " * 9, "same"], "table": [["a", "c"]]}
    for line in render(compare_documents(old, new, UNICODE), width, UNICODE):
        assert line_width(line) <= width


def test_a_long_paragraph_is_compared_by_sentence():
    text = "One sentence here. " * 40
    assert len(text_lines(text)) >= 40


@given(st.text(max_size=200).map(clean_line), st.integers(8, 30))
def test_wrapped_spans_keep_the_text(text, width):
    lines = wrap_spans(one(text), width)
    assert "".join(map(plain, lines)).replace(" ", "") == text.replace(" ", "") or "表" in text
    assert all(line_width(line) <= width for line in lines)


STYLED = st.lists(
    st.tuples(st.text(st.characters(), max_size=8).map(clean_line), st.sampled_from(["", "bad"])),
    max_size=4,
).map(tuple)


SIMILAR = st.lists(
    st.tuples(st.text("53 o", max_size=8), st.sampled_from(["", "bad"])), max_size=4
).map(tuple)


@given(STYLED | SIMILAR, STYLED | SIMILAR)
def test_painting_the_changed_cells_over_the_old_line_gives_the_new_one(old, new):
    was, now = fit_line(old, 30), fit_line(new, 30)
    start, end = changed_cells(was, now, 30)
    mixed = (*slice_line(was, 0, start), *slice_line(now, start, end), *slice_line(was, end, 30))
    assert plain(mixed) == plain(now)
