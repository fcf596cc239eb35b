"""Scores of a chase run as its rollouts say them: D_cert by benchmark, and gains on D_evo."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..model.core import SEALED_SPLIT
from ..searches.chase.gains import REL, Sheet
from ..searches.chase.state import BASE
from ..store.reader import Reader

TASKS = "SELECT id FROM item WHERE split = ? ORDER BY ord"
ROLLOUTS = (
    "SELECT r.node, r.context, r.item, r.num, r.den FROM rollout r JOIN item i ON i.id = r.item "
    "WHERE i.split = ? ORDER BY r.node, r.context, r.item, r.sample"
)


def read_sheet(reader: Reader, split: str) -> Sheet:
    """All scores on one split; rollouts without a score are missing."""
    sheet = Sheet(tuple(task for (task,) in reader.rows(TASKS, (split,))))
    scores: dict[tuple[str, str], dict[str, tuple[Fraction, ...]]] = {}
    for node, benchmark, task, num, den in reader.rows(ROLLOUTS, (split,)):
        own = scores.setdefault((node, benchmark), dict.fromkeys(sheet.tasks, ()))
        if num is not None:
            own[task] += (Fraction(num, den),)
    for (node, benchmark), own in scores.items():
        sheet.put(node, benchmark, own)
    return sheet


def evolution_gains(reader: Reader, harnesses: Sequence[str]) -> dict[str, Fraction]:
    """G_rel on D_evo of each harness that was scored there under B_rel."""
    sheet = read_sheet(reader, "evo")
    return {
        name: sheet.gains(name, BASE, (REL,)).released
        for name in harnesses
        if sheet.measurable(name, BASE, (REL,))
    }


def certified_rates(reader: Reader) -> Mapping[tuple[str, str], Fraction]:
    """R on D_cert of each harness under each benchmark, where it has a score."""
    sheet = read_sheet(reader, SEALED_SPLIT)
    return {pair: sheet.rate(*pair) for pair in sheet.scores if sheet.scored(*pair)}
