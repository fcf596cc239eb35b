"""Two versions of a document as lines: changed words marked, unchanged stretches folded.

Pure: documents in, lines out. Texts are compared by paragraph (long ones by sentence), tables row
by row with their cells aligned over both versions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ...engine.model.llm import Json
from ..glyphs import Glyphs
from ..lines import Line, Span, fit_line, merged, one, tidy
from ..text import cell_width, clean_line, clean_lines, fit

CONTEXT = 1
"""Unchanged lines kept on each side of a change."""
SENTENCE_FROM = 400
"""Paragraphs of more characters are compared by sentence."""
WORDS = 600
"""Lines of more words are marked as a whole: comparing them word by word takes too long."""
_WORD = re.compile(r"\w+(?:[.,]\w+)*|\s+|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+")


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a comparison: the old text, the new one, or both where nothing changed.

    Spans carry `removed!` and `added!` on the words that differ.
    """

    old: Line | None
    new: Line | None

    @property
    def same(self) -> bool:
        """Whether nothing changed here."""
        return self.old is not None and self.old == self.new


def compare(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Line by line; lines that were rewritten stand opposite each other, their words compared."""
    changes: list[Change] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag == "equal":
            changes += [Change(one(line), one(line)) for line in old[low:high]]
        else:
            changes += _rewritten(old[low:high], new[start:end])
    return changes


def _rewritten(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    for place in range(max(len(old), len(new))):
        if place >= len(new):
            yield Change(((old[place], "removed"),), None)
        elif place >= len(old):
            yield Change(None, ((new[place], "added"),))
        else:
            yield Change(*_words(old[place], new[place]))


def _words(old: str, new: str) -> tuple[Line, Line]:
    left, right = _WORD.findall(old), _WORD.findall(new)
    if len(left) + len(right) > 2 * WORDS:
        return ((old, "removed!"),), ((new, "added!"),)
    before, after = list[Span](), list[Span]()
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, low, high, start, end in matcher.get_opcodes():
        mark = "" if tag == "equal" else "!"
        before.append(("".join(left[low:high]), f"removed{mark}"))
        after.append(("".join(right[start:end]), f"added{mark}"))
    return merged(span for span in before if span[0]), merged(span for span in after if span[0])


def text_lines(value: Json) -> list[str]:
    """A field's text as cleaned lines: paragraphs, or sentences where a paragraph is long."""
    texts = value if isinstance(value, list) else [value]
    lines: list[str] = []
    for text in texts:
        for line in clean_lines(text if isinstance(text, str) else str(text), 200_000):
            lines += _SENTENCE.split(line) if len(line) > SENTENCE_FROM else [line]
    return lines


def is_table(value: Json) -> bool:
    """Whether a field is a table: a list of rows."""
    return isinstance(value, list) and bool(value) and all(isinstance(row, list) for row in value)


def table_lines(table: Json, widths: Sequence[int], glyphs: Glyphs) -> list[str]:
    """A table's rows with their cells padded to `widths`; numbers at the right."""
    rows = table if isinstance(table, list) else []
    edge = f" {glyphs.vertical} "
    return [
        edge.join(
            fit(cell, width, right=place > 0)
            for place, (cell, width) in enumerate(zip(_cells(row), widths, strict=False))
        )
        for row in rows
    ]


def column_widths(tables: Sequence[Json], most: int = 28) -> list[int]:
    """Widths that fit the cells of all the tables, at most `most` each."""
    widths: list[int] = []
    for table in tables:
        for row in table if isinstance(table, list) else []:
            for place, cell in enumerate(_cells(row)):
                widths += [1] * (place + 1 - len(widths))
                widths[place] = max(widths[place], min(cell_width(cell), most))
    return widths


def _cells(row: Json) -> list[str]:
    return [tidy(str(cell)) for cell in row] if isinstance(row, list) else []


def compare_documents(
    old: Mapping[str, Json], new: Mapping[str, Json], glyphs: Glyphs
) -> list[tuple[str, list[Change]]]:
    """Field by field, in the order of the old document; new fields come last."""
    out: list[tuple[str, list[Change]]] = []
    for name in [*old, *(name for name in new if name not in old)]:
        before, after = old.get(name, []), new.get(name, [])
        if is_table(before) or is_table(after):
            widths = column_widths([before, after])
            sides = (table_lines(before, widths, glyphs), table_lines(after, widths, glyphs))
        else:
            sides = (text_lines(before), text_lines(after))
        out.append((name, compare(*sides)))
    return out


def render(
    fields: Sequence[tuple[str, list[Change]]],
    width: int,
    glyphs: Glyphs,
    *,
    unfolded: bool = False,
) -> list[Line]:
    """The comparison as lines: side by side from 100 cells on, unified below."""
    lines: list[Line] = []
    for name, changes in fields:
        changed = sum(not change.same for change in changes)
        note = f"  {changed} of {len(changes)} lines changed" if changed else "  unchanged"
        lines.append(((clean_line(name), "accent"), (note, "dim")))
        for part in changes if unfolded else folded(changes):
            if isinstance(part, int):
                lines.append(one(f"  {glyphs.dot * 3} {part} unchanged", "dim"))
            elif width >= 100:
                lines += _beside(part, width, glyphs)
            else:
                lines += _unified(part, width)
        lines.append(())
    return lines


def folded(changes: Sequence[Change]) -> list[Change | int]:
    """The changes, stretches of unchanged lines replaced by their number but for some context."""
    near = {
        place + offset
        for place, change in enumerate(changes)
        if not change.same
        for offset in range(-CONTEXT, CONTEXT + 1)
    }
    out: list[Change | int] = []
    hidden = 0
    for place, change in enumerate(changes):
        if place in near:
            if hidden:
                out.append(hidden)
            hidden = 0
            out.append(change)
        else:
            hidden += 1
    if hidden:
        out.append(hidden)
    return out


def _unified(change: Change, width: int) -> list[Line]:
    room = width - 2
    if change.same and change.new is not None:
        return [(("  ", ""), *line) for line in wrap_spans(change.new, room)]
    lines: list[Line] = []
    for sign, style, side in (("- ", "removed", change.old), ("+ ", "added", change.new)):
        if side is not None:
            lines += [((sign, style), *line) for line in wrap_spans(side, room)]
    return lines


def _beside(change: Change, width: int, glyphs: Glyphs) -> list[Line]:
    half = (width - 3) // 2
    left = wrap_spans(change.old or (), half - 2)
    right = wrap_spans(change.new or (), half - 2)
    signs = ("  ", "  ") if change.same else ("- ", "+ ")
    edge: Span = (f" {glyphs.vertical} ", "dim")
    lines: list[Line] = []
    for place in range(max(len(left), len(right))):
        sides: list[Line] = []
        for part, sign, style in ((left, signs[0], "removed"), (right, signs[1], "added")):
            here = place < len(part) and bool(part[place])
            body = ((sign if here else "  ", style), *(part[place] if here else ()))
            sides.append(fit_line(body, half))
        lines.append((*sides[0], edge, *sides[1]))
    return lines


def wrap_spans(line: Line, width: int) -> list[Line]:
    """A line of spans broken at spaces into lines of at most `width` cells, in linear time."""
    width = max(width, 4)
    places = _breaks("".join(part for part, _ in line), width)
    if not places:
        return [line]
    lines: list[Line] = []
    current, at = list[Span](), 0
    for text, style in line:
        start = 0
        while places and at + len(text) - start > places[0]:
            end = start + places[0] - at
            current.append((text[start:end], style))
            lines.append(tuple(span for span in current if span[0]))
            current, start, at = [], end, places.pop(0)
        current.append((text[start:], style))
        at += len(text) - start
    lines.append(tuple(span for span in current if span[0]))
    return lines


def _breaks(text: str, width: int) -> list[int]:
    """Where a text is broken: after the last space in the second half of a line, else anywhere."""
    places: list[int] = []
    start = cells = 0
    space = -1
    wide = not text.isascii()
    for place, char in enumerate(text):
        size = cell_width(char) if wide else 1
        if cells + size > width:
            start = space + 1 if space - start >= width // 2 else place
            places.append(start)
            cells = cell_width(text[start:place])
            space = -1
        cells += size
        if char == " ":
            space = place
    return places
