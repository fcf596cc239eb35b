"""What is summed over tasks for every subset: training counts and endpoints, exact.

An endpoint's numerators stand over one common denominator. They are 64-bit integers where they
fit, else Python's own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from .chunks import Array, Chunk, TaskFlags, Values, Wide, cell, chunks

_FIELD = 21
_MASK = (1 << _FIELD) - 1
_FITS = 1 << 62


@dataclass(frozen=True, slots=True)
class Field:
    """One sum a subset: its words with their tables, and the dtype of the sums."""

    parts: tuple[Chunk | Wide, ...]
    kind: type

    def words(self) -> Iterator[Chunk]:
        """Every word with its operators, in the order in which votes are laid out."""
        for part in self.parts:
            yield from (part,) if isinstance(part, Chunk) else part.parts


def training_counts(tasks: Sequence[TaskFlags]) -> Field:
    """TP, FP and the per-task TP - FP clipped to [-1, 1], packed into one integer.

    The clipped part is signed and stands above the other two, so that one shift gives it back.
    """
    cells = [cell(task, _packed) for task in tasks]
    return Field(tuple(chunks(cells, np.int64)), np.int64)


def caught_of(sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """TP from packed training counts."""
    return sums & _MASK


def alarms_of(sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """FP from packed training counts."""
    return (sums >> _FIELD) & _MASK


def capped_of(sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Clipped TP - FP, summed over tasks, from packed training counts."""
    return sums >> (2 * _FIELD)


def _packed(caught: Array, alarms: Array) -> Array:
    clipped: Array = np.clip(caught - alarms, -1, 1)
    packed: Array = caught + (alarms << _FIELD) + (clipped << (2 * _FIELD))
    return packed


def endpoint(tasks: Sequence[TaskFlags]) -> tuple[Field, int]:
    """The change of selection accuracy, and the unit that its numerators are in.

    Only decidable tasks can change; all count in the mean.
    """
    decidable = [task for task in tasks if task.decidable]
    scale = lcm(*(_scale(task) for task in decidable)) if decidable else 1
    kind = np.int64 if scale * (len(tasks) + 1) < _FITS else object
    cells = [cell(task, _change(task, scale)) for task in decidable]
    return Field(tuple(chunks(cells, kind)), kind), scale * max(1, len(tasks))


def _scale(task: TaskFlags) -> int:
    """A common denominator of the task's P(correct) over all ways a vote can flag."""
    n = len(task.correct)
    most = int((task.flags.sum(axis=0) >= 2).sum())
    base = n // gcd(n, int(task.correct.sum()))
    return lcm(base, *(range(max(1, n - most), n + 1)))


def _change(task: TaskFlags, scale: int) -> Values:
    """P(correct) of what a vote keeps less that of flagging nothing, times `scale`."""
    good, n = int(task.correct.sum()), len(task.correct)
    base = scale * good // n

    def change(caught: Array, alarms: Array) -> Array:
        kept = n - caught - alarms
        return np.array(
            [
                scale * (good - alarm) // left - base if left > 0 else 0
                for alarm, left in zip(alarms.tolist(), kept.tolist(), strict=True)
            ],
            dtype=object,
        )

    return change


def co_flagged(tasks: Sequence[TaskFlags], operators: int) -> NDArray[np.uint64]:
    """For each operator the others (bit 63 - i) that flag a sample together with it somewhere."""
    together = np.zeros((operators, operators), dtype=np.int64)
    for task in tasks:
        flags = task.flags.astype(np.int64)
        together += flags @ flags.T
    np.fill_diagonal(together, 0)
    return np.array(
        [sum(1 << (63 - other) for other in np.flatnonzero(row)) for row in together],
        dtype=np.uint64,
    )
