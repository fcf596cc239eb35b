"""One queue of requests: per provider, account and model."""

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from ..config import Limits
from ..errors import RunPaused
from .adaptive import AdaptiveLimit
from .budget import Reservation
from .estimate import Forecast
from .headers import NOTHING, HeaderBudgets, Need
from .health import Pace
from .state import LaneState, RateMeter

if TYPE_CHECKING:
    from .account import Account


class Place(IntEnum):
    """Where a ticket is: outside, waiting, writing its intent, waiting for a slot, in flight."""

    OUT = 0
    FAR = 1
    NEAR = 2
    QUEUED = 3
    RUNNING = 4


@dataclass(slots=True, eq=False)
class Ticket:
    """One call in a lane; `order` is (priority, arrival), the lowest goes first.

    Its forecast is made when it comes near, with all that is known by then.
    """

    order: tuple[int, int]
    forecast: Callable[[], Forecast]
    need: Need = NOTHING
    place: Place = Place.OUT
    waiter: "asyncio.Future[None] | None" = None
    reservation: Reservation | None = None
    refusal: str = ""


Heap = list[tuple[tuple[int, int], Ticket]]


@dataclass(frozen=True, slots=True)
class LaneKey:
    """What makes a queue: requests of one lane share the provider's limits."""

    provider: str
    account: str
    model: str


class Lane:
    """Admits tickets in their order, in two steps.

    `approach` lets at most one limit's worth of calls reserve their money and write their intent
    while others are in flight; `enter` gives them a slot once the concurrency limit, the header
    budgets, the pace and the account allow. Every method runs to its end without an await except
    these two, so the counters need no lock.
    """

    def __init__(self, key: LaneKey, limits: Limits, account: "Account") -> None:
        self.key = key
        self._account = account
        self._loop = asyncio.get_running_loop()
        self.limit = AdaptiveLimit(limits.concurrency, limits.adaptive)
        self._headers = HeaderBudgets()
        self._pace = Pace()
        self._far: Heap = []
        self._queue: Heap = []
        self._counts = [0] * len(Place)
        self._rate = RateMeter()
        self._errors: Counter[str] = Counter()
        self._last_error = ""

    @property
    def running(self) -> int:
        """Requests in flight."""
        return self._counts[Place.RUNNING]

    @property
    def waiting(self) -> int:
        """Calls that wait here, those that write their intent included."""
        return sum(self._counts[place] for place in (Place.FAR, Place.NEAR, Place.QUEUED))

    async def approach(self, ticket: Ticket) -> None:
        """Return once the call may write its intent; its money is reserved then.

        Raises RunPaused where the budget has no room for it and nothing in flight could make any.
        """
        await self._wait(ticket, self._far, Place.FAR)

    async def enter(self, ticket: Ticket) -> None:
        """Return once the request may leave: it counts as in flight from here on."""
        await self._wait(ticket, self._queue, Place.QUEUED)

    def leave(self, ticket: Ticket) -> None:
        """Take the ticket out, wherever it is; `pump` afterwards."""
        self._move(ticket, Place.OUT)

    def pump(self) -> None:
        """Let in whatever may come in now, here and in the account's other lanes."""
        self._account.pump()

    def invite(self) -> None:
        """Let as many calls come near as there is room and money for."""
        while (head := _head(self._far, Place.FAR)) and self._has_room(head):
            heapq.heappop(self._far)
            self._move(head, Place.NEAR)
            _wake(head)

    def next_up(self) -> Ticket | None:
        """The first call that waits for a slot, where the lane's own limit has one."""
        if self.running >= (1 if self._pace.probing else self.limit.current):
            return None
        return _head(self._queue, Place.QUEUED)

    def ready_at(self, ticket: Ticket, now: float) -> float:
        """When pace and header budgets let the request leave: `now`, or later."""
        return max(now, self._pace.not_before, self._headers.ready_at(ticket.need, now))

    def start(self, ticket: Ticket) -> None:
        """Give the first waiting call its slot."""
        heapq.heappop(self._queue)
        self._headers.take(ticket.need)
        self._move(ticket, Place.RUNNING)
        _wake(ticket)

    def answered(self, ticket: Ticket, used: Need | None) -> None:
        """A whole answer came; `used` are the real tokens where they are known."""
        now = self._loop.time()
        self._rate.count(now)
        self._pace.answered()
        demand = self.running + 1 + self.waiting
        limit_binds = demand >= self.limit.current and not self._account.throttled
        self.limit.answered(now, saturated=limit_binds)
        if used is not None:
            self._account.correct(ticket.need, used, now)

    def told(self, headers: Mapping[str, str]) -> None:
        """Take over what a reply's rate-limit headers say."""
        self._headers.learn(headers, self._loop.time())

    def rate_limited(self, sent_at: float, message: str) -> None:
        """A 429: cut, or slow down where there is nothing left to cut."""
        now = self._loop.time()
        self._note("rate_limit", message)
        if self.limit.rate_limited(now, sent_at):
            self._pace.slow_down(now)
        elif not self.limit.adaptive:
            self._pace.failed(now, sent_at)

    def troubled(self, sent_at: float, kind: str, message: str) -> None:
        """A server error, timeout or broken connection: hold growth."""
        now = self._loop.time()
        self._note(kind, message)
        self.limit.troubled(now)
        self._pace.failed(now, sent_at)

    def refused(self, kind: str, message: str) -> None:
        """A failure that says nothing about the provider's load."""
        self._note(kind, message)

    def reset(self) -> None:
        """A person lifted the pause: forget the outage."""
        self._pace.answered()

    def state(self) -> LaneState:
        """The lane as plain data."""
        return LaneState(
            provider=self.key.provider,
            account=self.key.account,
            model=self.key.model,
            limit=self.limit.current,
            ceiling=self.limit.ceiling,
            in_flight=self.running,
            waiting=self.waiting,
            per_minute=self._rate.last_minute(self._loop.time()),
            errors=dict(self._errors),
            last_error=self._last_error,
        )

    async def _wait(self, ticket: Ticket, heap: Heap, place: Place) -> None:
        self._move(ticket, place)
        heapq.heappush(heap, (ticket.order, ticket))
        self.pump()
        if ticket.place is place:
            ticket.waiter = self._loop.create_future()
            await ticket.waiter
        if ticket.refusal:
            raise RunPaused(ticket.refusal)

    def _move(self, ticket: Ticket, place: Place) -> None:
        self._account.moved(ticket.place is Place.RUNNING, place is Place.RUNNING)
        self._counts[ticket.place] -= 1
        self._counts[place] += 1
        ticket.place = place

    def _has_room(self, ticket: Ticket) -> bool:
        """Whether the call may come near; its money is reserved where it may."""
        gatekeeper = self._account.gatekeeper
        near = self._counts[Place.NEAR] + self._counts[Place.QUEUED]
        if gatekeeper.held or near >= self.limit.current:
            return False
        budget, forecast = gatekeeper.budget, ticket.forecast()
        ticket.need = forecast.need
        ticket.reservation = budget.reserve(forecast.estimate)
        if ticket.reservation is not None:
            return True
        if budget.can_wait(forecast.estimate):
            gatekeeper.starved = True
            return False
        ticket.refusal = budget.refusal(forecast.estimate)
        self._move(ticket, Place.OUT)
        _wake(ticket)
        gatekeeper.on_exhausted(ticket.refusal)
        return False

    def _note(self, kind: str, message: str) -> None:
        self._errors[kind] += 1
        self._last_error = message


def _wake(ticket: Ticket) -> None:
    if ticket.waiter is not None and not ticket.waiter.done():
        ticket.waiter.set_result(None)
    ticket.waiter = None


def _head(heap: Heap, place: Place) -> Ticket | None:
    """The first ticket that still waits here; those that were taken out are dropped."""
    while heap and heap[0][1].place is not place:
        heapq.heappop(heap)
    return heap[0][1] if heap else None
