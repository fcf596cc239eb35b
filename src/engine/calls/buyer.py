"""The one place that pays: every missing call of a run goes through `Buyer.buy`."""

import asyncio
from collections.abc import Callable, Mapping

from ..config import ProviderSettings
from ..model.core import Slot
from ..model.llm import Completion, Request
from ..providers.base import Provider
from .account import Account, Gatekeeper
from .budget import Budget
from .desk import Desk
from .estimate import Estimator
from .lane import Lane, LaneKey
from .ledger import CallLedger
from .prices import Prices
from .purchase import Errand, Purchase
from .state import BuyerState, Trouble


class Buyer:
    """Buys calls: queues, limits, retries and money. Runs on one event loop, without threads.

    `on_trouble` is told of what a person should know; where it says `pause`, the buyer has held
    itself and waits for `release`. Raises ConfigError where the budget has a limit and some model
    has no price.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        settings: Mapping[str, ProviderSettings],
        prices: Prices,
        budget: Budget,
        ledger: CallLedger,
        rng_seed: int,
        on_trouble: Callable[[Trouble], None],
    ) -> None:
        if budget.limit is not None:
            prices.require_known()
        self._providers, self._settings = providers, settings
        self._budget, self._on_trouble = budget, on_trouble
        self.estimator = Estimator(prices)
        self._gatekeeper = Gatekeeper(budget, self._exhausted)
        self._desk = Desk(
            ledger, prices, self.estimator, self._gatekeeper, rng_seed,
            pause=self._pause, money_moved=self._money_moved, held_s=self._held_s,
        )  # fmt: skip
        self._desk.quiet.set()
        self._lanes: dict[LaneKey, Lane] = {}
        self._accounts: dict[str, Account] = {}
        self._ceilings: dict[str, int] = {}
        self._arrivals = 0
        self._held_before = 0.0
        self._held_since = 0.0

    async def buy(self, slot: Slot, request: Request, priority: int = 0) -> Completion:
        """Buy one call; its result is durable on return. Lower priorities go first.

        Raises CallFailed (a recorded fact), CallOpen (deadline; may be bought again), RunPaused
        (a person must act; may be bought again after `release`).
        """
        self._arrivals += 1
        errand = Errand(
            slot,
            request,
            self._providers[request.provider],
            self._settings[request.provider],
            self._lane(request),
        )
        return await Purchase(self._desk, errand, (priority, self._arrivals)).run()

    def hold(self, now: bool = False) -> None:
        """Let no new attempt leave; those in flight finish, or with `now` are cut off.

        A call that is cut off may have been paid, waits with the others and is sent again.
        """
        if not self._gatekeeper.held:
            self._gatekeeper.held = True
            self._held_since = _time()
        if now:
            for purchase in self._desk.active:
                purchase.interrupt()

    def release(self) -> None:
        """Go on, and forget past failures."""
        if not self._gatekeeper.held:
            return
        self._held_before += _time() - self._held_since
        self._gatekeeper.held = False
        for rounds in self._desk.rounds.values():
            rounds.reset()
        for lane in self._lanes.values():
            lane.reset()
        self._pump()

    async def drain(self, timeout_s: float) -> int:
        """Wait until nothing is in flight and every result is kept; call `hold` first.

        Gives how many attempts are left when the time is up.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self._desk.quiet.wait()
        except TimeoutError:
            return self._desk.busy
        return 0

    def retune(self, provider: str, concurrency: int) -> None:
        """A new ceiling for a provider and each of its lanes; what is above it finishes."""
        self._ceilings[provider] = concurrency
        if provider in self._accounts:
            self._accounts[provider].retune(concurrency)

    def snapshot(self) -> BuyerState:
        """What is going on, as plain data."""
        lanes = tuple(lane.state() for lane in self._lanes.values())
        sleeping = [
            (purchase.retry_at, purchase.retry_reason)
            for purchase in self._desk.active
            if purchase.retry_at is not None
        ]
        next_at, reason = min(sleeping, default=(None, ""))
        return BuyerState(
            held=self._gatekeeper.held,
            in_flight=sum(lane.in_flight for lane in lanes),
            waiting=sum(lane.waiting for lane in lanes),
            retrying=len(sleeping),
            retries=self._desk.retries,
            next_retry_s=None if next_at is None else max(0.0, next_at - _time()),
            next_retry_reason=reason,
            lanes=lanes,
            budget=self._budget.state(),
        )

    def _lane(self, request: Request) -> Lane:
        settings = self._settings[request.provider]
        key = LaneKey(request.provider, settings.key_env or "", request.model)
        if key not in self._lanes:
            ceiling = self._ceilings.get(request.provider, settings.limits.concurrency)
            limits = settings.limits.model_copy(update={"concurrency": ceiling})
            account = self._accounts.get(request.provider)
            if account is None:
                account = self._accounts[request.provider] = Account(limits, self._gatekeeper)
            self._lanes[key] = Lane(key, limits, account)
            account.lanes.append(self._lanes[key])
        return self._lanes[key]

    def _pause(self, trouble: Trouble) -> None:
        """Hold and say why; a run that is held already needs no second reason."""
        if not self._gatekeeper.held:
            self.hold()
            self._on_trouble(trouble)

    def _exhausted(self, message: str) -> None:
        self._pause(Trouble("budget", "", message, pause=True))

    def _money_moved(self) -> None:
        """Reservations were closed: calls that waited for room in the budget may go on."""
        if self._budget.crossed_warning():
            spent, limit = self._budget.committed, self._budget.limit
            message = f"${spent:.2f} of the budget of ${limit} has been spent"
            self._on_trouble(Trouble("budget_80", "", message, pause=False))
        if self._gatekeeper.starved:
            self._gatekeeper.starved = False
            self._pump()

    def _pump(self) -> None:
        for account in self._accounts.values():
            account.pump()

    def _held_s(self) -> float:
        """Seconds that the run has been held so far."""
        since = _time() - self._held_since if self._gatekeeper.held else 0.0
        return self._held_before + since


def _time() -> float:
    return asyncio.get_running_loop().time()
