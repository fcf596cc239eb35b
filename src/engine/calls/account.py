"""What the lanes of one account share: the provider's concurrency and the user's stated limits."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from ..config import Limits
from .buckets import Bucket
from .budget import Budget
from .headers import Need
from .lane import Lane, Ticket


@dataclass(slots=True)
class Gatekeeper:
    """The run's own say over every lane: whether all is held, and the money."""

    budget: Budget
    on_exhausted: Callable[[str], None]
    held: bool = False
    starved: bool = False


class Account:
    """Hands free slots to the waiting call with the lowest order among all its lanes.

    `throttled` says that something other than concurrency keeps requests back just now.
    """

    def __init__(self, limits: Limits, gatekeeper: Gatekeeper) -> None:
        self.gatekeeper = gatekeeper
        self.ceiling = limits.concurrency
        self.lanes: list[Lane] = []
        self._loop = asyncio.get_running_loop()
        self._buckets = _buckets(limits, self._loop.time())
        self._running = 0
        self.throttled = False
        self._timer: asyncio.TimerHandle | None = None

    def pump(self) -> None:
        """Let in whatever may come in now."""
        if self.gatekeeper.held:
            return
        now = self._loop.time()
        while (chosen := self._choose(now)) is not None:
            lane, ticket = chosen
            for unit, bucket in self._buckets:
                bucket.take(ticket.need.of(unit), now)
            lane.start(ticket)
        for lane in self.lanes:
            lane.invite()

    def retune(self, ceiling: int) -> None:
        """A person's new ceiling, for the account and each of its lanes."""
        self.ceiling = ceiling
        for lane in self.lanes:
            lane.limit.retune(ceiling)
        self.pump()

    def correct(self, expected: Need, used: Need, now: float) -> None:
        """Give back to the stated limits what an estimate took too much, or take the rest."""
        for unit, bucket in self._buckets:
            bucket.take(used.of(unit) - expected.of(unit), now)

    def moved(self, was_running: bool, runs: bool) -> None:
        """A ticket of one of the lanes changed its place."""
        self._running += runs - was_running

    def _choose(self, now: float) -> tuple[Lane, Ticket] | None:
        """The next request to leave; None, with a timer set, where none may leave yet.

        A lane that must wait for itself lets others go first; a stated limit of the account holds
        them all, so that no large request starves behind small ones.
        """
        if self._running >= self.ceiling:
            return None
        heads = [(head.order, lane, head) for lane in self.lanes if (head := lane.next_up())]
        later = float("inf")
        for _, lane, ticket in sorted(heads, key=lambda entry: entry[0]):
            ready = lane.ready_at(ticket, now)
            if ready <= now:
                ready = self._bucket_ready_at(ticket, now)
                if ready <= now:
                    return lane, ticket
                later = min(later, ready)
                break
            later = min(later, ready)
        self.throttled = later < float("inf")
        if self.throttled:
            self._pump_at(later)
        return None

    def _bucket_ready_at(self, ticket: Ticket, now: float) -> float:
        times = (bucket.ready_at(ticket.need.of(unit), now) for unit, bucket in self._buckets)
        return max(times, default=now)

    def _pump_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self.pump)


def _buckets(limits: Limits, now: float) -> list[tuple[str, Bucket]]:
    stated = (("requests", limits.requests_per_minute), ("tokens", limits.tokens_per_minute))
    return [(unit, Bucket(per_minute, now)) for unit, per_minute in stated if per_minute]
