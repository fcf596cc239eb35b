"""The sanitiser: nothing that a terminal obeys gets through, and widths are true."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.tui.text import cell_width, clean_block, clean_line, clean_lines, cut, fit

HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from("\x00\x1b\x07\x7f\x85\x9b\t\n\r\u200b\u202e\u2066\ufeff\ud800\udfff表é́"),
    )
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text [/] [bold]", "plain text [/] [bold]"),
        ("\x1b[31mred", "␛[31mred"),
        ("bell\x07 del\x7f nul\x00", "bell␇ del␡ nul␀"),
        ("csi \x9b31m", "csi ⟨9B⟩31m"),
        ("a\u202eb\u2066c\u200bd\ufeff", "a⟨202E⟩b⟨2066⟩c⟨200B⟩d⟨FEFF⟩"),
        ("one\ntwo\r\u2028three\u2029", "one␊two␍⟨2028⟩three⟨2029⟩"),
        ("broken \ud83d end", "broken \ufffd end"),
        ("a\tb", "a   b"),
        ("表\tb", "表  b"),
        ("hidden\ufe0f\U000e0041", "hidden⟨FE0F⟩⟨E0041⟩"),
        ("\u0301x", "◌\u0301x"),
        ("o" + "\u0301" * 7, "o" + "\u0301" * 4 + "⟨+3 marks⟩"),
        ("e\u0301té", "e\u0301té"),
    ],
)
def test_unsafe_characters_are_seen_as_symbols(text: str, shown: str) -> None:
    assert clean_line(text) == shown


@given(HOSTILE)
def test_a_cleaned_line_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    shown = clean_line(text)
    bad = [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn")]
    assert bad == []
    assert len(shown.splitlines()) <= 1
    shown.encode()


@given(HOSTILE)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean_line(clean_line(text)) == clean_line(text)


@given(HOSTILE)
def test_lines_split_at_line_feeds_only(text: str) -> None:
    assert len(clean_lines(text)) == text.count("\n") + 1
    assert clean_block(text).split("\n") == clean_lines(text)


@given(HOSTILE, st.integers(0, 60))
def test_cut_and_fit_keep_to_their_cells(text: str, cells: int) -> None:
    line = clean_line(text)
    assert cell_width(cut(line, cells)) <= cells
    assert cell_width(fit(line, cells)) == cells
    assert cell_width(fit(line, cells, right=True)) == cells


@pytest.mark.parametrize(
    ("cells", "shown"),
    [(20, "abcdefghijklmnopqrst"), (12, "abcdefgh…+12"), (5, "abcd…"), (1, "…")],
)
def test_a_cut_line_ends_in_the_number_of_missing_characters(cells: int, shown: str) -> None:
    assert cut("abcdefghijklmnopqrst", cells) == shown


def test_a_line_beyond_the_limit_says_how_much_is_missing() -> None:
    assert clean_line("x" * 30, limit=10) == "x" * 10 + "… +20 characters"


def test_the_sanitiser_needs_no_textual() -> None:
    code = "import sys, evoscope.tui.text; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
