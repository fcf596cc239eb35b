"""Buying one call: its attempts, its waits and how it ends."""

import asyncio
from dataclasses import dataclass, replace
from typing import NoReturn

from ..config import ProviderSettings
from ..errors import CallFailed, CallOpen, ErrorClass, ProviderError, RunPaused
from ..model.core import Slot
from ..model.llm import Completion, RawReply, Request, Usage
from ..providers.base import Provider
from .desk import Desk
from .headers import Need
from .lane import Lane, Place, Ticket
from .ledger import AttemptRow
from .retry import NEEDS_A_PERSON, ROUTE_ATTEMPTS, backoff_s, permanent_reason
from .state import Trouble

GUARD_S = 1.0
"""A provider's own timeout fires first and knows more; ours is for one that forgets."""

CUT_OFF = "cut off by a pause that did not wait; it may have been paid"
AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Errand:
    """What to buy, and where."""

    slot: Slot
    request: Request
    provider: Provider
    settings: ProviderSettings
    lane: Lane


class Purchase:
    """One call on its way. `run` is its whole life; `interrupt` cuts off an attempt in flight."""

    def __init__(self, desk: Desk, errand: Errand, order: tuple[int, int]) -> None:
        self._desk, self._errand = desk, errand
        self._slot, self._request = errand.slot, errand.request
        self._provider, self._lane = errand.provider, errand.lane
        self._loop = asyncio.get_running_loop()
        tokens = errand.provider.estimate_input_tokens(errand.request)
        self._ticket = Ticket(order, lambda: desk.estimator.forecast(errand.request, tokens))
        self._intended = errand.provider.free
        self._began: tuple[float, float] | None = None
        self._sent_at = 0.0
        self._in_flight = False
        self._scope: asyncio.Timeout | None = None
        self._cut_off = False
        self._attempts = 0
        self._route_misses = 0
        self._last = ""
        self.retry_at: float | None = None

    @property
    def retry_reason(self) -> str:
        """What the last attempt said."""
        return self._last

    async def run(self) -> Completion:
        """The completion. Raises CallFailed, CallOpen or RunPaused; cancelling it is safe."""
        self._desk.active[self] = None
        try:
            while True:
                await self._lane.approach(self._ticket)
                await self._intend()
                await self._lane.enter(self._ticket)
                outcome = await self._try_once()
                if isinstance(outcome, Completion):
                    return outcome
                await self._sleep(outcome)
        finally:
            self._close()

    def interrupt(self) -> None:
        """Cut off the attempt in flight, if there is one; the call itself goes on waiting."""
        if self._scope is not None and not self._scope.expired():
            self._cut_off = True
            self._scope.reschedule(self._loop.time())

    async def _intend(self) -> None:
        if not self._intended:
            reservation = self._ticket.reservation
            estimate = reservation.estimate.reserve if reservation else None
            await self._desk.ledger.intend(self._slot, self._request, estimate)
            self._intended = True

    async def _try_once(self) -> Completion | float:
        """One attempt with all its bookkeeping: a completion, or seconds to wait."""
        with self._desk.working():
            if self._left() <= 0:
                self._give_up()
            outcome = await self._attempt()
            if isinstance(outcome, ProviderError):
                return await self._after(outcome)
            return await self._settle(*outcome)

    async def _attempt(self) -> tuple[RawReply, Completion] | ProviderError:
        timeout_s = self._send_off()
        try:
            async with asyncio.timeout(timeout_s + GUARD_S) as self._scope:
                reply = await self._provider.send(self._request, timeout_s)
            self._leave()
            completion = self._provider.parse(reply, self._request)
            return reply, replace(completion, latency_s=reply.latency_s)
        except ProviderError as error:
            return error
        except TimeoutError:
            said = CUT_OFF if self._cut_off else f"no answer within {timeout_s:g} s"
            return ProviderError(ErrorClass.TRANSIENT, said, maybe_paid=True)
        finally:
            self._leave()

    def _send_off(self) -> float:
        """Mark the request as sent; gives the attempt's timeout."""
        self._sent_at = self._loop.time()
        if self._began is None:
            self._began = (self._sent_at, self._desk.held_s())
        if not self._provider.free:
            self._desk.ledger.sent(self._slot)
        self._attempts += 1
        self._cut_off = False
        self._in_flight = True
        return min(self._errand.settings.attempt_timeout_s, self._left())

    def _leave(self) -> None:
        self._scope = None
        if self._ticket.place is Place.RUNNING:
            self._lane.leave(self._ticket)

    async def _settle(self, reply: RawReply, completion: Completion) -> Completion:
        desk = self._desk
        self._lane.answered(self._ticket, _used(completion.usage))
        self._lane.told(reply.headers)
        desk.rounds[self._request.provider].reset()
        self._lane.pump()
        completion = desk.prices.priced(self._request.provider, self._request.model, completion)
        if completion.usage.output is not None:
            outputs = (completion.usage.output,)
            desk.estimator.observe(self._request.role, self._request.model, outputs)
        self._in_flight = False
        if self._ticket.reservation is not None:
            desk.gatekeeper.budget.settle(self._ticket.reservation, completion.cost)
        desk.money_moved()
        desk.ledger.attempt(self._slot, AttemptRow("completed"))
        await desk.ledger.settle(self._slot, self._request, reply, completion)
        return completion

    async def _after(self, error: ProviderError) -> float:
        """Record a failed attempt: seconds to wait before the next, or the call's end."""
        self._last = error.message
        if self._cut_off:
            self._record(error, AMBIGUOUS, None)
            return 0.0
        self._tell_lane(error)
        if error.kind in NEEDS_A_PERSON:
            self._call_for_help(error)
        self._count_failure(error)
        if error.kind is ErrorClass.PERMANENT:
            await self._fail(error)
        wait_s = self._wait_after(error)
        self._record(error, error.kind.value, wait_s)
        if wait_s is None:
            self._give_up()
        self._desk.retries += 1
        return wait_s

    def _wait_after(self, error: ProviderError) -> float | None:
        """Seconds to wait; None where the call's deadline or its patience would be over."""
        if error.kind is ErrorClass.ROUTE_MISMATCH:
            self._route_misses += 1
            if self._route_misses >= ROUTE_ATTEMPTS:
                return None
        wait_s = backoff_s(self._desk.seed, self._slot.key, self._attempts, error.retry_after)
        return wait_s if wait_s < self._left() else None

    async def _fail(self, error: ProviderError) -> NoReturn:
        reason = permanent_reason(error)
        self._record(error, error.kind.value, None)
        await self._desk.ledger.fail(self._slot, self._request, reason, error.message)
        raise CallFailed(self._slot.key, reason, error.message)

    def _call_for_help(self, error: ProviderError) -> NoReturn:
        """Pause before anything else, so that no other request follows into the same wall."""
        name, said = self._request.provider, error.message
        if error.kind is ErrorClass.AUTH:
            key = self._errand.settings.key_env or "its key"
            message = f"provider {name} refuses {key}: {said}; mend it and resume"
            self._desk.pause(Trouble("auth", name, message, pause=True))
        else:
            message = f"spend limit of provider {name}: {said}; raise it there and resume"
            self._desk.pause(Trouble("spend_limit", name, message, pause=True))
        self._record(error, error.kind.value, None)
        self._desk.ledger.leave_open(self._slot, said)
        raise RunPaused(message)

    def _give_up(self) -> NoReturn:
        deadline = self._errand.settings.call_deadline_s
        limit = (
            f"{ROUTE_ATTEMPTS} answers from another route"
            if self._route_misses >= ROUTE_ATTEMPTS
            else f"{self._attempts} attempts within its deadline of {deadline:g} s"
        )
        message = f"call {self._slot.key} stays open after {limit}; the last said: {self._last}"
        self._desk.ledger.leave_open(self._slot, message)
        raise CallOpen(message)

    def _tell_lane(self, error: ProviderError) -> None:
        if error.kind is ErrorClass.RATE_LIMIT:
            self._lane.rate_limited(self._sent_at, error.message)
        elif error.kind is ErrorClass.TRANSIENT:
            self._lane.troubled(self._sent_at, error.kind.value, error.message)
        else:
            self._lane.refused(error.kind.value, error.message)

    def _record(self, error: ProviderError, outcome: str, wait_s: float | None) -> None:
        """Close the attempt's reservation and write its row."""
        self._in_flight = False
        paid = error.maybe_paid or error.kind is ErrorClass.ROUTE_MISMATCH
        budget, reservation = self._desk.gatekeeper.budget, self._ticket.reservation
        estimate = reservation.estimate.reserve if reservation else None
        row = AttemptRow(
            outcome,
            status=error.status,
            wait_s=wait_s,
            maybe_paid=paid and estimate != 0,
            estimate=estimate,
            message=error.message,
        )
        if reservation is not None:
            (budget.forfeit if paid else budget.release)(reservation)
        self._desk.ledger.attempt(self._slot, row)
        self._lane.pump()
        self._desk.money_moved()

    def _count_failure(self, error: ProviderError) -> None:
        """Pause the run once the provider has failed too many rounds on end."""
        name, allowed = self._request.provider, self._errand.settings.pause_after_failures
        rounds = self._desk.rounds[name]
        if rounds.fail(self._loop.time(), self._sent_at) and rounds.failed >= allowed:
            message = (
                f"provider {name} failed {rounds.failed} times on end; the last said: "
                f"{error.message}; resume once it answers again"
            )
            self._desk.pause(Trouble("failures", name, message, pause=True))

    async def _sleep(self, wait_s: float) -> None:
        self.retry_at = self._loop.time() + wait_s
        await asyncio.sleep(wait_s)
        self.retry_at = None

    def _left(self) -> float:
        """Seconds until the deadline; it runs from the first request and stops in a pause."""
        deadline = self._errand.settings.call_deadline_s
        if self._began is None:
            return deadline
        at, held = self._began
        return deadline - (self._loop.time() - at) + (self._desk.held_s() - held)

    def _close(self) -> None:
        """Leave nothing behind, wherever the purchase ended; what was in flight may be paid."""
        self._desk.active.pop(self, None)
        if self._in_flight:
            self._last = "cut off before its answer was kept; it may have been paid"
            error = ProviderError(ErrorClass.TRANSIENT, self._last, maybe_paid=True)
            self._record(error, AMBIGUOUS, None)
        elif self._ticket.reservation is not None:
            self._desk.gatekeeper.budget.release(self._ticket.reservation)
        self._lane.leave(self._ticket)
        self._lane.pump()
        self._desk.money_moved()


def _used(usage: Usage) -> Need | None:
    """The tokens that count against stated limits; None where the provider does not say."""
    if usage.input is None or usage.output is None:
        return None
    ingoing = usage.input + (usage.cache_write_5m or 0) + (usage.cache_write_1h or 0)
    return Need(float(ingoing), float(usage.output))
