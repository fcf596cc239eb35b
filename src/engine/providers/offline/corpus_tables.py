"""Where a number that fits a question stands: a cell of a Markdown table, or a line of prose."""

import re
from collections.abc import Iterator, Sequence, Set

WORD = re.compile(r"[a-z][a-z'-]+|\d{4}")
_NUMBER = re.compile(r"-?\$?\d[\d,]*(?:\.\d+)?%?")
_RULE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
NEAR = 6
"""Lines above a table that say what it is about."""


def best_number(texts: Sequence[str], asked: Set[str]) -> str | None:
    """The number whose place shares most words with the question; of equal ones the first.

    A cell's place is its row's name, its column's head and, for half, the lines above the table.
    """
    best, number = 0, None
    for text in texts:
        for score, value in _candidates(text.split("\n"), asked):
            if score > best:
                best, number = score, value
    return number


def _candidates(lines: Sequence[str], asked: Set[str]) -> Iterator[tuple[int, str]]:
    heads: list[str] = []
    about = 0
    for place, line in enumerate(lines):
        if not line.lstrip().startswith("|"):
            yield from _prose(line, asked)
            heads = []
        elif _RULE.fullmatch(line):
            heads = _cells(lines[place - 1]) if place else []
            above = " ".join(lines[max(place - 1 - NEAR, 0) : max(place - 1, 0)])
            about = _shared(above, asked)
        else:
            yield from _row(_cells(line), heads, about, asked)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _shared(text: str, asked: Set[str]) -> int:
    return len(asked & set(WORD.findall(text.lower())))


def _prose(line: str, asked: Set[str]) -> Iterator[tuple[int, str]]:
    values = [v for v in _NUMBER.findall(line) if v not in asked]
    if values and (shared := _shared(line, asked)):
        yield 4 * shared, values[-1]


def _row(
    cells: Sequence[str], heads: Sequence[str], about: int, asked: Set[str]
) -> Iterator[tuple[int, str]]:
    """Every cell with a number; a row whose name shares nothing with the question has none."""
    own = _shared(cells[0], asked) if cells else 0
    if not own:
        return
    for column, cell in enumerate(cells[1:], 1):
        if _NUMBER.fullmatch(cell):
            head = heads[column] if column < len(heads) else ""
            words = set(WORD.findall(head.lower()))
            yield 4 * own + 4 * len(words & asked) - len(words - asked) + 2 * about, cell
