"""What a financial page offers: series of numbers, one per table row, table column or sentence.

A series is a label with numbers under headings. A heading is a column's, a row's, or a year that
stands beside the number in a sentence, so that tables and prose are asked in the same way.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..words import NUMBER, YEAR, stems, years

CELL = re.compile(r"-?\d[\d,]*(?:\.\d+)?|-?\.\d+")
SENTENCE_END = re.compile(r"\s+\.\s+|\n")
DIGIT = re.compile(r"\d")
NOTE = re.compile(r"\( *-?[\d.,]+ *%? *\)")
DATE = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"\s+\d{1,2}\b|\bnote \d+|\bitem \d+"
)
KIND_ROW, KIND_COLUMN, KIND_TEXT = "row", "column", "text"


@dataclass(frozen=True, slots=True)
class Mention:
    """One number: as a program writes it, its value, the words and years of its heading."""

    number: str
    value: float
    words: frozenset[str]
    years: frozenset[int]
    percent: bool = False
    place: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers under one label, in the page's order. `name` is the label as it is written."""

    kind: str
    name: str
    words: frozenset[str]
    years: frozenset[int]
    mentions: tuple[Mention, ...]
    weight: float = 1.0


def cell_number(text: str) -> tuple[str, float, bool] | None:
    """A table cell's number as a program writes it, its value and whether it is a percentage."""
    bare = text.split("(")[0] if not text.lstrip().startswith("(") else text
    match = CELL.search(bare)
    if match is None or len(re.findall(r"[a-z]{3,}", bare)) > 1:
        return None
    number = match.group().replace(",", "")
    try:
        value = float(number)
    except ValueError:
        return None
    percent = "%" in bare
    if text.lstrip().startswith("(") and value > 0:
        number, value = f"-{number}", -value
    return number, value, percent


def table_series(rows: Sequence[Sequence[str]]) -> list[Series]:
    """The rows and the columns of a table, its first row and first column being labels."""
    if len(rows) < 2:
        return []
    width = max(len(row) for row in rows)
    heads = [_head(rows, c) for c in range(width)]
    grid = [
        [cell_number(row[c]) if c < len(row) else None for c in range(1, width)] for row in rows
    ]
    made = []
    section = ""
    for r, row in enumerate(rows[1:], start=1):
        if row and not any(grid[r]):
            section = row[0]
        found = _mentions(grid[r], heads[1:], r)
        if found:
            words = frozenset(stems(row[0])) or frozenset(stems(section))
            made.append(Series(KIND_ROW, row[0], words, _label_years(row[0]), found))
    return made + _columns(rows, heads, grid)


def _label_years(text: str) -> frozenset[int]:
    return frozenset(years(text))


def _head(rows: Sequence[Sequence[str]], c: int) -> str:
    head = rows[0][c] if c < len(rows[0]) else ""
    second = rows[1][c] if len(rows) > 1 and c < len(rows[1]) else ""
    if YEAR.search(second) and cell_number(second) and not YEAR.search(head):
        return f"{head} {second}" if YEAR.fullmatch(second.strip()) else head
    return head


def _mentions(
    cells: Sequence[tuple[str, float, bool] | None], heads: Sequence[str], r: int
) -> tuple[Mention, ...]:
    return tuple(
        Mention(cell[0], cell[1], frozenset(stems(head)), _label_years(head), cell[2], (r, c))
        for c, (cell, head) in enumerate(zip(cells, heads, strict=True), start=1)
        if cell is not None
    )


def _columns(
    rows: Sequence[Sequence[str]],
    heads: Sequence[str],
    grid: Sequence[Sequence[tuple[str, float, bool] | None]],
) -> list[Series]:
    made = []
    for c in range(1, len(heads)):
        found = tuple(
            Mention(
                cell[0], cell[1], frozenset(stems(row[0])), _label_years(row[0]), cell[2], (r, c)
            )
            for r, row in enumerate(rows)
            if r and row and (cell := grid[r][c - 1]) is not None
        )
        if len(found) > 1:
            words = frozenset(stems(heads[c]))
            made.append(Series(KIND_COLUMN, heads[c], words, _label_years(heads[c]), found))
    return made


def text_series(text: str) -> list[Series]:
    """One series for each sentence with numbers; years are paired to numbers by order."""
    made = []
    for i, sentence in enumerate(SENTENCE_END.split(text)):
        if DIGIT.search(sentence):
            series = _sentence_series(sentence, i)
            if series is not None:
                made.append(series)
    return made


def _sentence_series(sentence: str, index: int) -> Series | None:
    clean = NOTE.sub(lambda m: " " * len(m.group()), sentence)
    clean = DATE.sub(lambda m: " " * len(m.group()), clean)
    spots = [match for match in NUMBER.finditer(clean) if not YEAR.fullmatch(match.group())]
    if not spots or len(spots) > 24:
        return None
    named = [(match.start(), int(match.group())) for match in YEAR.finditer(sentence)]
    dated = _paired(spots, named, sentence)
    mentions = []
    for spot, year in zip(spots, dated, strict=True):
        around = sentence[max(0, spot.start() - 60) : spot.end() + 50]
        percent = clean[spot.end() : spot.end() + 2].strip().startswith("%")
        number = spot.group().replace(",", "")
        mentions.append(
            Mention(number, float(number) if len(number) < 300 else 0.0,
                    frozenset(stems(around)), year, percent, (-1 - index, spot.start()))
        )  # fmt: skip
    words = frozenset(stems(sentence))
    return Series(KIND_TEXT, "", words, frozenset(y for _, y in named), tuple(mentions), 0.8)


def _paired(
    spots: Sequence[re.Match[str]], named: Sequence[tuple[int, int]], sentence: str
) -> list[frozenset[int]]:
    """The year of each number: by order where both counts agree, else the nearest one behind."""
    if named and len(named) == len(spots):
        return [frozenset((year,)) for _, year in named]
    money = [spot for spot in spots if "$" in sentence[max(0, spot.start() - 3) : spot.start()]]
    if named and len(money) == len(named):
        by_start = {spot.start(): year for spot, (_, year) in zip(money, named, strict=True)}
        return [
            frozenset((by_start[spot.start()],)) if spot.start() in by_start else frozenset()
            for spot in spots
        ]
    nearest = []
    for spot in spots:
        near = sorted(named, key=lambda pair: (abs(pair[0] - spot.start()), pair[0]))
        nearest.append(frozenset((near[0][1],)) if near else frozenset[int]())
    return nearest
