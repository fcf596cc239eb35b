"""What another run has admitted, as a pool of several runs is given it."""

from collections.abc import Sequence
from dataclasses import dataclass

from .bench import Operator

SOURCES = "cegar/pool"
"""The named text that lists the runs: names, calls and numbers of operators."""


@dataclass(frozen=True, slots=True)
class FromRun:
    """A finished run: its name, its calls to the author, what its verdicts are pinned to, and its
    admitted operators with the bit planes of their verdicts there; `offline` where its author
    was a built-in program."""

    name: str
    calls: int
    electorate: str
    operators: tuple[tuple[Operator, bytes], ...]
    offline: bool = False


def merged(number: int) -> str:
    """How nodes of the run of this number (from 1) begin."""
    return f"run{number}"


def merged_operators(runs: Sequence[FromRun]) -> list[tuple[Operator, bytes]]:
    """All operators in the order of the runs and of admission, under their names here."""
    return [
        (
            Operator(f"{merged(number)}/{o.node}", o.level, o.source, o.name, o.rationale),
            planes,
        )
        for number, run in enumerate(runs, 1)
        for o, planes in run.operators
    ]  # fmt: skip
