"""What every view gives: lines of styled spans, measured in cells; pure data, no Textual.

A span is (text, style); a style is a name of the theme, or two joined by a space where a line's
mark (`cursor`) lies over a span's own (`bad`). Text has been through `text.clean_line`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from .text import cell_width, clean_line

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Span, ...]


def plain(line: Line) -> str:
    """The line's text without its styles."""
    return "".join(text for text, _ in line)


TIDY = 400
"""Characters of a text that one cell of a list looks at."""


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """The start of a text as one clean line: what fits into any cell of a list."""
    return clean_line(text if len(text) <= TIDY else f"{text[:TIDY]}…")


def line_width(line: Line) -> int:
    """The line's width in cells."""
    return sum(cell_width(text) for text, _ in line)


def one(text: str, style: str = "") -> Line:
    """A line of one span."""
    return ((text, style),)


def fit_line(line: Line, width: int, style: str = "") -> Line:
    """The line cut or padded to exactly `width` cells; the padding takes `style`."""
    room, spans = width, list[Span]()
    for text, own in line:
        size = cell_width(text)
        if size > room:
            spans.append((brief(text, room), own))
            room -= cell_width(spans[-1][0])
            break
        spans.append((text, own))
        room -= size
    if room > 0:
        spans.append((" " * room, style))
    return tuple(span for span in spans if span[0])


def brief(text: str, cells: int) -> str:
    """The text in at most `cells` cells; a bare ellipsis says that something is missing."""
    if cell_width(text) <= cells:
        return text
    return f"{_cells(text, 0, cells - 1).rstrip()}…" if cells > 0 else ""


def brief_middle(text: str, cells: int) -> str:
    """The text in at most `cells` cells, a third of them for its start, the rest for its end."""
    size = cell_width(text)
    if size <= cells or cells < 4:
        return brief(text, cells)
    head = (cells - 1) // 3
    return f"{_cells(text, 0, head)}…{_cells(text, size - (cells - 1 - head), size)}"


def between(left: Line, right: Line, width: int) -> Line:
    """`left` at the left edge and `right` at the right one; `left` gives way."""
    room = width - line_width(right)
    if room < 1:
        return fit_line(left, width)
    return fit_line(left, room) + right


def overlay(line: Line, mark: str) -> Line:
    """The line with a mark's style over every span."""
    return tuple((text, f"{style} {mark}".strip()) for text, style in line)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `width` in cells; 0 takes what the others leave.

    `least` is the screen's width below which the column is left out.
    """

    title: str
    width: int
    align: Literal["left", "right"] = "left"
    least: int = 0
    middle: bool = False
    """Cut in the middle: of ids, both ends tell."""


def visible(columns: Sequence[Column], width: int) -> list[int]:
    """Which columns a screen of this width shows, by their place."""
    return [place for place, column in enumerate(columns) if width >= column.least]


def table_row(columns: Sequence[Column], cells: Sequence[Span], width: int) -> Line:
    """One row, exactly `width` cells wide: cells in their columns, one space apart."""
    shown = visible(columns, width)
    fixed = sum(columns[place].width for place in shown) + len(shown) - 1
    rest = max(width - fixed, 0)
    spans: list[Span] = []
    for place in shown:
        column, (text, style) = columns[place], cells[place]
        size = column.width or rest
        shown_text = brief_middle(text, size) if column.middle else brief(text, size)
        padding = " " * (size - cell_width(shown_text))
        right = column.align == "right"
        spans.append((padding + shown_text if right else shown_text + padding, style))
        spans.append((" ", ""))
    return fit_line(merged(spans[:-1]), width)


def table_head(columns: Sequence[Column], width: int) -> Line:
    """The titles of the columns that are shown."""
    return table_row(columns, [(column.title, "dim") for column in columns], width)


def merged(spans: Iterable[Span]) -> Line:
    """Neighbouring spans of one style joined: fewer escape sequences on the wire.

    A span of spaces takes the style before it unless that one paints the background.
    """
    out: list[Span] = []
    for text, style in spans:
        if out and (out[-1][1] == style or (text.isspace() and out[-1][1] in _INK)):
            out[-1] = (out[-1][0] + text, out[-1][1])
        else:
            out.append((text, style))
    return tuple(out)


_INK = frozenset(("", "dim", "bold", "accent", "ok", "warn", "bad", "key"))
"""Styles whose spaces look like any other space."""


def slice_line(line: Line, start: int, end: int) -> Line:
    """The cells from `start` up to `end`; half of a wide character becomes a space."""
    out, at = list[Span](), 0
    for text, style in line:
        size = cell_width(text)
        if at + size > start and at < end:
            out.append((_cells(text, max(start - at, 0), min(end - at, size)), style))
        at += size
    return tuple(span for span in out if span[0])


def _cells(text: str, start: int, end: int) -> str:
    if text.isascii():
        return text[start:end]
    kept, at = list[str](), 0
    for char in text:
        size = cell_width(char)
        if at >= start and at + size <= end:
            kept.append(char)
        elif at < end and at + size > start:
            kept.append(" " * (min(at + size, end) - max(at, start)))
        at += size
    return "".join(kept)


def put(lines: list[Line], box: Sequence[Line], x: int, y: int, width: int) -> None:
    """Lay a box over the lines in place, its corner at column `x` and line `y`."""
    for offset, row in enumerate(box):
        if 0 <= y + offset < len(lines):
            under = fit_line(lines[y + offset], width)
            size = line_width(row)
            whole = slice_line(under, 0, x) + row + slice_line(under, x + size, width)
            lines[y + offset] = fit_line(whole, width)
