"""A cegar run's own part of the screens."""

from ....engine.store.views import NodeRow
from ...searches.cegar import GATES, delta_text
from ...searches.cegar_class import members_lines, read_members
from ...searches.cegar_effect import effect_lines, read_ahead, read_effect
from ...searches.cegar_sides import (
    flags_lines,
    pair_lines,
    read_flags,
    read_pair,
    read_source,
    source_lines,
)
from ..own import Own, Side
from .cegar_archive import CegarArchiveView
from .cegar_axes import CegarAxesView
from .cegar_tree import CegarTreeView

PAIR = Side("Pair", read_pair, pair_lines)
SOURCE = Side("Source", read_source, source_lines)
FLAGS = Side("Flags", read_flags, flags_lines)
CLASS = Side("Class", read_members, members_lines)


def sides(node: NodeRow) -> tuple[Side, ...]:
    """An operator that was authored for a target has a pair and a class; the root has nothing."""
    if node.origin.get("kind") == "authored":
        return PAIR, SOURCE, FLAGS, CLASS
    return () if node.origin.get("kind") == "root" else (SOURCE, FLAGS)


def leaves(node: NodeRow, descendants: int) -> str:
    """What a veto of an operator takes from the run; no operator descends from another."""
    if node.state == "promoted":
        return "leaves the pool and its signatures; targets are drawn anew without it"
    return "never joins the pool; no other operator goes with it"


OWN = Own(
    views=(CegarTreeView, CegarAxesView, CegarArchiveView),
    read_effect=read_effect,
    effect=effect_lines,
    unit=("target", "targets"),
    sides=sides,
    diff=lambda node: False,
    gates=GATES,
    ledger_hint="gate= outcome= by= node= vote= unit= or words of node and reason",
    leaves=leaves,
    score=lambda node: "" if node.score is None else f"Delta {delta_text(node.score)}",
    rollouts=False,
    read_ahead=read_ahead,
    counts="SELECT gate, outcome, count(*) FROM verdict GROUP BY gate, outcome",
)
