"""What buying a call writes down, as the store must keep it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from ..model.core import Slot
from ..model.llm import Completion, RawReply, Request


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt at a call, once it has ended; the ledger stamps its time.

    `outcome` is an `ErrorClass` value, "completed", or "ambiguous" (cut off by us while in
    flight). `wait_s` is the wait that follows, None where none does. `maybe_paid` attempts count
    in the budget at `estimate` (US dollars, None where the price is unknown).
    """

    outcome: str
    status: int | None = None
    wait_s: float | None = None
    maybe_paid: bool = False
    estimate: Decimal | None = None
    message: str = ""


class CallLedger(Protocol):
    """The rows of one run's calls. A free provider's calls get no `intend` and no `sent`."""

    async def intend(self, slot: Slot, request: Request, estimate: Decimal | None) -> None:
        """Write the intent ahead of the request; durable on return. Again after a pause: no-op."""
        ...

    def sent(self, slot: Slot) -> None:
        """Mark the call as sent with the next commit."""
        ...

    def attempt(self, slot: Slot, row: AttemptRow) -> None:
        """Add a row with the next commit."""
        ...

    async def settle(
        self, slot: Slot, request: Request, reply: RawReply, completion: Completion
    ) -> None:
        """Write the result; durable on return."""
        ...

    async def fail(self, slot: Slot, request: Request, reason: str, message: str) -> None:
        """Write a permanent failure: a fact, served on replay; durable on return."""
        ...

    def leave_open(self, slot: Slot, message: str) -> None:
        """Note why the call could not be had yet; it is no fact."""
        ...
