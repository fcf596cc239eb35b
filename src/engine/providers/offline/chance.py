"""Random numbers that depend on content alone: SHA-256 of the parts that name them."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def digest(*parts: object) -> bytes:
    """SHA-256 over the parts as text, each with its length so that no two lists coincide."""
    state = hashlib.sha256()
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.digest()


def uniform(*parts: object) -> float:
    """A number in [0, 1) fixed by the parts."""
    return int.from_bytes(digest(*parts)[:7], "big") / float(1 << 56)


def generator(*parts: object) -> random.Random:
    """A generator fixed by the parts."""
    return random.Random(int.from_bytes(digest(*parts), "big"))


def pick(items: Sequence[T], *parts: object) -> T:
    """One of the items, fixed by the parts. Raises IndexError where there is none."""
    return items[int(uniform(*parts) * len(items))]
