"""The allocation: sizes, disjointness, families, favourable shares, pairwise balance."""

from collections import Counter
from fractions import Fraction

from ..checks import Check
from .allocation import PAIRS, PANEL, ROUNDS
from .assignment import released_levels
from .environment import Ledger
from .families import FAMILIES
from .model import FEATURES, TASKS

SIZES = {"evo": 32, "disc": 32, "conf1": 16, "conf2": 16, "conf3": 16, "cert": 208}
FAVOURABLE = {"evo": 56, "disc": 56, "conf1": 28, "conf2": 28, "conf3": 28, "cert": 364}
"""Favourable evidence documents of each feature: 7/8 of all."""


def allocation_checks(ledger: Ledger) -> list[Check]:
    """What the paper verifies before any model is run."""
    return [
        _sizes(ledger),
        _panels(ledger),
        _families(ledger),
        _favourable(ledger),
        _pairs(ledger),
    ]


def _sizes(ledger: Ledger) -> Check:
    splits = ledger.released.splits
    ids = [task for tasks in splits.values() for task in tasks]
    fine = {name: len(tasks) for name, tasks in splits.items()} == SIZES
    fine = fine and len(set(ids)) == len(ids) == TASKS
    detail = ", ".join(f"{name} {len(tasks)}" for name, tasks in splits.items())
    return Check("allocation sizes", fine, detail)


def _panels(ledger: Ledger) -> Check:
    """Each confirmation set takes eight tasks of each of its two blocks, 14 of 16 favourable."""
    levels = dict(zip(_ids(ledger), _favourable_rows(ledger), strict=True))
    blocks = {task.id: task.block for task in ledger.released.ledger}
    names = {task.id: task.request.family for task in ledger.released.ledger}
    fine = True
    for t in range(1, ROUNDS + 1):
        ids = ledger.released.splits[f"conf{t}"]
        for block in (2 * t, 2 * t + 1):
            panel = [i for i in ids if blocks[i] == block]
            families = Counter(names[i] for i in panel)
            shares = [sum(levels[i][j] for i in panel) for j in range(len(FEATURES))]
            fine = fine and len(panel) == PANEL and shares == [14] * len(FEATURES)
            fine = fine and len(families) == 5 and set(families.values()) <= {1, 2}
    return Check("confirmation panels", fine, "two of eight tasks each, 14 of 16 favourable")


def _families(ledger: Ledger) -> Check:
    """The range of family counts within a set is the least that its size allows: one."""
    names = {task.id: task.request.family for task in ledger.released.ledger}
    ranges = {}
    for split, ids in ledger.released.splits.items():
        counts = [sum(names[i] == family.name for i in ids) for family in FAMILIES]
        ranges[split] = max(counts) - min(counts)
    fine = all(range_ <= 1 for range_ in ranges.values())
    return Check("allocation families", fine, ", ".join(f"{n} {r}" for n, r in ranges.items()))


def _favourable(ledger: Ledger) -> Check:
    rows = dict(zip(_ids(ledger), _favourable_rows(ledger), strict=True))
    counts = {
        split: {sum(rows[i][j] for i in ids) for j in range(len(FEATURES))}
        for split, ids in ledger.released.splits.items()
    }
    fine = counts == {split: {count} for split, count in FAVOURABLE.items()}
    share = Fraction(FAVOURABLE["cert"], 2 * SIZES["cert"])
    return Check("allocation favourable", fine, f"cert {sorted(counts['cert'])} of 416, {share}")


def _pairs(ledger: Ledger) -> Check:
    """Documents unfavourable in two features: next to 1/64, for every pair and balanced set."""
    tasks = ledger.released.ledger
    grid = released_levels(ledger.seed, tasks)
    low = {
        task.id: [sum(not row[e][i] and not row[e][j] for e in task.evidence) for i, j in PAIRS]
        for task, row in zip(tasks, grid, strict=True)
    }
    fine, seen = True, {}
    for split in ("conf1", "conf2", "conf3", "cert"):
        ids = ledger.released.splits[split]
        counts = [sum(low[i][p] for i in ids) for p in range(len(PAIRS))]
        fine = fine and all(abs(64 * count - 2 * len(ids)) < 64 for count in counts)
        seen[split] = f"{split} {min(counts)}-{max(counts)}"
    return Check("allocation pairs", fine, ", ".join(seen.values()))


def _ids(ledger: Ledger) -> list[str]:
    return [task.id for task in ledger.released.ledger]


def _favourable_rows(ledger: Ledger) -> list[list[int]]:
    tasks = ledger.released.ledger
    grid = released_levels(ledger.seed, tasks)
    return [
        [sum(row[e][j] for e in task.evidence) for j in range(len(FEATURES))]
        for task, row in zip(tasks, grid, strict=True)
    ]
