"""Passages: how documents are cut for search, and how passages are ranked for a query."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .corpus import Document
from .index import Index, words

LENGTH = 30
"""Lines of a passage."""
SATURATION = 2
"""Lines with a word beyond which more of them add little."""


def cut(lines: int, shift: int = 0) -> tuple[tuple[int, int], ...]:
    """First and last line, from 1, of each passage of a document.

    Thirty lines each, the last what is left. A shift moves each inner boundary so many lines later
    where the passage behind it keeps a line; elsewhere the boundary stays.
    """
    ends = [min(end, lines) for end in range(LENGTH, lines + LENGTH, LENGTH)]
    moved = [end + shift if end + shift < following else end for end, following in pairwise(ends)]
    moved += ends[-1:]
    starts = [1, *(end + 1 for end in moved[:-1])]
    return tuple(zip(starts, moved, strict=True))


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that matches: the document's place, first and last line from 1, its score."""

    document: int
    first: int
    last: int
    score: int


class Passages:
    """A corpus cut into passages at one shift."""

    def __init__(self, documents: Sequence[Document], index: Index, shift: int) -> None:
        self._index = index
        self._spans = [
            (place, first, last)
            for place, document in enumerate(documents)
            for first, last in cut(len(document.lines), shift)
        ]
        self._count = len(self._spans)
        offsets, total = [], 0
        for document in documents:
            offsets.append(total)
            total += len(document.lines)
        self._ends = [offsets[place] + last for place, _, last in self._spans]
        self._weights = lru_cache(maxsize=1024)(self._weigh)

    def ranked(self, query: str, match_all: bool) -> list[Hit]:
        """Matching passages, best first; equal ones in corpus order.

        A word weighs the more the fewer passages hold it, and counts more where several lines of
        a passage hold it, up to a limit. With `match_all` a passage must hold every word.
        """
        asked = list(dict.fromkeys(words(query)))
        scores: Counter[int] = Counter()
        held: Counter[int] = Counter()
        for word in asked:
            for passage, weight in self._weights(word):
                scores[passage] += weight
                held[passage] += 1
        hits = [p for p in scores if not match_all or held[p] == len(asked)]
        hits.sort(key=lambda p: (-scores[p], p))
        return [Hit(*self._spans[p], scores[p]) for p in hits]

    def _weigh(self, word: str) -> tuple[tuple[int, int], ...]:
        counts: Counter[int] = Counter()
        for line in self._index.lines(word):
            counts[bisect_left(self._ends, line + 1)] += 1
        rarity = _rarity(self._count, len(counts))
        return tuple((p, rarity * 100 * n // (n + SATURATION)) for p, n in sorted(counts.items()))


def _rarity(passages: int, holding: int) -> int:
    """Eight times the base-2 logarithm of how rare a word is, in whole numbers."""
    if holding == 0:
        return 0
    return ((1 + passages) ** 8 // holding**8).bit_length()
