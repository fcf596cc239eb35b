"""Composition solved exactly: every subset of the admitted operators under the >=2-of-k vote.

Source: EvalCEGAR, Section 5.3 and Appendix F. Subsets stand by size, then by their last operator
(colexicographic): those of size k that end in operator j extend exactly the first C(j, k-1)
subsets of size k-1, so a whole run of subsets is one bitwise operation on contiguous arrays.
A sample is flagged at least twice by S + {j} if it was by S, or once by S and by j.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from .chunks import Array, Chunk, TaskFlags, Wide
from .fields import Field, alarms_of, capped_of, caught_of, co_flagged, endpoint, training_counts

MAX_SIZE = 6
BLOCK = 1 << 14
"""Subsets a block: its arrays stay in the second-level cache."""


@dataclass(frozen=True, slots=True)
class Landscape:
    """Every subset, scored. Arrays have one entry a subset, in enumeration order.

    `masks` has operator i in bit 63 - i, so that of two subsets of one size the larger mask comes
    first in admission order. `caught` and `alarms` are TP and FP on the training split, `capped`
    the per-task clipped TP - FP. `endpoints` are numerators by name, "training" and the held-out
    sets: Delta = value / `units[name]`. `vacuous`: the vote flags nothing on the first held-out
    set. `incorrect` and `correct` count the training samples.
    """

    operators: int
    sizes: NDArray[np.uint8]
    masks: NDArray[np.uint64]
    caught: NDArray[np.int64]
    alarms: NDArray[np.int64]
    capped: NDArray[np.int64]
    endpoints: Mapping[str, Array]
    units: Mapping[str, int]
    vacuous: NDArray[np.bool_]
    incorrect: int
    correct: int

    def __len__(self) -> int:
        return len(self.masks)

    def members(self, index: int) -> tuple[int, ...]:
        """The operators of one subset, ascending."""
        mask = int(self.masks[index])
        return tuple(i for i in range(self.operators) if mask >> (63 - i) & 1)

    def delta(self, name: str, index: int) -> Fraction:
        """The exact Delta of one subset on "training" or a named set of held-out tasks."""
        return Fraction(int(self.endpoints[name][index]), self.units[name])


def subset_count(operators: int, largest: int = MAX_SIZE) -> int:
    """How many subsets of size 1 to `largest` there are."""
    return sum(comb(operators, size) for size in range(1, largest + 1))


def compose(
    training: Sequence[TaskFlags],
    held: Mapping[str, Sequence[TaskFlags]],
    *,
    largest: int = MAX_SIZE,
    workers: int = 2,
) -> Landscape:
    """Score every subset of the operators on the training and the held-out tasks.

    `held` names sets of held-out tasks (all, a benchmark, a half), "training" is taken. Exact, and
    equal for any number of workers. Raises DataError for no or more than 64 operators, or where
    tasks disagree on their number.
    """
    operators = _operators(training, held)
    counts = training_counts(training)
    ends = {"training": endpoint(training)}
    ends |= {name: endpoint(tasks) for name, tasks in held.items()}
    fields = [counts, *(field for field, _ in ends.values())]
    sums = _Enumeration(operators, largest, fields).run(workers)
    sizes, masks = _subsets(operators, largest)
    first = next(iter(held.values()), training)
    return Landscape(
        operators=operators,
        sizes=sizes,
        masks=masks,
        caught=caught_of(sums[0]),
        alarms=alarms_of(sums[0]),
        capped=capped_of(sums[0]),
        endpoints=dict(zip(ends, sums[1:], strict=True)),
        units={name: unit for name, (_, unit) in ends.items()},
        vacuous=_vacuous(masks, co_flagged(first, operators)),
        incorrect=sum(int((~task.correct).sum()) for task in training),
        correct=sum(int(task.correct.sum()) for task in training),
    )


def _operators(training: Sequence[TaskFlags], held: Mapping[str, Sequence[TaskFlags]]) -> int:
    """The number of operators that all tasks agree on."""
    found = {len(task.flags) for tasks in (training, *held.values()) for task in tasks}
    if len(found) != 1 or not 1 <= next(iter(found)) <= 64:
        raise DataError(
            f"composition: tasks with verdicts of {sorted(found)} operators; "
            "give every task a row for each of the same 1 to 64 operators"
        )
    return found.pop()


class _Enumeration:
    """One pass over all subsets; `fired` and `once` hold a level's votes, a row a word."""

    def __init__(self, operators: int, largest: int, fields: Sequence[Field]) -> None:
        self.operators, self.largest, self.fields = operators, largest, fields
        self.words = np.array(
            [chunk.words for field in fields for chunk in field.words()], dtype=np.uint16
        ).reshape(-1, operators)
        self.sums: list[Array] = [
            np.zeros(subset_count(operators, largest), dtype=f.kind) for f in fields
        ]

    def run(self, workers: int) -> list[Array]:
        """The sums of every field, one entry a subset."""
        rows = len(self.words)
        once, fired = np.zeros((rows, 1), np.uint16), np.zeros((rows, 1), np.uint16)
        offset = 0
        with ThreadPoolExecutor(workers) as pool:
            for size in range(1, self.largest + 1):
                count = comb(self.operators, size)
                keep = count if size < self.largest else 0
                after = np.empty((2, rows, keep), np.uint16)
                jobs = [
                    pool.submit(self._block, once, fired, after, offset, block)
                    for block in self._blocks(size)
                ]
                for job in jobs:
                    job.result()
                once, fired, offset = after[0], after[1], offset + count
        return self.sums

    def _blocks(self, size: int) -> list[tuple[int, int, int, int]]:
        """(last operator, first and last parent, first child) of each block of a level."""
        blocks, at = [], 0
        for last in range(size - 1, self.operators):
            parents = comb(last, size - 1)
            for start in range(0, parents, BLOCK):
                end = min(parents, start + BLOCK)
                blocks.append((last, start, end, at + start))
            at += parents
        return blocks

    def _block(
        self,
        once: NDArray[np.uint16],
        fired: NDArray[np.uint16],
        after: NDArray[np.uint16],
        offset: int,
        block: tuple[int, int, int, int],
    ) -> None:
        """Score one block of children and keep their votes for the next level."""
        last, start, end, child = block
        stop = child + end - start
        votes = np.bitwise_and(once[:, start:end], self.words[:, last, None])
        votes |= fired[:, start:end]
        if after.shape[2]:
            after[1, :, child:stop] = votes
            np.bitwise_or(
                once[:, start:end], self.words[:, last, None], out=after[0, :, child:stop]
            )
        row = 0
        for field, sums in zip(self.fields, self.sums, strict=True):
            row = _add(field, votes, row, sums[offset + child : offset + stop])


def _add(field: Field, votes: NDArray[np.uint16], row: int, sums: Array) -> int:
    """Add a field's tables for a block of votes to `sums`; gives the next free row."""
    for part in field.parts:
        if isinstance(part, Chunk):
            sums += part.table.take(votes[row], mode="clip")
            row += 1
        else:
            row = _add_wide(part, votes, row, sums)
    return row


def _add_wide(wide: Wide, votes: NDArray[np.uint16], row: int, sums: Array) -> int:
    """The same for a task that fills several words."""
    counts = np.zeros(len(sums), dtype=np.int64)
    for chunk in wide.parts:
        counts += chunk.table.take(votes[row], mode="clip")
        row += 1
    sums += wide.table.take(counts, mode="clip")
    return row


def _subsets(operators: int, largest: int) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Size and mask of every subset in enumeration order."""
    level = np.zeros(1, dtype=np.uint64)
    sizes, masks = [], []
    for size in range(1, largest + 1):
        level = np.concatenate(
            [
                level[: comb(last, size - 1)] | np.uint64(1 << (63 - last))
                for last in range(size - 1, operators)
            ]
            or [np.zeros(0, dtype=np.uint64)]
        )
        sizes.append(np.full(len(level), size, dtype=np.uint8))
        masks.append(level)
    return np.concatenate(sizes), np.concatenate(masks)


def _vacuous(masks: NDArray[np.uint64], partners: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether no two operators of a subset ever flag the same sample."""
    silent = np.ones(len(masks), dtype=bool)
    for operator, partner in enumerate(partners):
        bit = np.uint64(1 << (63 - operator))
        silent &= ((masks & bit) == 0) | ((masks & partner) == 0)
    return silent
