"""What an engine does with the file of an earlier, interrupted session before it goes on."""

from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from .clock import utc_now
from .ledger import ATTEMPT, STATUS
from .store.memory import read_only
from .store.rows import event_write
from .store.writer import Write

NOTHING_IN_FLIGHT = "UPDATE call SET status = 'open' WHERE status IN ('intended', 'sent')"
"""Written at an orderly end: what was cut off then has its row in `attempt` already."""


@dataclass(frozen=True, slots=True)
class Past:
    """What earlier sessions spent: settled and perhaps paid (US dollars), and calls of no price."""

    settled: Decimal
    maybe_paid: Decimal
    unknown: int


def ambiguous_writes(path: Path) -> tuple[Write, ...]:
    """Calls that were in flight at the crash: perhaps paid, not received; they are sent again.

    A call counts from its committed intent on, since `sent` is marked after the request left.
    """
    with closing(read_only(path)) as db:
        rows = db.execute(
            "SELECT slot, estimate FROM call WHERE status IN ('intended', 'sent') ORDER BY seq"
        ).fetchall()
    message = "in flight when the engine ended; perhaps paid"
    writes: list[Write] = []
    for slot, estimate in rows:
        values = (slot, utc_now(), "ambiguous", None, None, 1, estimate, message)
        writes += [Write(ATTEMPT, values), Write(STATUS, ("ambiguous", slot))]
        writes.append(event_write("call ambiguous", "call", slot))
    return tuple(writes)


def past(path: Path) -> Past:
    """Sums over the recorded calls and attempts."""
    with closing(read_only(path)) as db:
        costs = db.execute("SELECT cost FROM call WHERE cost IS NOT NULL").fetchall()
        maybe = db.execute(
            "SELECT estimate FROM attempt WHERE maybe_paid = 1 AND estimate IS NOT NULL"
        ).fetchall()
        (unknown,) = db.execute(
            "SELECT count(*) FROM call WHERE status = 'completed' AND cost IS NULL"
        ).fetchone()
    return Past(
        sum((Decimal(cost) for (cost,) in costs), Decimal(0)),
        sum((Decimal(estimate) for (estimate,) in maybe), Decimal(0)),
        unknown,
    )


def past_outputs(path: Path) -> dict[tuple[str, str], list[int]]:
    """Output tokens of the last 200 completed calls of each (role, model): what reservations
    are estimated from."""
    with closing(read_only(path)) as db:
        pairs = db.execute("SELECT DISTINCT role, model FROM call").fetchall()
        return {
            (role, model): [
                tokens
                for (tokens,) in db.execute(
                    "SELECT output_tokens FROM call WHERE role = ? AND model = ? "
                    "AND output_tokens IS NOT NULL ORDER BY seq DESC LIMIT 200",
                    (role, model),
                )
            ]
            for role, model in pairs
        }
