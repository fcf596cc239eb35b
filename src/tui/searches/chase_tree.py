"""The tree of a chase run: methods and rounds, below them harnesses and counterfactuals."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction

from ...engine.report.chase_read import Choice
from ...engine.store.views import NodeRow
from ..glyphs import Glyphs
from ..lines import Column, Line, Span, fit_line, table_row, tidy
from .chase import BASE, Facts, Progress, Stage, Trial, points, share

STYLE = {
    "chosen": "accent", "confirmed": "accent", "adopted": "ok", "base": "ok", "infeasible": "warn",
    "vetoed": "bad", "malformed": "bad", "refused": "bad", "invalid": "bad", "duplicate": "bad",
    "inactive": "bad", "running": "ok", "parked": "warn", "failed": "bad",
}  # fmt: skip
SIGNS = {
    "chosen": "promoted", "confirmed": "survivor", "adopted": "parent", "base": "parent",
    "infeasible": "raced_out", "vetoed": "vetoed", "malformed": "rejected", "refused": "rejected",
    "invalid": "rejected", "duplicate": "rejected", "inactive": "rejected", "running": "running",
    "parked": "error", "failed": "error", "done": "passed", "unconfirmed": "discarded",
    "tried": "discarded", "not tried": "discarded", "not adopted": "discarded",
}  # fmt: skip
REJECTIONS = {
    "schema": "malformed", "generalization": "refused", "firewall": "invalid",
    "activity": "inactive", "duplicate": "duplicate",
}  # fmt: skip
SORTS = ("as it came", "by score", "by outcome")


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree: a round (then `row` is None), a harness or a counterfactual.

    `word` is its outcome, `what` the words beside it, `node` what is inspected there. `gamma` is
    the worst gain destruction of a harness over the archive, `over` says that it is above epsilon.
    """

    key: str
    stage: Stage
    word: str
    what: str
    row: NodeRow | None = None
    gates: Mapping[str, str] = field(default_factory=dict)
    node: str | None = None
    gamma: Fraction | None = None
    over: bool = False
    score: Fraction | None = None
    trial: Trial = field(default_factory=Trial)
    progress: Progress | None = None
    below: int = 0


def branches(facts: Facts) -> list[Branch]:
    """All lines, each round before its nodes, in the order of the run's units."""
    out: list[Branch] = []
    adopted = facts.adopted()
    for stage in facts.stages:
        rows = [row for row in facts.nodes.values() if row.unit == stage.id]
        out.append(_head(facts, stage, len(rows)))
        out += [_branch(facts, stage, row, adopted) for row in rows]
    return out


def _head(facts: Facts, stage: Stage, below: int) -> Branch:
    steps = (facts.choice(stage.id, step) for step in ("select", "final"))
    chosen = next((one.chosen[0] for one in steps if one is not None and one.chosen), None)
    text = _stage_text(facts, stage)
    return Branch(stage.id, stage, _stage_word(stage), text, node=chosen, below=below)


def _stage_word(stage: Stage) -> str:
    return "running" if stage.state == "open" else stage.state


def _stage_text(facts: Facts, stage: Stage) -> str:
    if stage.state == "parked":
        return stage.reason
    if stage.id == "final":
        made = facts.choice("final", "final")
        return f"H* is {made.chosen[0]}: {made.reason}" if made else "the final choice"
    if stage.id == "certification":
        return _sealed_text(facts, stage)
    if not stage.round:
        return "H_0 on D_evo"
    select, confirm = facts.choice(stage.id, "select"), facts.choice(stage.id, "confirm")
    said = [text for text in (_selected(select), _confirmed(confirm)) if text]
    if stage.state == "open":
        said.append(stage_activity(facts, stage))
    return "; ".join(said)


def _sealed_text(facts: Facts, stage: Stage) -> str:
    if stage.state == "done":
        return f"{len(stage.result.get('methods', {}))} methods on D_cert"
    opened = facts.choice("certification", "seal")
    return "D_cert is open" if opened else "D_cert is sealed"


def _selected(made: Choice | None) -> str:
    if made is None or not made.chosen:
        return ""
    verb = {"adopt": "adopted", "keep": "kept", "fallback": "fell back to"}.get(made.kind, "")
    return f"{verb} {made.chosen[0]}, {made.reason}"


def _confirmed(made: Choice | None) -> str:
    if made is None or made.kind == "skip":
        return ""
    return f"confirmed {made.chosen[0]}" if made.chosen else "nothing confirmed"


def stage_activity(facts: Facts, stage: Stage) -> str:
    """What an open round does now."""
    if facts.choice(stage.id, "rank"):
        return "trying counterfactuals"
    if facts.choice(stage.id, "select"):
        return "challenging"
    if any(row.unit == stage.id for row in facts.nodes.values()):
        return "evaluating candidates"
    return "waits" if _waits(facts, stage) else "proposing"


def _waits(facts: Facts, stage: Stage) -> bool:
    before = [one for one in facts.rounds(stage.method) if one.round < stage.round]
    return any(one.state != "done" for one in before)


def _branch(facts: Facts, stage: Stage, row: NodeRow, adopted: AbstractSet[str]) -> Branch:
    gates, progress = facts.gates.get(row.id, {}), facts.progress.get(row.id)
    if row.kind == "counterfactual":
        trial = facts.trials.get(row.id, Trial())
        word = _counterfactual_word(row, gates, trial, progress)
        families = ", ".join(map(str, row.origin.get("family") or ()))
        text = f"{families}: {row.description}" if families else row.description
        return Branch(row.id, stage, word, text, row, gates, row.id, trial=trial, progress=progress)
    seen = facts.measured.get(row.id, {})
    kind = str(row.origin.get("kind") or "the harness to beat")
    said = row.description.removeprefix("changes ")
    text = f"{kind}: {said}" if said else kind
    gamma, epsilon = share(seen.get("gamma")), facts.epsilon
    over = gamma is not None and epsilon is not None and gamma > epsilon
    word = _harness_word(facts, stage, row, adopted, progress)
    return Branch(row.id, stage, word, text, row, gates, row.id, gamma, over, progress=progress)


def _rejection(gates: Mapping[str, str]) -> str:
    failed = (REJECTIONS[gate] for gate in REJECTIONS if gates.get(gate) == "fail")
    return next(failed, "rejected")


def _harness_word(
    facts: Facts, stage: Stage, row: NodeRow, adopted: AbstractSet[str], progress: Progress | None
) -> str:
    if row.vetoed:
        return "vetoed"
    if row.state == "rejected":
        return _rejection(facts.gates.get(row.id, {}))
    if row.state == "promoted":
        return "chosen"
    if row.id == BASE:
        return "base"
    if row.id in adopted:
        return "adopted"
    made = facts.choice(stage.id, "select")
    if made is None:
        return "running" if progress else "proposed"
    own = next((one for one in made.considered if one.get("node") == row.id), None)
    if own is None:
        return "no score"
    return "not adopted" if own.get("feasible", True) else "infeasible"


def _counterfactual_word(
    row: NodeRow, gates: Mapping[str, str], trial: Trial, progress: Progress | None
) -> str:
    if row.vetoed:
        return "vetoed"
    if row.state == "rejected":
        return _rejection(gates)
    if trial.conf is not None:
        return "confirmed" if trial.archived else "unconfirmed"
    if progress is not None:
        return "running"
    if trial.tried:
        return "tried"
    return "valid" if trial.rank is None else "not tried"


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
        score, delta, conf = (now or _known(branch.score)), _known(branch.gamma), ""
        far = branch.over
        delta += "!" if far else ""
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
    text = f"{tidy(branch.what)}" + ("" if opened or not below else f"  ({below} nodes)")
    style = STYLE.get(branch.word, "dim")
    return [(f"{fold}{sign} ", style), (f"{tidy(name)}  ", "bold"), (text, "dim")]


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
