"""The pool while the search goes on: the starting operators, what was admitted, who is vetoed."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ...context import Context
from .arms import Arm
from .attempts import Progress
from .bench import Bench, Operator
from .metric import Score, score
from .partition import BlindSpot, blind_spots
from .setup import CegarSetup
from .training import Labelled
from .verdicts import Member, Signature, Verdict, signatures, votes

ROOT = "pool"
"""The node that admitted operators descend from; it cannot be vetoed."""


@dataclass
class Desk:
    """What a round works with; `admitted` and `progress` grow from round to round."""

    ctx: Context
    setup: CegarSetup
    training: Labelled
    bench: Bench
    starting: tuple[Operator, ...]
    columns: dict[str, dict[Member, Verdict]]
    progress: Progress
    arm: Arm
    admitted: list[Operator] = field(default_factory=list)

    def pool(self, vetoed: AbstractSet[str]) -> list[Operator]:
        """Starting operators, then what was admitted and no person has vetoed."""
        return [*self.starting, *self.voting(vetoed)]

    def voting(self, vetoed: AbstractSet[str]) -> list[Operator]:
        """The admitted operators that stand; starting ones shape signatures and never vote."""
        return [one for one in self.admitted if one.node not in vetoed]

    def signed(self, vetoed: AbstractSet[str]) -> dict[Member, Signature]:
        """The signature of every member of V(t) over the training tasks."""
        columns = [self.columns[one.node] for one in self.pool(vetoed)]
        return signatures(columns, sorted(self.training.correct))

    def spots(self, vetoed: AbstractSet[str]) -> list[BlindSpot]:
        """Today's blind spots, the next target first."""
        return blind_spots(self.signed(vetoed), self.training.correct)

    def flag_set(self, column: Mapping[Member, Verdict]) -> set[Member]:
        """The members of V(t) that an operator flags."""
        return {member for member in self.training.accepted if column[member] is Verdict.FLAG}

    def alone(self, column: Mapping[Member, Verdict]) -> Score:
        """An operator by itself against flagging nothing; unrun members count as not flagged."""
        return score(self.training.votes(lambda m: column.get(m) is Verdict.FLAG))


def pool_flags(columns: list[dict[Member, Verdict]], split: Labelled) -> dict[Member, bool]:
    """The deployed decision of a pool: one operator deploys alone, several by two votes."""
    least = min(2, len(columns))
    return {
        member: bool(columns) and votes([column[member] for column in columns], least)
        for member in split.correct
    }
