"""A harden run's own part of the screens."""

from ...searches.harden import GATES, effect_lines, read_margins
from ..own import Own
from .archive import ArchiveView
from .axes import AxesView
from .tree import TreeView

OWN = Own(
    views=(TreeView, AxesView, ArchiveView),
    read_effect=read_margins,
    effect=lambda status, margins, glyphs: effect_lines(status.effect, margins, glyphs),
    unit=("case", "cases"),
    sides=lambda node: (),
    diff=lambda node: True,
    gates=GATES,
    ledger_hint="gate= outcome= by= node= case= axis= vote= unit= or words of node and reason",
)
