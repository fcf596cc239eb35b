"""A provider that answers from a script, a ledger in memory, and a buyer on both."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from evoscope.engine.calls.budget import Budget
from evoscope.engine.calls.buyer import Buyer
from evoscope.engine.calls.ledger import AttemptRow
from evoscope.engine.calls.prices import Prices
from evoscope.engine.calls.state import Trouble
from evoscope.engine.config import Limits, ModelSettings, Price, ProviderSettings
from evoscope.engine.errors import ErrorClass, ProviderError
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import (
    Completion,
    Finish,
    Message,
    Params,
    RawReply,
    Request,
    Usage,
)

USAGE = Usage(input=1000, output=500)
PRICE = Price(input=Decimal(1), output=Decimal(2))


def now() -> float:
    return asyncio.get_running_loop().time()


def rate_limit(retry_after: float | None = None) -> ProviderError:
    return ProviderError(ErrorClass.RATE_LIMIT, "slow down", status=429, retry_after=retry_after)


def overloaded() -> ProviderError:
    return ProviderError(ErrorClass.TRANSIENT, "overloaded", status=529)


Script = Callable[["ScriptedProvider", Request, int], ProviderError | Finish | None]
"""Called when an attempt's latency is over, with the number of attempts before this one: an error
to raise, or how the completion ends (None: it just stops)."""


@dataclass
class ScriptedProvider:
    """Takes `latency_s` for each attempt and keeps count of what it saw."""

    name: str = "p"
    free: bool = False
    latency_s: float = 0.5
    script: Script = lambda provider, request, attempt: None
    capacity: int | None = None
    usage: Usage = USAGE
    headers: dict[str, str] = field(default_factory=dict)
    input_tokens: dict[str, int] = field(default_factory=dict)
    """Estimates by model, where they are not 1,000."""
    in_flight: int = 0
    peak: int = 0
    sent_at: list[float] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    ended: int = 0

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        attempt = len(self.sent_at)
        self.sent_at.append(now())
        self.order.append(request.messages[0].text)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            if self.capacity is not None and self.in_flight > self.capacity:
                await asyncio.sleep(min(0.02, self.latency_s))
                raise rate_limit()
            await asyncio.sleep(self.latency_s)
            outcome = self.script(self, request, attempt)
            if isinstance(outcome, ProviderError):
                raise outcome
            return RawReply((outcome or Finish.STOP).value.encode(), headers=self.headers)
        finally:
            self.in_flight -= 1
            self.ended += 1

    def parse(self, reply: RawReply, request: Request) -> Completion:
        return Completion("answer", Finish(reply.body.decode()), usage=self.usage)

    def estimate_input_tokens(self, request: Request) -> int:
        return self.input_tokens.get(request.model, 1000)

    async def aclose(self) -> None:
        return None


@dataclass
class MemoryLedger:
    """Keeps rows in lists; each commit takes `commit_s`."""

    commit_s: float = 0.0
    intents: list[str] = field(default_factory=list)
    estimates: dict[str, Decimal | None] = field(default_factory=dict)
    sent_slots: list[str] = field(default_factory=list)
    rows: list[tuple[str, AttemptRow]] = field(default_factory=list)
    settled: dict[str, Completion] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)

    async def intend(self, slot: Slot, request: Request, estimate: Decimal | None) -> None:
        await asyncio.sleep(self.commit_s)
        self.intents.append(slot.key)
        self.estimates[slot.key] = estimate

    def sent(self, slot: Slot) -> None:
        self.sent_slots.append(slot.key)

    def attempt(self, slot: Slot, row: AttemptRow) -> None:
        self.rows.append((slot.key, row))

    async def settle(
        self, slot: Slot, request: Request, reply: RawReply, completion: Completion
    ) -> None:
        await asyncio.sleep(self.commit_s)
        self.settled[slot.key] = completion

    async def fail(self, slot: Slot, request: Request, reason: str, message: str) -> None:
        await asyncio.sleep(self.commit_s)
        self.failed[slot.key] = reason

    def leave_open(self, slot: Slot, message: str) -> None:
        self.open[slot.key] = message


class Shop:
    """A buyer of providers p and q (one behind both), with everything that a test looks at."""

    def __init__(
        self,
        provider: ScriptedProvider,
        limits: Limits | None = None,
        *,
        budget: str | None = None,
        price: Price | None = PRICE,
        commit_s: float = 0.0,
        seed: int = 7,
        deadline_s: float = 900.0,
        attempt_timeout_s: float = 300.0,
        pause_after: int = 20,
    ) -> None:
        settings = ProviderSettings(
            kind="offline" if provider.free else "chat_completions",
            key_env="P_KEY",
            base_url="http://127.0.0.1:9",
            dialect="vllm",
            limits=limits or Limits(concurrency=8),
            call_deadline_s=deadline_s,
            attempt_timeout_s=attempt_timeout_s,
            pause_after_failures=pause_after,
        )
        names = {"task": ("p", "m"), "gates": ("p", "n"), "mutation": ("q", "m")}
        models = {
            role: ModelSettings(provider=name, model=model, price=price)
            for role, (name, model) in names.items()
        }
        self.provider, self.ledger = provider, MemoryLedger(commit_s)
        self.budget = Budget(None if budget is None else Decimal(budget))
        self.troubles: list[Trouble] = []
        accounts = {"p": settings, "q": settings}
        self.buyer = Buyer(
            {"p": provider, "q": provider},
            accounts,
            Prices(models, accounts),
            self.budget,
            self.ledger,
            seed,
            self.troubles.append,
        )

    def buy(
        self,
        n: int,
        priority: int = 0,
        model: str = "m",
        max_tokens: int = 1000,
        provider: str = "p",
    ) -> "asyncio.Task[Completion]":
        """Start buying call number `n`."""
        request = Request(
            role="task",
            provider=provider,
            model=model,
            messages=(Message("user", f"case {n}"),),
            params=Params(max_tokens=max_tokens),
        )
        return asyncio.create_task(self.buyer.buy(slot(n), request, priority))

    def settled_counters(self) -> tuple[int, int, int, Decimal]:
        """What must be zero once every call has ended: in flight, waiting, retrying, reserved."""
        state = self.buyer.snapshot()
        return state.in_flight, state.waiting, state.retrying, state.budget.reserved


NOTHING_LEFT = (0, 0, 0, Decimal(0))


def slot(n: int) -> Slot:
    return Slot(f"u{n}", "rollout", "x", n)
