"""What the screens show of a harden run: its cases, nodes, axes and effect, as rows and lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, sqrt
from statistics import stdev

from ...engine.model.harden import AxisTerms
from ...engine.store.listings import NODES
from ...engine.store.reader import Reader
from ...engine.store.status import HardenEffect
from ...engine.store.views import NodeRow
from ..format import percent
from ..glyphs import Glyphs
from ..lines import Column, Line, Span, tidy
from ..widgets.bars import sparkline

ALIVE = ("scored", "survivor", "parent", "promoted", "unimprovable")
STATE_STYLE = {
    "promoted": "accent", "parent": "ok", "survivor": "ok", "scored": "", "discarded": "dim",
    "rejected": "bad", "abstained": "warn", "error": "warn", "collapsed": "warn",
    "raced_out": "dim", "vetoed": "bad", "proposed": "dim", "unimprovable": "dim",
}  # fmt: skip
GATES = ("validity", "evidence", "correctness", "realism", "final_audit")


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case: its unit's state, how it ended, its best score after each generation."""

    unit: str
    case: str
    state: str
    reason: str
    status: str
    best: tuple[float | None, ...]
    nodes: int
    vetoed: int

    @property
    def word(self) -> str:
        """What is to be said of it in one word."""
        if self.state == "done":
            return self.status or "done"
        if self.state == "open":
            return "running" if self.nodes else "waiting"
        return self.state

    @property
    def gain(self) -> float:
        """How much harder it became so far."""
        known = [score for score in self.best if score is not None]
        return known[0] - known[-1] if known else 0.0


_CASES = (
    "SELECT id, state, reason, coalesce(json_extract(result, '$.status'), '') FROM unit "
    "WHERE kind = 'case' ORDER BY ord, id"
)
_BEST = (
    "SELECT unit, grp, generation, min(CASE WHEN generation = 0 OR (vetoed = 0 AND num > 0 AND "
    f"state IN {ALIVE}) THEN CAST(num AS REAL) / den END), count(*), sum(vetoed) "
    "FROM node GROUP BY unit, generation"
)


def read_cases(reader: Reader) -> list[CaseLine]:
    """All cases in source order."""
    best: dict[str, dict[int, float]] = {}
    counts: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for unit, group, generation, score, nodes, vetoed in reader.rows(_BEST):
        names[unit] = group
        best.setdefault(unit, {})[generation] = score
        total = counts.setdefault(unit, [0, 0])
        total[0] += nodes
        total[1] += vetoed
    return [
        CaseLine(
            unit, names.get(unit, unit.removeprefix("case:")), state, reason, status,
            _falling(best.get(unit, {})), *counts.get(unit, (0, 0)),
        )
        for unit, state, reason, status in reader.rows(_CASES)
    ]  # fmt: skip


def _falling(by_generation: Mapping[int, float | None]) -> tuple[float | None, ...]:
    """The best score so far after each generation: what the next parent has."""
    out: list[float | None] = []
    lowest: float | None = None
    for generation in range(max(by_generation, default=-1) + 1):
        score = by_generation.get(generation)
        lowest = score if lowest is None else min(lowest, score if score is not None else lowest)
        out.append(lowest)
    return tuple(out)


CASE_COLUMNS = (
    Column("", 1),
    Column("case", 0, middle=True),
    Column("gen", 5, least=34),
    Column("best", 9, "right"),
)
CASE_SORTS = ("source order", "most gained", "lowest score", "state")


def case_cells(row: CaseLine, glyphs: Glyphs) -> list[Span]:
    """A case's cells: sign, id, sparkline by generation, score before and now."""
    word = row.word
    sign, style = {
        "hardened": (glyphs.promoted, "accent"), "running": (glyphs.running, "ok"),
        "parked": (glyphs.error, "warn"), "failed": (glyphs.error, "bad"),
        "unimprovable": (glyphs.unimprovable, "dim"), "kept": (glyphs.dash, "dim"),
        "done": (glyphs.passed, "ok"),
    }.get(word, (glyphs.dot, "dim"))  # fmt: skip
    if row.vetoed:
        sign, style = (glyphs.vetoed, "bad") if word != "running" else (sign, style)
    known = [score for score in row.best if score is not None]
    scores = f"{known[0]:.2f}{glyphs.arrow}{known[-1]:.2f}" if known else word
    return [
        (sign, style),
        (tidy(row.case), ""),
        (sparkline(row.best, glyphs, 1.0), "accent"),
        (scores, "ok" if row.gain > 0 else "dim"),
    ]


def _last_score(row: CaseLine) -> float:
    score = row.best[-1] if row.best else None
    return inf if score is None else score


def sort_cases(rows: Sequence[CaseLine], order: int) -> list[CaseLine]:
    """The cases in one of CASE_SORTS."""
    if order == 1:
        return sorted(rows, key=lambda row: -row.gain)
    if order == 2:
        return sorted(rows, key=_last_score)
    if order == 3:
        return sorted(rows, key=lambda row: row.word)
    return list(rows)


def case_matches(row: CaseLine, where: Mapping[str, str], text: str) -> bool:
    """Whether a case passes `state=...`, `vetoed=1` and free text."""
    if "state" in where and where["state"] not in (row.word, row.state):
        return False
    if "vetoed" in where and (where["vetoed"] != "0") != bool(row.vetoed):
        return False
    return text.casefold() in f"{row.case} {row.reason}".casefold()


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node in its case's tree. `gates` holds the outcome of each gate it reached."""

    row: NodeRow
    depth: int
    parent_score: Fraction | None
    gates: Mapping[str, str]
    rollouts: int
    children: int
    open: bool

    @property
    def state(self) -> str:
        """The state that a person cares about: a veto before everything."""
        return "vetoed" if self.row.vetoed else self.row.state


@dataclass
class CaseTree:
    """The nodes of one case, as they were read."""

    unit: str
    rows: list[NodeRow] = field(default_factory=list)
    gates: dict[str, dict[str, str]] = field(default_factory=dict)
    rollouts: dict[str, int] = field(default_factory=dict)


def read_tree(reader: Reader, unit: str, rollouts: int) -> CaseTree:
    """The nodes of a unit with their gates' outcomes and rollouts done, of the T of selection."""
    sql = f"SELECT {NODES.columns} FROM node WHERE unit = ? ORDER BY generation, idx"
    tree = CaseTree(unit, [NODES.make(row) for row in reader.rows(sql, (unit,))])
    verdicts = "SELECT node, gate, outcome FROM verdict WHERE unit = ? AND vote = -1"
    for node, gate, outcome in reader.rows(verdicts, (unit,)):
        tree.gates.setdefault(node, {})[gate] = outcome
    counts = (
        "SELECT node, count(*) FROM rollout WHERE unit = ? AND sample >= 0 AND sample < ? "
        "AND context = 'task' GROUP BY node"
    )
    tree.rollouts = dict(reader.rows(counts, (unit, rollouts)))
    return tree


def tree_lines(tree: CaseTree, closed: frozenset[str]) -> list[NodeLine]:
    """Depth first by parent; children in order of generation and index; closed ones hidden."""
    by_id = {row.id: row for row in tree.rows}
    children: dict[str, list[NodeRow]] = {}
    roots: list[NodeRow] = []
    for row in tree.rows:
        above = next((name for name in row.parents if name in by_id), None)
        (children.setdefault(above, []) if above else roots).append(row)
    out: list[NodeLine] = []
    stack = [(row, 0) for row in reversed(roots)]
    while stack:
        row, depth = stack.pop()
        parent = by_id.get(row.parents[0]) if row.parents else None
        below = children.get(row.id, [])
        shown = row.id not in closed
        out.append(
            NodeLine(
                row, depth, parent.score if parent else None, tree.gates.get(row.id, {}),
                tree.rollouts.get(row.id, 0), len(below), shown,
            )
        )  # fmt: skip
        stack += [(child, depth + 1) for child in reversed(below)] if shown else []
    return out


NODE_COLUMNS = (
    Column("node", 10),
    Column("axis", 0),
    Column("score", 5, "right"),
    Column("change", 6, "right"),
    Column("entr", 4, "right", least=62),
    Column("gates", 5),
    Column("rolls", 5, "right", least=68),
)


def node_cells(line: NodeLine, glyphs: Glyphs, rollouts: int) -> list[Span]:
    """A node's cells: sign and id with its depth, axis, score, change, entropy, gates, rollouts.

    While rollouts are under way their number stands in the score's place.
    """
    row, state = line.row, line.state
    style = STATE_STYLE.get(state, "")
    done = f"{line.rollouts}/{rollouts}"
    fold = " " if not line.children else glyphs.open if line.open else glyphs.closed
    name = f"{' ' * min(line.depth, 3)}{fold}{glyphs.of(state)} g{row.generation}.{row.index}"
    axis = tidy(str(row.origin.get("axis") or ("original" if not row.parents else "")))
    return [
        (name, style),
        (axis, "dim" if state in ("rejected", "discarded", "raced_out") else ""),
        (score_text(row) if row.score is not None or not line.rollouts else done, style),
        (change_text(row.score, line.parent_score), "ok" if _better(line) else "dim"),
        ("" if row.entropy is None else f"{row.entropy:.2f}", "dim"),
        (gate_signs(line.gates, glyphs), "bad" if "fail" in line.gates.values() else "ok"),
        (done if line.rollouts else "", "dim"),
    ]


def score_text(row: NodeRow) -> str:
    """A node's score; a lower bound is marked."""
    return "" if row.score is None else f"{'≥' if row.bound else ''}{float(row.score):.2f}"


def change_text(score: Fraction | None, parent: Fraction | None) -> str:
    """The change from the parent with its sign."""
    return "" if score is None or parent is None else f"{float(score - parent):+.2f}"


def _better(line: NodeLine) -> bool:
    score, parent = line.row.score, line.parent_score
    return score is not None and parent is not None and 0 < score < parent


def gate_signs(gates: Mapping[str, str], glyphs: Glyphs) -> str:
    """One sign per gate in their order; a dot for a gate that was not reached."""
    signs = {"pass": glyphs.passed, "fail": glyphs.failed, "abstain": glyphs.abstained}
    return "".join(
        signs.get(gates[gate], glyphs.error) if gate in gates else glyphs.dot for gate in GATES
    )


def terms_text(terms: AxisTerms) -> str:
    """The terms of an axis's score that are not zero, the base first: `2.75 +3 -1`."""
    rest = (terms.priority, terms.no_improvement, terms.low_pass_rate, terms.lineage, terms.bonus)
    return " ".join([f"{float(terms.base):.2f}", *(f"{float(term):+g}" for term in rest if term)])


Halves = tuple[float | None, float | None]


def read_margins(reader: Reader) -> Halves:
    """Half the width of 95% intervals of the accuracies before and after, as shares of 1.

    From the normal approximation over cases, cheap enough for every update; the report bootstraps.
    """
    rows = reader.rows(
        "SELECT json_extract(result, '$.fresh_before'), json_extract(result, '$.fresh_after') "
        "FROM unit WHERE kind = 'case' AND state = 'done'"
    )
    pairs = [(Fraction(before), Fraction(after)) for before, after in rows if before and after]
    return margin([float(pair[0]) for pair in pairs]), margin([float(pair[1]) for pair in pairs])


def margin(values: Sequence[float]) -> float | None:
    """Half the 95% interval of a mean by the normal approximation; None for fewer than two values,
    or where all are alike: it would be 0, and the mean is not known for certain."""
    return 1.96 * stdev(values) / sqrt(len(values)) or None if len(values) > 1 else None


def effect_lines(effect: HardenEffect, margins: Halves, glyphs: Glyphs) -> list[Line]:
    """Accuracy before and after with 95% intervals, cases hardened, entropy."""
    if not effect.cases:
        return [((" no case is finished yet", "dim"),)]
    fresh = effect.scored > 0
    before = effect.fresh_before if fresh else effect.selection_before
    after = effect.fresh_after if fresh else effect.selection_after
    kind = "fresh rollouts" if fresh else "the selection's own rollouts"
    share = effect.hardened / effect.cases
    lines: list[Line] = [
        (
            (" accuracy   ", "dim"),
            (_interval(before, margins[0] if fresh else None), "accent"),
            (f" {glyphs.arrow} ", "dim"),
            (_interval(after, margins[1] if fresh else None), "accent"),
            (
                f"  {_points(before, after)} points, {kind}, {effect.scored or effect.cases} cases",
                "dim",
            ),
        ),
        (
            (" hardened   ", "dim"),
            (f"{effect.hardened} of {effect.cases}", "accent"),
            (f"  {percent(share, 0)}" + (f", {effect.failed} failed" * bool(effect.failed)), "dim"),
        ),
    ]
    if effect.entropy_before is not None and effect.entropy_after is not None:
        moved = f"{effect.entropy_before:.3f} {glyphs.arrow} {effect.entropy_after:.3f}"
        lines.append(((" entropy    ", "dim"), (moved, ""), ("  selection's rollouts", "dim")))
    saved = (
        f"vote stopping {effect.saved_by_vote_stopping:,}, racing {effect.saved_by_racing:,}, "
        f"futility {effect.skipped_by_futility:,}"
    )
    lines.append(((" saved      ", "dim"), (saved, ""), (" calls", "dim")))
    return lines


def _interval(value: Fraction | None, margin: float | None) -> str:
    if value is None:
        return "-"
    half = "" if margin is None else f" ±{100 * margin:.1f}"
    return f"{100 * float(value):.1f}%{half}"


def _points(before: Fraction | None, after: Fraction | None) -> str:
    return "-" if before is None or after is None else f"{100 * float(after - before):+.1f}"
