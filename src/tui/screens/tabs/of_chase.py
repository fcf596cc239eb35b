"""A chase run's own part of the screens."""

from ..own import Own
from .archive import ArchiveView
from .axes import AxesView
from .tree import TreeView

OWN = Own(
    views=(TreeView, AxesView, ArchiveView),
    read_effect=lambda reader: None,
    effect=lambda status, told, glyphs: [],
    unit=("round", "rounds"),
    sides=lambda node: (),
    diff=lambda node: True,
    gates=("schema", "generalization", "firewall", "activity", "duplicate"),
    ledger_hint="gate= outcome= by= node= kind= vote= unit= or words of node and reason",
)
