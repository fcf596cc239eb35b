"""What all purchases of one run share."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .account import Gatekeeper
from .estimate import Estimator
from .health import Rounds
from .ledger import CallLedger
from .prices import Prices
from .state import Trouble

if TYPE_CHECKING:
    from .purchase import Purchase


@dataclass(slots=True)
class Desk:
    """The buyer behind its purchases. `busy` counts attempts in flight and results being kept."""

    ledger: CallLedger
    prices: Prices
    estimator: Estimator
    gatekeeper: Gatekeeper
    seed: int
    pause: Callable[[Trouble], None]
    money_moved: Callable[[], None]
    held_s: Callable[[], float]
    rounds: defaultdict[str, Rounds] = field(default_factory=lambda: defaultdict(Rounds))
    active: "dict[Purchase, None]" = field(default_factory=dict)
    retries: int = 0
    busy: int = 0
    quiet: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count one attempt as in flight until its end has been recorded."""
        self.busy += 1
        self.quiet.clear()
        try:
            yield
        finally:
            self.busy -= 1
            if not self.busy:
                self.quiet.set()
