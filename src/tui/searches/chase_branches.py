"""The lines of a chase run's tree: methods and rounds, below them what they evolved."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction

from ...engine.store.chase import Choice
from ...engine.store.views import NodeRow
from .chase import BASE, Facts, Stage, Trial, share
from .chase_progress import Progress

REJECTIONS = {
    "schema": "malformed", "generalization": "refused", "firewall": "invalid",
    "activity": "inactive", "duplicate": "duplicate",
}  # fmt: skip


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
    return Branch(stage.id, stage, _stage_word(facts, stage), text, node=chosen, below=below)


def _stage_word(facts: Facts, stage: Stage) -> str:
    if stage.state != "open":
        return stage.state
    return "waiting" if waits(facts, stage) else "running"


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
    return "waits for the round before" if waits(facts, stage) else "proposing"


def waits(facts: Facts, stage: Stage) -> bool:
    """Whether a round cannot begin yet."""
    before = [one for one in facts.rounds(stage.method) if one.round < stage.round]
    return any(one.state != "done" for one in before)


def _branch(facts: Facts, stage: Stage, row: NodeRow, adopted: AbstractSet[str]) -> Branch:
    gates, progress = facts.gates.get(row.id, {}), facts.progress.get(row.id)
    if row.kind == "counterfactual":
        trial = facts.trials.get(row.id, Trial())
        word = _counterfactual_word(row, gates, trial, progress)
        families = ", ".join(map(str, row.origin.get("family") or ()))
        said = row.description.removeprefix("what changes: ")
        text = f"{families}  {said}" if families else said
        return Branch(row.id, stage, word, text, row, gates, row.id, trial=trial, progress=progress)
    seen = facts.measured.get(row.id, {})
    kind = str(row.origin.get("kind") or "the harness to beat")
    said = row.description.removeprefix("changes ")
    text = f"{kind}  {said}" if said else kind
    gamma, epsilon = share(seen.get("gamma")), facts.epsilon
    over = gamma is not None and epsilon is not None and gamma > epsilon
    word = _harness_word(facts, stage, row, adopted, progress)
    score = share(stage.result.get("r_rel")) if row.id == BASE else row.score
    return Branch(
        row.id, stage, word, text, row, gates, row.id, gamma, over, score, progress=progress
    )


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
    if row.state == "collapsed":
        return "repeated"
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
