"""A chase run's own part of the screens."""

from ....engine.store.views import NodeRow
from ...searches.chase import GATES, points, read_facts
from ...searches.chase_effect import effect_lines
from ...searches.chase_paths import path_lines, read_paths
from ...searches.chase_sides import check_lines, fixture_lines, harness_fields, read_shift
from ..own import Own, Side, leaves
from .chase_archive import ChaseArchiveView
from .chase_axes import ChaseAxesView
from .chase_tree import ChaseTreeView

COUNTERFACTUAL = (
    Side("Fixture", read_shift, fixture_lines),
    Side("Checks", read_shift, check_lines),
)
HARNESS = (Side("Trajectories", read_paths, path_lines),)


def sides(node: NodeRow) -> tuple[Side, ...]:
    """What only such a node has."""
    if node.kind == "counterfactual":
        return COUNTERFACTUAL
    return HARNESS if node.parents else ()


def takes(node: NodeRow, descendants: int) -> str:
    """What a veto takes from the run."""
    if node.kind == "counterfactual":
        return "leaves the archive: no later selection counts it"
    return leaves(node, descendants)


def worth(node: NodeRow) -> str:
    """A harness's score on D_evo, a counterfactual's gain destruction on D_conf."""
    if node.score is None:
        return ""
    return f"{'Delta ' * (node.kind == 'counterfactual')}{points(node.score)}"


OWN = Own(
    views=(ChaseTreeView, ChaseAxesView, ChaseArchiveView),
    read_effect=read_facts,
    effect=effect_lines,
    unit=("round", "rounds"),
    sides=sides,
    diff=lambda node: node.kind == "harness" and (bool(node.parents) or node.generation == 0),
    gates=GATES,
    ledger_hint="gate= outcome= by= node= kind= round= unit= or words of node and reason",
    fields=harness_fields,
    leaves=takes,
    score=worth,
    signs={
        "promoted": "H*, the chosen harness",
        "survivor": "adopted by a round; a confirmed counterfactual",
        "raced_out": "infeasible: a constraint forbids it",
        "discarded": "not adopted; not tried or not confirmed",
        "rejected": "malformed, refused, invalid, inactive or duplicate",
        "vetoed": "vetoed by a person",
        "running": "being played or measured",
        "proposed": "proposed, or waiting",
        "error": "parked: needs a person",
    },
)
