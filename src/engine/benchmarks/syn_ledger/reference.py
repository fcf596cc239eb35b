"""The reference transformations: five neutralisations, five placebos. For audits only (D.2).

They know B_0 and the evidence, so no search may see them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from .manifest import FIELDS, Manifest, Placement, Style, with_field
from .model import DOCUMENTS, FEATURES, Task

Change: TypeAlias = Callable[[Manifest], Manifest]


def neutralisations(neutral: Manifest) -> dict[str, Change]:
    """Phi_1 to Phi_5 by feature: each gives its feature the assignment of B_0."""
    return {feature: _neutralise(FIELDS[feature], neutral) for feature in FEATURES}


def _neutralise(field: str, neutral: Manifest) -> Change:
    return lambda manifest: with_field(manifest, field, neutral)


def placebos(tasks: Sequence[Task]) -> dict[str, Change]:
    """Five changes of presentation that carry nothing."""
    return {
        "line endings": lambda m: _styled(m, replace(m.style, newline="\r\n")),
        "metadata order": lambda m: _styled(m, replace(m.style, metadata_reversed=True)),
        "trailing white space": lambda m: _styled(m, replace(m.style, trailing="  ")),
        "low-rank distractor order": lambda m: _low_ranks_reversed(tasks, m),
        "section labels": lambda m: _styled(m, replace(m.style, label=1)),
    }


def _styled(manifest: Manifest, style: Style) -> Manifest:
    return replace(manifest, style=style)


def _low_ranks_reversed(tasks: Sequence[Task], manifest: Manifest) -> Manifest:
    rows = zip(tasks, manifest.placements, strict=True)
    return replace(manifest, placements=tuple(_row_reversed(task, row) for task, row in rows))


def _row_reversed(task: Task, row: tuple[Placement, ...]) -> tuple[Placement, ...]:
    """Runs of distractors in the lower half change places among themselves.

    Only within a run that no evidence document interrupts, so that every evidence document keeps
    its rank among any subset of the documents.
    """
    order = sorted(range(DOCUMENTS), key=lambda i: row[i].rank)
    half, runs = DOCUMENTS // 2, [list[int]()]
    for i in order[half:]:
        if i in task.evidence:
            runs.append([])
        else:
            runs[-1].append(i)
    rank = {i: row[i].rank for i in order}
    for run in runs:
        for i, j in zip(run, reversed(run), strict=True):
            rank[i] = row[j].rank
    return tuple(replace(p, rank=rank[i]) for i, p in enumerate(row))
