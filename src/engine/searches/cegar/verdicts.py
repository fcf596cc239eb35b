"""What an operator says of a candidate, and what the pool says: signatures (cegar.md, 1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias


class Verdict(IntEnum):
    """One operator on one candidate. The order is the one that ties between signatures use.

    Abstain is not pass: an operator that could not tell differs from one that found nothing.
    """

    FLAG = 0
    ABSTAIN = 1
    PASS = 2


LETTERS = "FAP"
"""A verdict's letter, by its number."""

Signature: TypeAlias = tuple[Verdict, ...]
"""The verdicts of the pool's operators, in the pool's order."""


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """One sample of a task, by its place among the task's raw samples."""

    task: str
    sample: int


def letters(signature: Sequence[Verdict]) -> str:
    """A signature as text, such as `PAF`."""
    return "".join(LETTERS[verdict] for verdict in signature)


def signatures(
    columns: Sequence[Mapping[Member, Verdict]], members: Sequence[Member]
) -> dict[Member, Signature]:
    """The signature of every member; `columns` has one mapping an operator, in pool order."""
    return {member: tuple(column[member] for column in columns) for member in members}


def votes(verdicts: Sequence[Verdict], least: int = 2) -> bool:
    """Whether at least `least` of the operators flag."""
    return sum(verdict is Verdict.FLAG for verdict in verdicts) >= least
