"""The search tool's ranking over one task's twelve documents.

Matching reads the records and the register's code only, so nothing that a manifest sets can change
which documents match. A broad query, one whose best score more than four documents share, leaves
ties to the manifest's rank; a narrow one to an order that the documents alone give.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .manifest import Placement
from .model import DOCUMENTS, Document, Task, rank_of

BROAD = 4
"""A tie of more documents than this for the best score makes a query broad."""
_WORD = re.compile(r"[a-z0-9]+")


def words(text: str) -> tuple[str, ...]:
    """The distinct words of a query, in order, lower case."""
    return tuple(dict.fromkeys(_WORD.findall(text.lower())))


@lru_cache(maxsize=8192)
def document_words(document: Document) -> frozenset[str]:
    """Every word of a document's records but the amounts, and its code."""
    cells = (
        cell
        for r in document.records
        for cell in (r.entity, r.period, r.category, r.status, r.version, r.basis)
    )
    return frozenset(words(" ".join((document.code, *cells))))


def ranked(task: Task, placements: Sequence[Placement], query: str, match_all: bool) -> list[int]:
    """Places of the matching documents, best first.

    The score is the number of the query's words that the document holds; with `match_all` only
    documents that hold all of them match.
    """
    asked = words(query)
    scores = [sum(w in document_words(d) for w in asked) for d in task.documents]
    least = len(asked) if match_all else 1
    hits = [i for i in range(DOCUMENTS) if asked and scores[i] >= least]
    best = max((scores[i] for i in hits), default=0)
    broad = sum(scores[i] == best for i in hits) > BROAD
    return sorted(hits, key=lambda i: (-scores[i], _tie(task.documents[i], placements[i], broad)))


def _tie(document: Document, placement: Placement, broad: bool) -> int:
    return placement.rank if broad else rank_of("narrow", document.code)
