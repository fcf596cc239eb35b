"""Numbers, times and durations as every page writes them."""

from datetime import UTC, datetime
from decimal import Decimal


def local_time(stamp: str | None, *, date: bool = False) -> str:
    """A stored UTC time in local time: `14:03:12`, with the date if asked; empty if unknown."""
    moment = parse_time(stamp)
    if moment is None:
        return ""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S")


def parse_time(stamp: str | None) -> datetime | None:
    """A stored time; None where there is none or it cannot be read."""
    try:
        moment = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def duration(seconds: float) -> str:
    """Two units at most, changing once a minute: `<1 min`, `2 h 13 min`, `4 d 3 h`."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "<1 min"
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes:02} min"
    return f"{hours // 24} d {hours % 24} h"


def age(seconds: float) -> str:
    """How long ago: `12 s`, then as durations."""
    return f"{int(seconds)} s" if seconds < 60 else duration(seconds)


def span(low: float, high: float) -> str:
    """A range of durations, as one if both read alike."""
    first, last = duration(low), duration(high)
    if first == last:
        return first
    number, _, unit = first.partition(" ")
    return f"{number}-{last}" if last.endswith(f" {unit}") and unit else f"{first} - {last}"


def money(amount: Decimal | None) -> str:
    """US dollars; cents, and more places below one cent; `?` where unknown."""
    if amount is None:
        return "?"
    if 0 < amount < Decimal("0.01"):
        return f"${amount:.4f}"
    return f"${amount:,.2f}"


def percent(share: float | None, places: int = 1) -> str:
    """A share of 1 in per cent; a dash where unknown."""
    return "-" if share is None else f"{100 * share:.{places}f}%"


def count(number: int | None) -> str:
    """A number with thousands marked; a dash where unknown."""
    return "-" if number is None else f"{number:,}"


def short(number: int | None) -> str:
    """Four figures at most: `950`, `12.3k`, `4.1M`; a dash where unknown."""
    if number is None:
        return "-"
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (10_000, "k")):
        if number >= size:
            scale = 1000 if unit == "k" else size
            return f"{number / scale:.1f}{unit}"
    return str(number)
