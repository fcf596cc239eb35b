"""Rounds, targets, attempts and levels: what the search does next (Algorithm 1; decisions.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .partition import BlindSpot, next_target

Ending: TypeAlias = Literal["separated", "insufficient", "incomplete"]
"""separated: no blind spot is left; insufficient: all that are left have been abandoned;
incomplete: rounds or calls ran out with targets untried."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one run may try: attempts on a target at each level, rounds, authoring calls."""

    level1: int = 3
    level2: int = 3
    rounds: int = 8
    calls: int = 60

    @property
    def attempts(self) -> int:
        """Attempts on one target at both levels."""
        return self.level1 + self.level2

    def level(self, attempt: int) -> int:
        """The interface of attempt number `attempt` (from 0): 1 or 2."""
        return 1 if attempt < self.level1 else 2


LEVEL_1_ONLY = Limits(level1=6, level2=0)
"""The ablation without escalation: as many attempts, all at the narrow interface."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Author an operator for this target next."""

    target: BlindSpot
    round: int
    attempt: int
    level: int


@dataclass(frozen=True, slots=True)
class Abandon:
    """All attempts on this target failed."""

    target: BlindSpot
    round: int


@dataclass(frozen=True, slots=True)
class End:
    """The search is over."""

    ending: Ending


Step: TypeAlias = Attempt | Abandon | End


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the search stands. Immutable: each event gives the next state.

    `round` counts from 0; `target` is the key of the class that is being tried, None between
    rounds; `attempt` the number of the next attempt on it.
    """

    limits: Limits = Limits()
    round: int = 0
    calls: int = 0
    target: str | None = None
    attempt: int = 0
    abandoned: frozenset[str] = frozenset()

    def next(self, spots: Sequence[BlindSpot]) -> Step:
        """What to do, given today's blind spots in the order of `blind_spots`.

        A target that a human veto made disappear is dropped for the first class that is left.
        """
        if not spots:
            return End("separated")
        target = next((spot for spot in spots if spot.key == self.target), None)
        attempt = self.attempt if target else 0
        target = target or next_target(spots, self.abandoned)
        if target is None:
            return End("insufficient")
        if attempt >= self.limits.attempts:
            return Abandon(target, self.round)
        if self.round >= self.limits.rounds or self.calls >= self.limits.calls:
            return End("incomplete")
        return Attempt(target, self.round, attempt, self.limits.level(attempt))

    def called(self) -> "Progress":
        """One authoring call has been made (a re-ask is another one)."""
        return replace(self, calls=self.calls + 1)

    def failed(self, attempt: Attempt) -> "Progress":
        """The attempt's operator was not admitted."""
        return replace(self, target=attempt.target.key, attempt=attempt.attempt + 1)

    def admitted(self) -> "Progress":
        """The pool has grown: the round is over and the classes are new."""
        return replace(self, round=self.round + 1, target=None, attempt=0)

    def abandon(self, abandon: Abandon) -> "Progress":
        """The target is given up: the round is over."""
        return replace(
            self,
            round=self.round + 1,
            target=None,
            attempt=0,
            abandoned=self.abandoned | {abandon.target.key},
        )
