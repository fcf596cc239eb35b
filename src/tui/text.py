"""The one sanitiser between stored text and any terminal: screens and command line alike.

What comes out holds no control character, no bidirectional or zero-width character, no lone
surrogate and no line break; whatever was there is seen as a symbol. Its width in cells is what
`cell_width` says. Imports nothing of Textual, so that the command line can use it.
"""

import re
import unicodedata

from rich.cells import cell_len, split_text

TAB = 4
"""Cells from one tab stop to the next."""
LINE_LIMIT = 20_000
"""Characters of one line that are looked at; the rest is counted."""
MARKS = 4
"""Combining marks kept on one character; more are counted."""

_CUT = "…"
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_HIDDEN = frozenset(
    chr(code)
    for low, high in (
        (0x034F, 0x034F),  # combining grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers: letters without a shape
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),  # the empty Braille pattern
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),  # variation selectors, which can carry hidden text
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(low, high + 1)
)
_UNSAFE = frozenset(("Cf", "Zl", "Zp", "Cn"))
_MARK_RUN = re.compile(r"[^\x00-\u02ff]+")
_BREAK = re.compile(r"\r\n|\n")


def cell_width(text: str) -> int:
    """How many terminal cells a cleaned text takes."""
    return cell_len(text)


def clean_line(text: str, limit: int = LINE_LIMIT) -> str:
    """One safe line: every unsafe character as a visible symbol, line breaks included.

    Tabs become spaces up to the next stop. Of a text longer than `limit` characters the rest is
    left out and counted.
    """
    if len(text) > limit:
        return f"{clean_line(text[:limit], limit)}{_CUT} +{len(text) - limit} characters"
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(map(_symbol, text))
    if not shown.isascii():
        shown = _MARK_RUN.sub(lambda run: _tame_marks(run[0]), shown)
        if unicodedata.category(shown[0]).startswith("M"):
            shown = f"◌{shown}"
    return _expand_tabs(shown) if "\t" in shown else shown


def clean_lines(text: str, limit: int = LINE_LIMIT) -> list[str]:
    """The text's lines, split at its line breaks only, each cleaned as `clean_line` does."""
    return [clean_line(line, limit) for line in _BREAK.split(text)]


def clean_block(text: str, limit: int = LINE_LIMIT) -> str:
    """The cleaned lines joined by line breaks."""
    return "\n".join(clean_lines(text, limit))


def cut(text: str, cells: int) -> str:
    """A cleaned line cut to at most `cells` cells, ending in how many characters are left out.

    Where the count has no room, a bare ellipsis says that something is missing.
    """
    if cell_len(text) <= cells:
        return text
    kept = split_text(text, max(cells - 1, 0))[0].rstrip(" ")
    for _ in range(2):
        mark = f"{_CUT}+{len(text) - len(kept)}"
        if len(mark) * 2 > cells:
            break
        kept = split_text(text, cells - len(mark))[0].rstrip(" ")
        mark = f"{_CUT}+{len(text) - len(kept)}"
        if cell_len(kept) + len(mark) <= cells:
            return kept + mark
    return kept + _CUT if cells > 0 else ""


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """A cleaned line cut or padded with spaces to exactly `cells` cells."""
    shown = cut(text, cells)
    padding = " " * max(cells - cell_len(shown), 0)
    return padding + shown if right else shown + padding


def _symbol(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return char if char == "\t" else chr(0x2400 + code)
    if code < 0x7F:
        return char
    if code == 0x7F:
        return "\N{SYMBOL FOR DELETE}"
    if 0x80 <= code < 0xA0 or char in _HIDDEN:
        return f"⟨{code:02X}⟩"
    category = unicodedata.category(char)
    if category == "Cs":
        return _BROKEN
    return f"⟨{code:04X}⟩" if category in _UNSAFE else char


def _tame_marks(run: str) -> str:
    """Limit the combining marks on one character: a tower of them costs time and hides lines."""
    kept: list[str] = []
    marks = 0
    for char in run:
        if not unicodedata.category(char).startswith("M"):
            kept.append(_surplus(marks))
            marks = 0
        else:
            marks += 1
        if marks <= MARKS:
            kept.append(char)
    return "".join(kept) + _surplus(marks)


def _surplus(marks: int) -> str:
    return f"⟨+{marks - MARKS} marks⟩" if marks > MARKS else ""


def _expand_tabs(text: str) -> str:
    parts = text.split("\t")
    line = parts[0]
    for part in parts[1:]:
        line += " " * (TAB - cell_len(line) % TAB) + part
    return line
