"""Which cases a run takes, and how they are split: the same on every machine and version."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from .base import Case

T = TypeVar("T")


def sample(cases: Sequence[Case], n: int | None, seed: int) -> list[Case]:
    """`n` cases drawn without replacement, in source order; all where n is None or too large.

    Drawn by the order of SHA-256("seed:id"), so that a case's luck depends on its id alone
    (design: decisions.md, Sampling).
    """
    if n is None or n >= len(cases):
        return list(cases)
    drawn = sorted(range(len(cases)), key=lambda i: (_rank(seed, cases[i].id), i))[:n]
    return [cases[i] for i in sorted(drawn)]


def shards(items: Sequence[T], count: int) -> list[list[T]]:
    """At most `count` contiguous shards, none empty, whose sizes differ by one at most.

    The larger ones come first. Raises ValueError where `count` is below one.
    """
    if count < 1:
        raise ValueError(f"shards: the count must be at least 1, got {count}")
    size, larger = divmod(len(items), count)
    starts = [i * size + min(i, larger) for i in range(count + 1)]
    parts = [list(items[a:b]) for a, b in pairwise(starts)]
    return [part for part in parts if part]


def _rank(seed: int, case_id: str) -> str:
    return hashlib.sha256(f"{seed}:{case_id}".encode("utf-8", "surrogatepass")).hexdigest()
