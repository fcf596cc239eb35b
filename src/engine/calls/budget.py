"""The run's money: reserved before a request leaves, settled with what it really cost."""

from dataclasses import dataclass
from decimal import Decimal

from .state import BudgetState

ZERO = Decimal(0)
WARN_SHARE = Decimal("0.8")


@dataclass(frozen=True, slots=True)
class Estimate:
    """US dollars of one request: what is reserved, and the most it can cost; None is unknown."""

    reserve: Decimal | None
    worst: Decimal | None


@dataclass(slots=True, eq=False)
class Reservation:
    """Money set aside for one attempt; it is closed exactly once."""

    estimate: Estimate
    open: bool = True


class Budget:
    """Sums of one run. Without a limit it only counts.

    Spent is what replies reported or the price table says; maybe-paid attempts (sent, no whole
    answer) count at their estimate. An unknown price is counted as a call, never as money.
    """

    def __init__(self, limit: Decimal | None = None) -> None:
        self.limit = limit
        self.spent = ZERO
        self.maybe_paid = ZERO
        self.unknown = 0
        self._reserved = ZERO
        self._worst = ZERO
        self._warned = False

    def restore(self, spent: Decimal, maybe_paid: Decimal, unknown: int = 0) -> None:
        """Take over the sums that the run's file holds, ambiguous calls among the maybe-paid."""
        self.spent, self.maybe_paid, self.unknown = spent, maybe_paid, unknown
        self.crossed_warning()

    def set_limit(self, limit: Decimal | None) -> None:
        """A person's new limit; what is reserved stays reserved."""
        self.limit = limit
        self._warned = self._warned and self._above_warning()

    @property
    def committed(self) -> Decimal:
        """What counts against the limit without what is still in flight."""
        return self.spent + self.maybe_paid

    def reserve(self, estimate: Estimate) -> Reservation | None:
        """Set the estimate aside; None where it does not fit under the limit now."""
        amount = estimate.reserve or ZERO
        if self.limit is not None and amount and self._over(amount + self._reserved):
            return None
        self._reserved += amount
        self._worst += estimate.worst or amount
        return Reservation(estimate)

    def can_wait(self, estimate: Estimate) -> bool:
        """Whether the estimate could still fit once what is in flight has been settled."""
        return not self._over(estimate.reserve or ZERO)

    def refusal(self, estimate: Estimate) -> str:
        """The one line that says why nothing more is sent."""
        return (
            f"budget of ${self.limit} reached: ${_cents(self.committed)} spent, the next call may "
            f"cost ${_cents(estimate.reserve or ZERO)}; raise it with `evoscope set RUN budget=…`"
        )

    def settle(self, reservation: Reservation, cost: Decimal | None) -> None:
        """The attempt is paid; an unknown cost counts at its estimate, as maybe paid."""
        if cost is None:
            self.forfeit(reservation)
        elif self._close(reservation):
            self.spent += cost

    def forfeit(self, reservation: Reservation) -> None:
        """The attempt may have been paid: it counts at its estimate."""
        if not self._close(reservation):
            return
        if reservation.estimate.reserve is None:
            self.unknown += 1
        else:
            self.maybe_paid += reservation.estimate.reserve

    def release(self, reservation: Reservation) -> None:
        """Nothing was sent, or the provider refused it: it costs nothing."""
        self._close(reservation)

    def crossed_warning(self) -> bool:
        """True once, when four fifths of the limit have been spent."""
        if self._warned or not self._above_warning():
            return False
        self._warned = True
        return True

    def state(self) -> BudgetState:
        """The sums as plain data."""
        worst = self.committed + self._worst
        over = ZERO if self.limit is None else max(ZERO, worst - self.limit)
        return BudgetState(
            limit=self.limit,
            spent=self.spent,
            maybe_paid=self.maybe_paid,
            reserved=self._reserved,
            unknown=self.unknown,
            overshoot=over,
        )

    def _over(self, amount: Decimal) -> bool:
        return self.limit is not None and self.committed + amount > self.limit

    def _above_warning(self) -> bool:
        return self.limit is not None and self.committed >= self.limit * WARN_SHARE

    def _close(self, reservation: Reservation) -> bool:
        if not reservation.open:
            return False
        reservation.open = False
        estimate = reservation.estimate
        amount = estimate.reserve or ZERO
        self._reserved -= amount
        self._worst -= estimate.worst or amount
        return True


def _cents(amount: Decimal) -> str:
    return f"{amount:.4f}" if amount < 1 else f"{amount:.2f}"
