"""The tree of a cegar run: targets, what was tried on them, and what came of it, line by line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..filters import Filter
from ..glyphs import Glyphs
from ..lines import Column, Span, tidy
from .cegar import STATE_STYLE, Attempt, Search, Target, count_text, delta_text, fraction


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A line of the tree. `node` is what can be inspected here; `note` says why it is so."""

    key: str
    unit: str
    depth: int
    sign: str
    word: str
    name: str
    note: str = ""
    level: str = ""
    gate: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    node: str | None = None
    children: int = 0
    open: bool = True


def tree_lines(
    search: Search, closed: frozenset[str], wanted: Filter, order: int
) -> list[TreeLine]:
    """Targets with what is below them, in one of TARGET_SORTS; children of closed ones hidden."""
    lines: list[TreeLine] = []
    if search.starting:
        lines += _folded(_pool_line(search), _starting_lines(search), closed, wanted)
    for target in SORTS[order](_tried(search.targets)):
        lines += _folded(_target_line(target), _target_lines(target), closed, wanted)
    if search.ending and wanted.empty:
        name = search.ending.partition(":")[0]
        lines.append(TreeLine("ending", "ending", 0, "parent", "ending", name, search.ending))
    for target in _tried(search.beside):
        lines += _folded(_target_line(target), _target_lines(target), closed, wanted)
    return lines


def _tried(targets: Sequence[Target]) -> list[Target]:
    """All but the last unit of a loop, which only finds that nothing is left to try."""
    return [one for one in targets if one.attempts or not one.ended]


def _folded(
    head: TreeLine, below: Sequence[TreeLine], closed: frozenset[str], wanted: Filter
) -> list[TreeLine]:
    """A line and its children that pass the filter; nothing where neither does."""
    kept = [line for line in below if wanted.empty or _matches(line, wanted)]
    if not (kept or wanted.empty or _matches(head, wanted)):
        return []
    shown = head.key not in closed
    return [replace(head, children=len(kept), open=shown), *(kept if shown else [])]


def _matches(line: TreeLine, wanted: Filter) -> bool:
    has = {"state": line.word, "level": line.level, "gate": line.gate}
    for name, value in wanted.where.items():
        if name == "vetoed" and (value != "0") != (line.word == "vetoed"):
            return False
        if name != "vetoed" and has[name] != value:
            return False
    return wanted.text.casefold() in f"{line.key} {line.name} {line.note} {line.word}".casefold()


FILTERS = ("state", "level", "gate", "vetoed")
TARGET_SORTS = ("as tried", "largest class", "best Delta", "state")
SORTS: tuple[Callable[[Iterable[Target]], list[Target]], ...] = (
    list,
    lambda targets: sorted(targets, key=lambda target: -target.size),
    lambda targets: sorted(targets, key=lambda target: -target.best),
    lambda targets: sorted(targets, key=lambda target: target.word),
)


def _pool_line(search: Search) -> TreeLine:
    name = f"starting pool of {len(search.starting)}"
    note = "hand-written operators shape the signatures and never vote"
    return TreeLine("start", "baseline", 0, "scored", "starting", name, note)


def _starting_lines(search: Search) -> list[TreeLine]:
    return [
        TreeLine(
            node.id, node.unit, 1, "scored", "starting", node.description,
            "hand-written; its Delta is its own on the training split",
            str(node.origin.get("level", "")),
            figures={} if node.score is None else {"delta": str(node.score)}, node=node.id,
        )
        for node in search.starting
    ]  # fmt: skip


SIGNS = {
    "admitted": "promoted", "open": "running", "abandoned": "unimprovable", "parked": "error",
    "failed": "error", "insufficient": "unimprovable", "separated": "passed", "incomplete": "dash",
    "done": "passed",
}  # fmt: skip


def _target_line(target: Target) -> TreeLine:
    size = "" if target.right is None else f"  {target.right} right {target.wrong} wrong"
    note = target.reason or _class_note(target)
    sign = SIGNS.get(target.word, "proposed")
    name = f"{target.unit}{size}"
    return TreeLine(target.unit, target.unit, 0, sign, target.word, name, note)


def _class_note(target: Target) -> str:
    return f"a wrong one {target.fault}" if target.fault else ""


def _target_lines(target: Target) -> list[TreeLine]:
    lines = [_attempt_line(one) for one in target.attempts]
    if target.under_way:
        name = f"/{len(target.attempts)} {target.under_way}"
        lines.append(TreeLine(f"{target.unit}+", target.unit, 1, "running", "running", name))
    for number, (kind, reason, facts) in enumerate(target.outcomes):
        if kind != "admit" or "pool" in facts:
            lines.append(_outcome_line(target, number, kind, reason, facts))
    return lines


def _attempt_line(one: Attempt) -> TreeLine:
    node = one.node
    sign = "vetoed" if node.vetoed else node.state
    return TreeLine(
        node.id, node.unit, 1, sign, one.word, f"/{node.index} {node.description}",
        one.reason, one.level, one.stopped, one.figures, node.id,
    )  # fmt: skip


def _outcome_line(
    target: Target, number: int, kind: str, reason: str, facts: Mapping[str, Any]
) -> TreeLine:
    key = f"{target.unit}={number}"
    if kind == "admit":
        pool = facts["pool"]
        count = len(pool.get("members", ()))
        name = f"the pool of {count} now" if count != 1 else "the pool of one now"
        return TreeLine(key, target.unit, 1, "arrow", "", name, reason, figures=pool)
    word = "vetoed" if kind == "fallback" else "abandoned"
    sign = "vetoed" if kind == "fallback" else "unimprovable"
    return TreeLine(key, target.unit, 1, sign, word, reason, reason)


COLUMNS = (
    Column("target, attempt", 0),
    Column("level", 5, "right", least=70),
    Column("state", 10),
    Column("stopped at", 11, least=70),
    Column("helped", 6, "right", least=76),
    Column("hurt", 4, "right", least=76),
    Column("Delta", 7, "right"),
)
WIDE_FROM = 120
WIDE = (replace(COLUMNS[0], width=44), *COLUMNS[1:], Column("why", 0))
"""Where there is room the reason stands in the line."""


def tree_cells(line: TreeLine, glyphs: Glyphs) -> list[Span]:
    """A line's cells: sign and name with its depth, level, state, gate, figures, reason."""
    style = STATE_STYLE.get(line.word, "dim" if line.depth else "")
    fold = " " if not line.children else glyphs.open if line.open else glyphs.closed
    lead = f"{'  ' * line.depth}{fold if not line.depth else ''}{glyphs.of(line.sign)} "
    delta = fraction(line.figures.get("delta"))
    return [
        (lead + tidy(line.name), style if line.depth else "bold"),
        (line.level, "dim"),
        (line.word, style),
        (tidy(line.gate), f"gate.{line.gate}" if line.gate else ""),
        (count_text(line.figures.get("helped")), "ok"),
        (count_text(line.figures.get("hurt")), "bad" if line.figures.get("hurt") else "dim"),
        (delta_text(delta), "accent" if delta and delta > 0 else "dim"),
        (tidy(line.note), "dim"),
    ]
