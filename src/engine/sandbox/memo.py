"""Observations that were made before: what one peer gave for one input under the same limits.

A hit costs an operator as much as a run, so no result depends on what is remembered. It is a
cache, never evidence: it may be emptied at any time.
"""

import hashlib
import platform
from collections import OrderedDict
from dataclasses import dataclass

from .jobs import Limits, Program

CAPACITY = 200_000


@dataclass(frozen=True, slots=True)
class Observed:
    """An encoded value, or the word for why there is none; and the processor time charged."""

    value: bytes | None
    word: str
    cpu_s: float


class Memo:
    """The most recently used observations, in memory."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[bytes, Observed] = OrderedDict()

    def get(self, key: bytes) -> Observed | None:
        """What was observed, if it is remembered."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: bytes, observed: Observed) -> None:
        """Remember an observation; the first one stays."""
        self._kept.setdefault(key, observed)
        if len(self._kept) > self._capacity:
            self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)


def prefix(program: Program, limits: Limits) -> bytes:
    """The part of a key that all inputs of one program share."""
    text = repr((program.code, program.entry, limits, platform.python_version()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def key_of(start: bytes, arguments: bytes) -> bytes:
    """The key of one observation."""
    return hashlib.sha256(start + arguments).digest()
