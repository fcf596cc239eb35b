"""The rendering manifest: how each document is shown, apart from what it says (D.2).

A manifest changes file names, folders, the order of broad results, where the candidate block
stands and how records are written. Questions, answers and records are not in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .assignment import Grid, Levels
from .model import DOCUMENTS, FEATURES, WINDOW, Task, rank_of
from .words import DEEP, EARLY_NAME, LATE_NAMES, SHALLOW

Format: TypeAlias = Literal["table", "csv", "keyvalue"]
FORMATS: tuple[Format, ...] = ("table", "csv", "keyvalue")


@dataclass(frozen=True, slots=True)
class Placement:
    """How one document is shown.

    `code` says which document and never changes. `rank` orders broad results within the task,
    `start` is the first slot, 0 to 5, of a candidate block of `size` records.
    """

    code: str
    size: int
    name: str
    folder: str
    rank: int
    start: int
    format: Format

    @property
    def path(self) -> str:
        """Folder and file name."""
        return f"{self.folder}/{self.name}"


@dataclass(frozen=True, slots=True)
class Style:
    """Details that carry nothing: what the placebos change."""

    newline: Literal["\n", "\r\n"] = "\n"
    metadata_reversed: bool = False
    trailing: str = ""
    label: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """Placements of every document of every task, and the style of all."""

    placements: tuple[tuple[Placement, ...], ...]
    style: Style = Style()


FIELDS = {
    "name": "name",
    "depth": "folder",
    "rank": "rank",
    "position": "start",
    "format": "format",
}
"""The placement field that each feature sets."""


def place(tasks: Sequence[Task], grid: Grid) -> Manifest:
    """The manifest that shows each document at its levels; deterministic."""
    return Manifest(
        tuple(_placements(task, levels) for task, levels in zip(tasks, grid, strict=True))
    )


def _placements(task: Task, levels: Sequence[Levels]) -> tuple[Placement, ...]:
    order = sorted(
        range(DOCUMENTS),
        key=lambda i: (not levels[i][2], rank_of("rank", task.documents[i].code)),
    )
    return tuple(
        _placement(document.code, len(document.block), levels[i], order.index(i))
        for i, document in enumerate(task.documents)
    )


def _placement(code: str, size: int, levels: Levels, rank: int) -> Placement:
    name, depth, _, position, form = levels
    return Placement(
        code,
        size,
        early_name(code) if name else late_name(code),
        SHALLOW if depth else DEEP,
        rank,
        block_start(code, size, position),
        "table" if form else other_format(code),
    )


def early_name(code: str) -> str:
    """A short, regular name that sorts early."""
    return EARLY_NAME.format(code=code)


def late_name(code: str) -> str:
    """A long name that sorts late."""
    return LATE_NAMES[rank_of("name", code) % len(LATE_NAMES)].format(code=code)


def block_start(code: str, size: int, first_window: bool) -> int:
    """The block's first slot: within the first window, or as far into the continuation."""
    offset = rank_of("start", code) % (WINDOW - size + 1)
    return offset if first_window else WINDOW + offset


def other_format(code: str) -> Format:
    """CSV or key-value, by the document."""
    return FORMATS[1 + rank_of("format", code) % 2]


def changed_features(before: Manifest, after: Manifest) -> frozenset[str]:
    """Which features differ between two manifests, and "style" where the style does."""
    found = {"style"} if before.style != after.style else set[str]()
    for old, new in zip(before.placements, after.placements, strict=True):
        for a, b in zip(old, new, strict=True):
            if a != b:
                found.update(_differences(a, b))
    return frozenset(found)


def _differences(a: Placement, b: Placement) -> set[str]:
    found = {f for f in FEATURES if getattr(a, FIELDS[f]) != getattr(b, FIELDS[f])}
    return found | ({"document"} if (a.code, a.size) != (b.code, b.size) else set())


def with_field(manifest: Manifest, field: str, other: Manifest) -> Manifest:
    """`manifest` with one placement field of every document as in `other`."""
    rows = tuple(
        tuple(replace(p, **{field: getattr(o, field)}) for p, o in zip(row, source, strict=True))
        for row, source in zip(manifest.placements, other.placements, strict=True)
    )
    return replace(manifest, placements=rows)
