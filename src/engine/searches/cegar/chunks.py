"""Tables that turn the samples a vote fires on into exact sums (see `composition`).

A task's flagged samples fall into few patterns (same operators, same label). Patterns are bits, the
bits of several tasks fill one 16-bit word, and a table gives for each word the sum over its tasks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BITS = 13
"""Patterns a word; 2^13 entries of 8 bytes lie in the fast caches, and 16 would not."""

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = Callable[[Array, Array], Array]
"""From the flagged incorrect and correct samples of a task (arrays) to a summand of its field."""


@dataclass(frozen=True, slots=True)
class TaskFlags:
    """One task's samples in V(t): `correct` (n,) and `flags` (operators, n), both bool."""

    correct: NDArray[np.bool_]
    flags: NDArray[np.bool_]

    @property
    def decidable(self) -> bool:
        """Whether V(t) holds a correct and an incorrect sample."""
        return bool(self.correct.any() and not self.correct.all())


@dataclass(frozen=True, slots=True)
class Cell:
    """A task's patterns: operators of each as words (operators, bits), samples in each by label."""

    columns: NDArray[np.bool_]
    caught: NDArray[np.int64]
    alarms: NDArray[np.int64]
    values: Values


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some tasks in one word: a word per operator (operators,) and the table of sums (2^bits,)."""

    words: NDArray[np.uint16]
    table: Array


@dataclass(frozen=True, slots=True)
class Wide:
    """A task with more patterns than one word holds.

    Each part's table gives counts (incorrect + correct * stride); `table` is indexed by their sum.
    """

    parts: tuple[Chunk, ...]
    table: Array


def cell(task: TaskFlags, values: Values) -> Cell | None:
    """The patterns of one task; None where no two operators flag the same sample."""
    live = np.flatnonzero(task.flags.sum(axis=0) >= 2)
    if not len(live):
        return None
    keyed = np.vstack([task.correct[live], task.flags[:, live]])
    unique, counts = np.unique(keyed, axis=1, return_counts=True)
    good = unique[0].astype(bool)
    return Cell(unique[1:], np.where(good, 0, counts), np.where(good, counts, 0), values)


def chunks(cells: Sequence[Cell | None], kind: type) -> list[Chunk | Wide]:
    """Words and tables for all cells, first fit by falling size; entries are of dtype `kind`."""
    kept = [one for one in cells if one is not None]
    wide = [one for one in kept if len(one.caught) > BITS]
    bins: list[list[Cell]] = []
    narrow = sorted((c for c in kept if len(c.caught) <= BITS), key=lambda c: -len(c.caught))
    for one in narrow:
        room = BITS - len(one.caught)
        place = next((b for b in bins if sum(len(c.caught) for c in b) <= room), None)
        if place is None:
            bins.append([one])
        else:
            place.append(one)
    return [*(_chunk(cells_, kind) for cells_ in bins), *(_wide(one, kind) for one in wide)]


def _chunk(cells: Sequence[Cell], kind: type) -> Chunk:
    """One word for several narrow tasks."""
    words = _words(np.hstack([one.columns for one in cells]))
    table: Array = np.zeros(1, dtype=kind)
    for one in cells:
        own: Array = one.values(_subset_sums(one.caught), _subset_sums(one.alarms)).astype(kind)
        table = (own[:, None] + table[None, :]).reshape(-1)
    return Chunk(words, table)


def _wide(one: Cell, kind: type) -> Wide:
    """Several words for one task, summed before its values are looked up."""
    most_caught, most_alarms = int(one.caught.sum()), int(one.alarms.sum())
    stride = most_caught + 1
    parts = tuple(
        Chunk(
            _words(one.columns[:, start : start + BITS]),
            _subset_sums((one.caught + one.alarms * stride)[start : start + BITS]),
        )
        for start in range(0, len(one.caught), BITS)
    )
    index = np.arange(stride * (most_alarms + 1))
    return Wide(parts, one.values(index % stride, index // stride).astype(kind))


def _words(columns: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """A word per operator, the first pattern in the lowest bit."""
    weights = 1 << np.arange(columns.shape[1])
    words: NDArray[np.uint16] = (columns @ weights).astype(np.uint16)
    return words


def _subset_sums(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every word the sum of the weights of its set bits, shape (2^bits,)."""
    sums = np.zeros(1, dtype=np.int64)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums
