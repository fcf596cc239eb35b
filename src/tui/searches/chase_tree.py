"""The tree of a chase run on the screen: cells, folds, orders, filters, jumps."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

from ..glyphs import Glyphs
from ..lines import Column, Line, Span, fit_line, table_row, tidy
from .chase import points
from .chase_branches import Branch

STYLE = {
    "chosen": "accent", "confirmed": "accent", "adopted": "ok", "base": "ok", "infeasible": "warn",
    "vetoed": "bad", "malformed": "bad", "refused": "bad", "invalid": "bad", "duplicate": "bad",
    "inactive": "bad", "running": "ok", "parked": "warn", "failed": "bad",
}  # fmt: skip
SIGNS = {
    "chosen": "promoted", "confirmed": "survivor", "adopted": "survivor", "base": "survivor",
    "infeasible": "raced_out", "vetoed": "vetoed", "malformed": "rejected", "refused": "rejected",
    "invalid": "rejected", "duplicate": "rejected", "inactive": "rejected", "running": "running",
    "parked": "error", "failed": "error", "done": "passed", "unconfirmed": "discarded",
    "tried": "discarded", "not tried": "discarded", "not adopted": "discarded",
    "repeated": "collapsed",
}  # fmt: skip
SORTS = ("as it came", "by score", "by outcome")


COLUMNS = (
    Column("node", 20),
    Column("what", 0),
    Column("gate", 4, least=64),
    Column("score", 7, "right"),
    Column("Delta", 7, "right"),
    Column("D_conf", 7, "right", least=76),
    Column("outcome", 11),
)


def line_of(branch: Branch, glyphs: Glyphs, opened: bool) -> list[Span]:
    """A line's cells. A counterfactual has its rank for a score and D_disc's for its Delta; what is
    under way stands as rollouts done in the place of what it will give."""
    trial, row = branch.trial, branch.row
    style = STYLE.get(branch.word, "dim")
    sign = glyphs.of(SIGNS.get(branch.word, "proposed"))
    if row is None:
        return _head_cells(branch, glyphs, opened)
    now = branch.progress.text if branch.progress else ""
    if row.kind == "counterfactual":
        score, delta = ("" if trial.rank is None else f"#{trial.rank}"), _known(trial.disc)
        delta, conf = (delta or now), (_known(trial.conf) or (now if delta else ""))
        far = trial.conf is not None and trial.archived
    else:
        score, conf, far = _known(branch.score) or now, "", branch.over
        delta = (score != now and now) or _known(branch.gamma) + "!" * far
    return [
        (f"  {sign} {tidy(row.id)}", style),
        (tidy(branch.what), "dim" if style == "bad" else ""),
        (gate_sign(branch.gates, glyphs), "bad" if "fail" in branch.gates.values() else "ok"),
        (score, style if style != "dim" else ""),
        (delta, "warn" if far else "dim"),
        (conf, "accent" if far else "dim"),
        (tidy(branch.word), style),
    ]


def _head_cells(branch: Branch, glyphs: Glyphs, opened: bool) -> list[Span]:
    """Fold, state, name, and what came of the round."""
    stage, below = branch.stage, branch.below
    fold = " " if not below else glyphs.open if opened else glyphs.closed
    sign = glyphs.of(SIGNS.get(branch.word, "proposed"))
    name = f"{stage.method}, round {stage.round}" if stage.round else stage.id
    name += "" if opened or not below else f"  ({below} nodes)"
    style = STYLE.get(branch.word, "dim")
    return [(f"{fold}{sign} ", style), (f"{tidy(name)}  ", "bold"), (tidy(branch.what), "dim")]


def gate_sign(gates: Mapping[str, str], glyphs: Glyphs) -> str:
    """One sign for each gate that a node met."""
    signs = {"pass": glyphs.passed, "fail": glyphs.failed}
    return "".join(signs.get(outcome, glyphs.error) for outcome in gates.values())


def _known(value: Fraction | None) -> str:
    return "" if value is None else points(value)


def visible(
    rows: Sequence[Branch],
    closed: AbstractSet[str],
    matches: Callable[[Branch], bool] | None,
    order: int,
) -> list[Branch]:
    """The lines that are shown: of closed rounds the head alone; with a filter only what passes,
    with its round."""
    out: list[Branch] = []
    for head, below in grouped(rows):
        if matches is not None:
            below = [one for one in below if matches(one)]
            if not below and not matches(head):
                continue
        out.append(head)
        if head.key not in closed or matches is not None:
            out += sorted(below, key=_ORDERS[order]) if order else below
    return out


_ORDERS: Sequence[Callable[[Branch], tuple[object, ...]]] = (
    lambda one: (),
    lambda one: (_is_counterfactual(one), -_worth(one)),
    lambda one: (_is_counterfactual(one), one.word),
)


def _is_counterfactual(one: Branch) -> bool:
    return one.row is not None and one.row.kind == "counterfactual"


def _worth(one: Branch) -> Fraction:
    """A harness's score; of a counterfactual, what it destroys."""
    own = one.trial.conf if one.trial.conf is not None else one.trial.disc
    value = own if _is_counterfactual(one) else one.score
    return Fraction(-9) if value is None else value


def grouped(rows: Sequence[Branch]) -> list[tuple[Branch, list[Branch]]]:
    """Each round with its nodes."""
    out: list[tuple[Branch, list[Branch]]] = []
    for row in rows:
        if row.row is None:
            out.append((row, []))
        else:
            out[-1][1].append(row)
    return out


FILTERS = ("state", "kind", "method", "round", "family", "vetoed")


def matches(branch: Branch, where: Mapping[str, str], text: str) -> bool:
    """Whether a line passes the filter's names and words."""
    row = branch.row
    kind = "round" if row is None else str(row.origin.get("kind") or row.kind)
    own = {
        "state": {branch.word, branch.stage.state if row is None else row.state},
        "kind": {kind, "round" if row is None else row.kind},
        "method": {branch.stage.method},
        "round": {str(branch.stage.round)},
        "family": set() if row is None else {str(one) for one in row.origin.get("family") or ()},
        "vetoed": {str(int(row is not None and row.vetoed))},
    }
    named = all(value in own[name] for name, value in where.items())
    return named and text.casefold() in f"{branch.key} {branch.word} {branch.what}".casefold()


def best(rows: Sequence[Branch], method: str) -> Branch | None:
    """The chosen harness, else the method's best one that no constraint and no veto bars."""
    scored = [
        one
        for one in rows
        if one.row is not None
        and one.row.kind == "harness"
        and one.score is not None
        and one.word not in ("vetoed", "infeasible")
        and not one.over
    ]
    chosen = [one for one in scored if one.word == "chosen"]
    own = chosen or [one for one in scored if one.stage.method == method]
    return max(own, key=lambda one: one.score or 0, default=None)


def next_of(rows: Sequence[Branch], after: str | None, state: str) -> Branch | None:
    """The next line below `after` that is rejected, or vetoed."""
    keys = [one.key for one in rows]
    start = keys.index(after) + 1 if after in keys else 0
    return next(
        (
            one
            for one in rows[start:]
            if one.row is not None
            and (one.row.vetoed if state == "vetoed" else one.row.state == state)
        ),
        None,
    )


def tree_line(cells: Sequence[Span], branch: Branch, width: int) -> Line:
    """A line of the list: a round over the whole width, a node in its columns."""
    return fit_line(tuple(cells), width) if branch.row is None else table_row(COLUMNS, cells, width)
