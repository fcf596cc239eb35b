"""Whether a text still says what is needed: numbers beside their labels, passages, absences."""

import re
from dataclasses import dataclass
from functools import lru_cache

from .evidence import clauses
from .words import NUMBER, overlap, stems, value_of, years

NEGATION = re.compile(r"\b(?:not|no|none|neither|nor|without|never|cannot|fail(?:s|ed)?)\b|n't\b")


@dataclass(frozen=True, slots=True)
class Line:
    """One clause or row: its stems, the sizes of its numbers, how often it negates."""

    words: frozenset[str]
    sizes: frozenset[float]
    negations: int


@lru_cache(maxsize=512)
def line_of(text: str) -> Line:
    """A clause or row taken apart."""
    sizes = frozenset(abs(value_of(number)) for number in NUMBER.findall(text))
    words = frozenset(word for word in stems(text) if not word[0].isdigit())
    return Line(words, sizes, len(NEGATION.findall(text.lower())))


@lru_cache(maxsize=32)
def page_of(text: str) -> tuple[Line, ...]:
    """All clauses and rows of a rendered candidate, wrapped lines joined again."""
    parts: list[str] = []
    for line in _unwrapped(text.split("\n")):
        parts += [line] if " | " in line else clauses(line)
    return tuple(line_of(part) for part in parts)


def _unwrapped(lines: list[str]) -> list[str]:
    """Lines joined where the next one's first word would not have fitted."""
    # a word that is longer than a line stands alone and says nothing about the width
    width = max((len(line) for line in lines if " " in line and " | " not in line), default=0)
    joined: list[str] = []
    last = ""
    for line in lines:
        first = line.partition(" ")[0]
        wrapped = last and first and " | " not in last and len(last) + 1 + len(first) > width
        if wrapped:
            joined[-1] += " " + line
        else:
            joined.append(line)
        last = line
    return joined


def number_score(page: tuple[Line, ...], number: str, context: str) -> float:
    """1 where the number stands beside all words of its context, 0 where it stands nowhere."""
    size = abs(value_of(number))
    wanted = line_of(context).words
    found = [line for line in page if any(abs(size - other) < 1e-9 for other in line.sizes)]
    if not found:
        return 0.0
    if not wanted:
        return 1.0
    return 0.5 + 0.5 * max(overlap(wanted, line.words) for line in found)


def passage_score(page: tuple[Line, ...], passage: str) -> float:
    """Share of a passage's words in the best clause; halved where a negation or number is lost."""
    scores = [_clause_score(page, part) for part in clauses(passage) or [passage]]
    return min(scores)


def _clause_score(page: tuple[Line, ...], clause: str) -> float:
    wanted = line_of(clause)
    if not wanted.words:
        return 1.0
    best = max(page, key=lambda line: overlap(wanted.words, line.words), default=None)
    if best is None:
        return 0.0
    share = overlap(wanted.words, best.words)
    if best.negations % 2 != wanted.negations % 2:
        share *= 0.5
    lost = sum(size not in best.sizes for size in wanted.sizes)
    return share * (0.5 if lost else 1.0)


def absence_score(page: tuple[Line, ...], statement: str) -> float:
    """1 where no clause says the statement, 0 where one says it in its words and in no others."""
    wanted = line_of(statement).words
    best = max(
        (len(wanted & line.words) / len(wanted | line.words) for line in page if line.words),
        default=0.0,
    )
    return min(1.0, 2.2 * (1.0 - best))


def request_score(request: str, candidate: str, baseline: str) -> float:
    """Share of the request's words that stand in the candidate or in the immutable prompt.

    Halved where a year of the request is lost.
    """
    wanted = line_of(request).words
    whole = f"{candidate}\n{baseline}"
    share = overlap(wanted, frozenset(stems(whole))) if wanted else 1.0
    lost = set(years(request)) - set(years(whole))
    return share * (0.5 if lost else 1.0)
