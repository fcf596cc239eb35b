"""Which document takes the favourable level of which feature, under B_0 and B_rel (D.2).

A configuration is five bits, bit j set where feature j is favourable. Under B_0 the first evidence
document's configuration runs through all 32 in each block; the second takes the opposite, and five
distractors go with either. Under B_rel both evidence documents are favourable, but in the eight
tasks of a block that feature j leaves as they are.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from .model import BLOCK_SIZE, DOCUMENTS, FEATURES, Task, generator

Levels: TypeAlias = tuple[bool, ...]
"""One document's levels, by feature: true is favourable."""
Grid: TypeAlias = tuple[tuple[Levels, ...], ...]
"""Levels of every document of every task."""

ALL = (1 << len(FEATURES)) - 1
FORMS = ((2, 4), (8, 16), (9, 18), (1, 20), (3, 28))
"""For each feature two linear forms over the configuration's bits.

The eight tasks that feature j leaves as under B_0 are those where its two forms have given values.
Chosen by search so that any two features share exactly two such tasks, one of which has an evidence
document unfavourable in both, and that either evidence document is the unfavourable one in four.
"""


@lru_cache(maxsize=4)
def configurations(seed: int, block: int) -> tuple[int, ...]:
    """The first evidence document's configuration in each of a block's 32 tasks."""
    order = list(range(BLOCK_SIZE))
    generator("syn-ledger", seed, "configurations", block).shuffle(order)
    return tuple(order)


def mixed(seed: int, block: int, configuration: int) -> Levels:
    """For each feature whether this configuration's task keeps one evidence document unfavourable.

    A function of seed, block and configuration: each feature has eight such tasks in a block.
    """
    rng = generator("syn-ledger", seed, "mixed", block)
    wanted = [(rng.randrange(2), rng.randrange(2)) for _ in FEATURES]
    return tuple(
        (_parity(configuration & a), _parity(configuration & b)) == want
        for (a, b), want in zip(FORMS, wanted, strict=True)
    )


def neutral_levels(seed: int, tasks: Sequence[Task]) -> Grid:
    """The levels under B_0."""
    return tuple(_neutral(seed, task) for task in tasks)


def released_levels(seed: int, tasks: Sequence[Task]) -> Grid:
    """The levels under B_rel: those of B_0 with evidence documents favourable where not mixed."""
    return tuple(
        _released(task, row, mixed(seed, task.block, _configuration(seed, task)))
        for task, row in zip(tasks, neutral_levels(seed, tasks), strict=True)
    )


def _configuration(seed: int, task: Task) -> int:
    return configurations(seed, task.block)[task.index]


def _neutral(seed: int, task: Task) -> tuple[Levels, ...]:
    with_first = {task.evidence[0], *_companions(seed, task)}
    first = _configuration(seed, task)
    return tuple(
        _levels(first if place in with_first else ALL ^ first) for place in range(DOCUMENTS)
    )


def _companions(seed: int, task: Task) -> list[int]:
    """The five distractors that share the first evidence document's configuration.

    One of each pair of a kind, and one of the two that come singly, so that no kind goes with a
    configuration.
    """
    rng = generator("syn-ledger", seed, "companions", task.id)
    kinds: dict[str, list[int]] = {}
    for place, document in enumerate(task.documents):
        if document.kind != "evidence":
            kinds.setdefault(document.kind, []).append(place)
    pairs = sorted(places for places in kinds.values() if len(places) == 2)
    single = sorted(places[0] for places in kinds.values() if len(places) == 1)
    return [rng.choice(group) for group in [*pairs, single]]


def _released(task: Task, row: tuple[Levels, ...], kept: Levels) -> tuple[Levels, ...]:
    raised = [
        tuple(level or not keep for level, keep in zip(levels, kept, strict=True)) for levels in row
    ]
    return tuple(raised[i] if i in task.evidence else row[i] for i in range(DOCUMENTS))


def _levels(configuration: int) -> Levels:
    return tuple(bool(configuration >> j & 1) for j in range(len(FEATURES)))


def _parity(bits: int) -> int:
    return bits.bit_count() & 1
