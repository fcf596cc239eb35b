"""What a Syn-Ledger task is made of, free of how it is shown (CHASE, appendix D.1)."""

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass

FEATURES = ("name", "depth", "rank", "position", "format")
"""The five observable features, in the order of the paper's neutralisations 1 to 5."""
BLOCKS = 10
BLOCK_SIZE = 32
TASKS = BLOCKS * BLOCK_SIZE
DOCUMENTS = 12
RECORDS = 6
WINDOW = 3
"""Records that one open_file call shows."""


@dataclass(frozen=True, slots=True)
class Record:
    """One ledger row. `amount` is a signed whole number."""

    entity: str
    period: str
    category: str
    status: str
    version: str
    basis: str
    amount: int


@dataclass(frozen=True, slots=True)
class Document:
    """One ledger file: a candidate block of one or two records, and context rows, six in all.

    `code` names the file wherever it is shown and is unique among all tasks. `kind` is `evidence`
    or why the block does not count; `shape` 0 or 1: whose evidence block it has the form of.
    """

    code: str
    kind: str
    shape: int
    block: tuple[Record, ...]
    context: tuple[Record, ...]

    @property
    def records(self) -> tuple[Record, ...]:
        """All six, in canonical order: the block first."""
        return self.block + self.context


@dataclass(frozen=True, slots=True)
class Request:
    """What a question asks for: the family's program over roles, each a (period, category)."""

    family: str
    entity: str
    roles: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `evidence` indexes `documents`: first and second evidence document."""

    id: str
    block: int
    index: int
    request: Request
    question: str
    answer: int
    documents: tuple[Document, ...]
    evidence: tuple[int, int]


def generator(*path: object) -> random.Random:
    """A generator seeded with SHA-256 of its path."""
    return random.Random(int.from_bytes(_digest(*path), "big"))


def rank_of(*path: object) -> int:
    """A whole number that depends on its path alone: for orders that nobody chose."""
    return int.from_bytes(_digest(*path)[:8], "big")


def _digest(*path: object) -> bytes:
    return hashlib.sha256("/".join(str(part) for part in path).encode()).digest()
