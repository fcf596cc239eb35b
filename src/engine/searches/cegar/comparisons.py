"""Baselines and ablations beside the search, each in units of the kind `baseline`.

They share the labels and the starting pool with the search and nothing that it has found.
"""

from dataclasses import replace

from ...gates.together import together
from . import induction, judging
from .arms import BASELINE, Ablation, ablated
from .attempts import Progress
from .loop import rounds, unit_of
from .pool import Desk


async def compare(desk: Desk, first: int) -> None:
    """Run all that the configuration asks for, side by side; a parked unit leaves the others
    alone. `first` is the place of their units in the run. Raises DataError."""
    setup = desk.setup
    units = induction.units(desk, first)
    if setup.settings.judge:
        judges = judging.judges_of(setup.profiles)
        known, place = judging.balance(desk.training), first + len(units)
        units += judging.units(desk.ctx, judges, desk.training, known, place)
    await together(
        [
            *(unit_of(desk.ctx, spec, body) for spec, body in units),
            *(_arm(desk, name, first + len(units)) for name in setup.settings.ablations),
        ]
    )


async def _arm(desk: Desk, name: Ablation, first: int) -> None:
    """The loop again with one thing changed, from the starting pool on."""
    arm = ablated(name, desk.setup.limits)
    columns = {operator.node: desk.columns[operator.node] for operator in desk.starting}
    fresh = replace(desk, columns=columns, progress=Progress(arm.limits), arm=arm, admitted=[])
    await rounds(fresh, name, BASELINE, first)
