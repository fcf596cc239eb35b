"""Balance of the five features under B_0 and B_rel, and what the reference variants do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

from ..checks import Check
from .assignment import Grid, Levels, mixed, neutral_levels, released_levels
from .environment import Ledger, assemble
from .generate import generate
from .manifest import FIELDS, Manifest, Placement
from .model import BLOCK_SIZE, BLOCKS, DOCUMENTS, FEATURES, WINDOW, Task, generator
from .reference import neutralisations, placebos
from .words import SHALLOW

MIXED = 8


def balance_checks(ledger: Ledger) -> list[Check]:
    """Configurations, favourable shares, composition, placebos, replay."""
    tasks = ledger.released.ledger
    neutral, released = neutral_levels(ledger.seed, tasks), released_levels(ledger.seed, tasks)
    return [
        _configurations(tasks, neutral),
        _favourable(tasks, released),
        _kept_tasks(ledger.seed, tasks, released),
        _distractors(tasks, neutral, released),
        _shown("B_0", neutral, ledger.neutral.protocol),
        _shown("B_rel", released, ledger.released.protocol),
        _composition(ledger),
        _placebos(ledger),
        _replay(ledger),
    ]


def _evidence(tasks: tuple[Task, ...], grid: Grid, block: int) -> list[Levels]:
    return [
        row[i] for t, row in zip(tasks, grid, strict=True) if t.block == block for i in t.evidence
    ]


def _configurations(tasks: tuple[Task, ...], neutral: Grid) -> Check:
    """In each block every configuration stands at 2 evidence documents and 10 distractors."""
    counts = []
    for block in range(BLOCKS):
        every = Counter(
            levels
            for task, row in zip(tasks, neutral, strict=True)
            if task.block == block
            for levels in row
        )
        evidence = Counter(_evidence(tasks, neutral, block))
        counts += [(evidence[c], every[c] - evidence[c]) for c in every]
    fine = set(counts) == {(2, 10)} and len(counts) == BLOCKS * 2 ** len(FEATURES)
    return Check("B_0 configurations", fine, "evidence and distractors each: " + _set(counts))


def _favourable(tasks: tuple[Task, ...], released: Grid) -> Check:
    counts = [
        sum(levels[j] for levels in _evidence(tasks, released, block))
        for block in range(BLOCKS)
        for j in range(len(FEATURES))
    ]
    fine = set(counts) == {2 * BLOCK_SIZE - MIXED}
    return Check("B_rel favourable", fine, f"{_set(counts)} of {2 * BLOCK_SIZE} a block")


def _kept_tasks(seed: int, tasks: tuple[Task, ...], released: Grid) -> Check:
    """Each feature leaves eight tasks of a block mixed, other ones than the other features."""
    fine = True
    for block in range(BLOCKS):
        rows = [(t, row) for t, row in zip(tasks, released, strict=True) if t.block == block]
        kept = [
            {t.index for t, row in rows if row[t.evidence[0]][j] != row[t.evidence[1]][j]}
            for j in range(len(FEATURES))
        ]
        shared = {len(a & b) for a, b in permutations(kept, 2)}
        fine = fine and all(len(k) == MIXED for k in kept) and shared == {2}
        counts = [sum(mixed(seed, block, c)[j] for c in range(BLOCK_SIZE)) for j in range(5)]
        fine = fine and counts == [MIXED] * len(FEATURES)
    return Check("B_rel mixed tasks", fine, f"{MIXED} a block and feature, two shared by any pair")


def _distractors(tasks: tuple[Task, ...], neutral: Grid, released: Grid) -> Check:
    moved = sum(
        a[i] != b[i]
        for task, a, b in zip(tasks, neutral, released, strict=True)
        for i in range(DOCUMENTS)
        if i not in task.evidence
    )
    return Check("B_rel distractors", moved == 0, f"{moved} differ from B_0")


def _shown(name: str, grid: Grid, manifest: Manifest) -> Check:
    """Whether what the manifest shows is at the level that the assignment asks for."""
    wrong = 0
    for levels, row in zip(grid, manifest.placements, strict=True):
        for wanted, placement in zip(levels, row, strict=True):
            seen = _seen(placement)
            wrong += any(seen[f] != w for f, w in zip(FEATURES, wanted, strict=True) if f in seen)
        order = sorted(range(DOCUMENTS), key=lambda i: row[i].rank)
        early = [levels[i][2] for i in order]
        wrong += early != sorted(early, reverse=True)
    return Check(f"{name} as shown", wrong == 0, f"{wrong} documents at another level")


def _seen(placement: Placement) -> dict[str, bool]:
    return {
        "name": placement.name.startswith("acc-"),
        "depth": placement.folder == SHALLOW,
        "position": placement.start + placement.size <= WINDOW,
        "format": placement.format == "table",
    }


def _composition(ledger: Ledger) -> Check:
    """Phi_1..5 are idempotent and commute, and in any order they give B_0."""
    released, neutral = ledger.released.protocol, ledger.neutral.protocol
    fine = _algebra(_one_block(released), _one_block(neutral))
    phi = neutralisations(neutral)
    orders = [list(FEATURES), generator("orders").sample(FEATURES, len(FEATURES))]
    for order in orders:
        manifest = released
        for feature in order:
            manifest = phi[feature](manifest)
        fine = fine and manifest == neutral
    changed = [ledger.released.changed_features(f(released)) for f in phi.values()]
    fine = fine and changed == [frozenset({feature}) for feature in FIELDS]
    return Check("neutralisations", fine, "each changes one feature; all five give B_0")


def _algebra(released: Manifest, neutral: Manifest) -> bool:
    phi = list(neutralisations(neutral).values())
    same = all(f(f(released)) == f(released) for f in phi)
    return same and all(a(b(released)) == b(a(released)) for a, b in combinations(phi, 2))


def _one_block(manifest: Manifest) -> Manifest:
    return replace(manifest, placements=manifest.placements[:BLOCK_SIZE])


def _placebos(ledger: Ledger) -> Check:
    """Placebos change something, no evidence document's rank, and none of the other features."""
    tasks, released = ledger.released.ledger, ledger.released.protocol
    fine = True
    for change in placebos(tasks).values():
        after = change(released)
        changed = ledger.released.changed_features(after)
        fine = fine and after != released and changed <= {"style", "rank"}
        for task, a, b in zip(tasks, released.placements, after.placements, strict=True):
            fine = fine and all(_above(a, i) == _above(b, i) for i in task.evidence)
    return Check("placebos", fine, "evidence keeps its rank among any documents")


def _above(row: tuple[Placement, ...], place: int) -> set[str]:
    return {placement.code for placement in row if placement.rank < row[place].rank}


def _replay(ledger: Ledger) -> Check:
    """Generating again gives the same tasks, manifests and allocation, byte for byte."""
    again = assemble(ledger.seed, generate.__wrapped__(ledger.seed))
    fine = again.released.ledger is not ledger.released.ledger and _bytes(again) == _bytes(ledger)
    return Check("replay", fine, f"seed {ledger.seed} generated twice")


def _bytes(ledger: Ledger) -> bytes:
    """The whole benchmark written out: tasks, splits, and all twelve manifests."""
    released = ledger.released
    manifests = [env.protocol for env in ledger.renderings().values()]
    return repr((released.ledger, sorted(released.splits.items()), manifests)).encode()


def _set(values: Sequence[object]) -> str:
    return ", ".join(sorted(set(map(str, values))))
