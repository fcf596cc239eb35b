"""What the calls look like from outside: plain data for the status file and the screens."""

from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

RATE_WINDOW_S = 60


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something a person should know; with `pause` the buyer has held itself already."""

    kind: Literal["auth", "spend_limit", "budget", "budget_80", "failures"]
    provider: str
    message: str
    pause: bool


@dataclass(frozen=True, slots=True)
class LaneState:
    """One queue. `limit` moves below `ceiling`; `per_minute` counts answers of the last minute."""

    provider: str
    account: str
    model: str
    limit: int
    ceiling: int
    in_flight: int
    waiting: int
    per_minute: int
    errors: dict[str, int]
    last_error: str


@dataclass(frozen=True, slots=True)
class BudgetState:
    """US dollars. `maybe_paid` is part of what counts; `overshoot` is the worst case above it.

    `unknown` counts paid calls without a price: they are in none of the sums.
    """

    limit: Decimal | None
    spent: Decimal
    maybe_paid: Decimal
    reserved: Decimal
    unknown: int
    overshoot: Decimal


@dataclass(frozen=True, slots=True)
class BuyerState:
    """Everything now in progress. `next_retry_s` is None where no call waits for a retry."""

    held: bool
    in_flight: int
    waiting: int
    retrying: int
    retries: int
    next_retry_s: float | None
    next_retry_reason: str
    lanes: tuple[LaneState, ...]
    budget: BudgetState


class RateMeter:
    """How many things happened in the last minute, in bins of one second."""

    def __init__(self) -> None:
        self._bins: deque[list[int]] = deque()

    def count(self, now: float) -> None:
        """One happened."""
        second = int(now)
        if self._bins and self._bins[-1][0] == second:
            self._bins[-1][1] += 1
        else:
            self._bins.append([second, 1])
            self._trim(now)

    def last_minute(self, now: float) -> int:
        """How many in the last 60 seconds."""
        self._trim(now)
        return sum(n for _, n in self._bins)

    def _trim(self, now: float) -> None:
        while self._bins and self._bins[0][0] <= now - RATE_WINDOW_S:
            self._bins.popleft()
