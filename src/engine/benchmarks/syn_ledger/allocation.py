"""Which task is used when: evolution, discovery, confirmation, certification (D.3).

Reads families and released levels only. Blocks 0 and 1 are D_evo and D_disc; an eight-task panel
of each of the blocks 2t and 2t+1 is D_conf,t; all else is D_cert.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from ...errors import DataError
from .assignment import Grid
from .families import FAMILIES
from .model import BLOCK_SIZE, BLOCKS, FEATURES, Task, rank_of

ROUNDS = 3
PANEL = 8
PAIRS = tuple(combinations(range(len(FEATURES)), 2))
MIXED_IN_PANEL = 2
"""Tasks of a panel with one unfavourable evidence document, per feature: 14 of 16 favourable."""

MOST_BOTH = 1
"""Evidence documents of a confirmation set that may be unfavourable in a given pair of features:
the next whole number above 32/64."""

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the allocator reads of one task."""

    id: str
    family: int
    packed: int
    """Unfavourable evidence documents by feature, four bits each."""
    both: Vector
    """Evidence documents unfavourable in both, by pair of features."""
    packed_both: int
    """The same, four bits each."""


@dataclass(frozen=True, slots=True)
class _Panel:
    """Eight tasks of one block that meet the panel's own conditions."""

    ids: tuple[str, ...]
    families: Vector
    both: Vector
    bits: int
    """The pairs of features that `both` counts, as a set of bits."""


def facts(tasks: Sequence[Task], released: Grid) -> list[_Facts]:
    """Family, mixed features and jointly unfavourable feature pairs of each task's evidence."""
    names = [family.name for family in FAMILIES]
    found = []
    for task, row in zip(tasks, released, strict=True):
        pair = [row[i] for i in task.evidence]
        both = tuple(sum(not levels[i] and not levels[j] for levels in pair) for i, j in PAIRS)
        found.append(
            _Facts(
                task.id,
                names.index(task.request.family),
                sum((not levels[j]) << 4 * j for levels in pair for j in range(len(FEATURES))),
                both,
                sum(count << 4 * p for p, count in enumerate(both)),
            )
        )
    return found


def allocate(seed: int, tasks: Sequence[Task], released: Grid) -> dict[str, tuple[str, ...]]:
    """Task ids by set: evo, disc, conf1 to conf3, cert; in task order.

    Minimises the range of family counts within each set, then balances the joint levels of each
    pair of features; among equals the first in the order of seeded hashes of task ids. The search
    takes the first allocation in which every set has the least range that its size allows and every
    pair's count of jointly unfavourable documents is next to the count under independence: less is
    not possible. Raises DataError where no allocation gets there.
    """
    known = facts(tasks, released)
    blocks = [known[i * BLOCK_SIZE : (i + 1) * BLOCK_SIZE] for i in range(BLOCKS)]
    rest = [fact for block in blocks[2:] for fact in block]
    chosen = _search(seed, blocks, _families(rest), _both(rest), ())
    if chosen is None:
        raise DataError(f"syn_ledger, seed {seed}: no balanced allocation; take another seed")
    sets = {"evo": {f.id for f in blocks[0]}, "disc": {f.id for f in blocks[1]}}
    for t in range(ROUNDS):
        sets[f"conf{t + 1}"] = {i for panel in chosen[2 * t : 2 * t + 2] for i in panel.ids}
    used = set[str]().union(*sets.values())
    sets["cert"] = {task.id for task in tasks} - used
    return {name: tuple(t.id for t in tasks if t.id in ids) for name, ids in sets.items()}


def _search(
    seed: int,
    blocks: Sequence[Sequence[_Facts]],
    families: Vector,
    both: Vector,
    chosen: tuple[_Panel, ...],
) -> tuple[_Panel, ...] | None:
    """Depth first over the rounds; `families` and `both` are what D_cert has so far."""
    rounds = ROUNDS - len(chosen) // 2
    if not _can_end_well(families, both, rounds):
        return None
    if not rounds:
        return chosen
    first, second = (_panels(seed, tuple(blocks[2 + len(chosen) + i])) for i in (0, 1))
    for a, b in _sets(first, second):
        left = _less(_less(families, a.families), b.families)
        both_left = _less(_less(both, a.both), b.both)
        found = _search(seed, blocks, left, both_left, (*chosen, a, b))
        if found is not None:
            return found
    return None


def _can_end_well(families: Vector, both: Vector, rounds: int) -> bool:
    """Whether D_cert can still come out even after so many more confirmation sets.

    Each set takes three tasks of each family and a fourth of one, and at most one jointly
    unfavourable document of a pair of features.
    """
    size = (BLOCKS - 2) * BLOCK_SIZE - 2 * ROUNDS * PANEL
    low, high = _range(size)
    if any(count < low or count - rounds > high for count in both):
        return False
    extras = combinations_with_replacement(range(len(families)), rounds)
    return any(_even(tuple(n - extra.count(f) for f, n in enumerate(families))) for extra in extras)


@lru_cache(maxsize=64)
def _sets(
    first: tuple[_Panel, ...], second: tuple[_Panel, ...]
) -> tuple[tuple[_Panel, _Panel], ...]:
    """The balanced confirmation sets that two blocks can give, in order.

    Of those that count alike (families, jointly unfavourable pairs) only the first: the others
    could not end better.
    """
    left, right = _distinct(first), _distinct(second)
    found: dict[tuple[Vector, int], tuple[int, int]] = {}
    for (a_families, a_bits), i in left.items():
        for (b_families, b_bits), j in right.items():
            if not a_bits & b_bits and _even(families := _plus(a_families, b_families)):
                key = (families, a_bits | b_bits)
                found[key] = min(found.get(key, (i, j)), (i, j))
    return tuple((first[i], second[j]) for i, j in sorted(found.values()))


def _distinct(panels: Sequence[_Panel]) -> dict[tuple[Vector, int], int]:
    """The first panel of each kind: families, jointly unfavourable pairs."""
    found: dict[tuple[Vector, int], int] = {}
    for i, panel in enumerate(panels):
        found.setdefault((panel.families, panel.bits), i)
    return found


@lru_cache(maxsize=64)
def _panels(seed: int, block: tuple[_Facts, ...]) -> tuple[_Panel, ...]:
    """All usable panels of a block, in the order of the seeded hash of their task ids.

    One or two tasks of each family, exactly two mixed tasks of each feature, and no pair of
    features above the count that a whole confirmation set may have. The families' own
    choices are joined half with half, so that the sums are looked up instead of searched.
    """
    groups = [[f for f in block if f.family == family] for family in range(len(FAMILIES))]
    choices = [
        [
            (pick, sum(f.packed for f in pick))
            for size in (1, 2)
            for pick in combinations(group, size)
        ]
        for group in groups
    ]
    by_need: dict[tuple[int, int], list[tuple[_Facts, ...]]] = {}
    for pick, total in _joined(choices[:3]):
        by_need.setdefault((len(pick), total), []).append(pick)
    panels = [
        _panel((*head, *tail))
        for tail, total in _joined(choices[3:])
        for head in by_need.get((PANEL - len(tail), _FULL - total), ())
        if not (sum(f.packed_both for f in (*head, *tail)) + _PAIRS_ROOM) & _PAIRS_OVER
    ]
    return tuple(sorted(panels, key=lambda panel: rank_of(seed, *panel.ids)))


_Picked = tuple[tuple[_Facts, ...], int]
_FULL = sum(MIXED_IN_PANEL << 4 * j for j in range(len(FEATURES)))
_ROOM = sum((7 - MIXED_IN_PANEL) << 4 * j for j in range(len(FEATURES)))
_OVER = sum(8 << 4 * j for j in range(len(FEATURES)))
_PAIRS_ROOM = sum((7 - MOST_BOTH) << 4 * p for p in range(len(PAIRS)))
_PAIRS_OVER = sum(8 << 4 * p for p in range(len(PAIRS)))


def _joined(choices: Sequence[Sequence[_Picked]]) -> list[_Picked]:
    """One option of each, with the packed sums of mixed features, where none is above its count."""
    found: list[_Picked] = [((), 0)]
    for options in choices:
        found = [
            ((*some, *more), total)
            for some, a in found
            for more, b in options
            # a digit above its count carries into the digit's highest bit
            if not ((total := a + b) + _ROOM) & _OVER
        ]
    return found


def _panel(picked: tuple[_Facts, ...]) -> _Panel:
    ordered = sorted(picked, key=lambda fact: fact.id)
    both = _both(ordered)
    bits = sum(1 << i for i, count in enumerate(both) if count)
    return _Panel(tuple(f.id for f in ordered), _families(ordered), both, bits)


def _both(picked: Sequence[_Facts]) -> Vector:
    return tuple(map(sum, zip(*(f.both for f in picked), strict=True)))


def _families(picked: Sequence[_Facts]) -> Vector:
    counts = Counter(fact.family for fact in picked)
    return tuple(counts[family] for family in range(len(FAMILIES)))


def _plus(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _less(a: Vector, b: Vector) -> Vector:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _even(counts: Vector) -> bool:
    return max(counts) - min(counts) <= 1


def _range(tasks: int) -> tuple[int, int]:
    """The counts next to independence: 1/64 of the evidence documents unfavourable in both."""
    low = 2 * tasks // 64
    return low, low + (2 * tasks % 64 > 0)
