"""The two lines that always stand above a run."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ...engine.store.status import RunStatus
from ..format import age, duration, money, parse_time, span
from ..glyphs import Glyphs
from ..lines import Line, Span, between, fit_line, line_width, tidy
from ..text import cut
from ..widgets.bars import bar

STYLE = {
    "running": "ok", "finished": "ok", "starting": "accent", "pausing": "warn", "paused": "warn",
    "stopping": "warn", "stopped": "warn", "failed": "bad", "lost": "bad",
}  # fmt: skip


def header(
    status: RunStatus | None, rates: Sequence[float], width: int, glyphs: Glyphs
) -> list[Line]:
    """Name, search, state, progress; then throughput, errors, cost, elapsed time."""
    if status is None:
        return [fit_line(((" reading ...", "bar"),), width, "bar"), fit_line((), width)]
    return [_first(status, width, glyphs), _second(status, rates, width)]


def _first(status: RunStatus, width: int, glyphs: Glyphs) -> Line:
    right = _progress(status, width, glyphs)
    name = cut(tidy(status.name), max(width // 4, 8))
    left: list[Span] = [(f" {name} ", "bar bold"), (f"{status.search}  ", "bar")]
    left.append((state_text(status), f"bar {STYLE.get(status.state, '')}".strip()))
    if status.offline:
        left.append(("  OFFLINE", "bar"))
    if status.unsafe:
        left.append(("  NO SANDBOX", "bar"))
    room = max(width - line_width(right), 0)
    return fit_line((*fit_line(tuple(left), room, "bar"), *right), width, "bar")


def _progress(status: RunStatus, width: int, glyphs: Glyphs) -> Line:
    if not status.total:
        return ((" ", "bar"),)
    size = 10 if width < 100 else 24
    text = f" {bar(status.done / status.total, size, glyphs)} {status.done}/{status.total}"
    if status.eta_s is not None and width >= 72:
        text += f"  eta {span(*status.eta_s)}"
    return ((f"{text} ", "bar"),)


def state_text(status: RunStatus) -> str:
    """The state in words, with what is waited for."""
    beat = status.heartbeat
    reason = tidy(status.reason)
    if status.state == "pausing":
        return f"pausing ({beat.in_flight if beat else '?'} in flight)"
    if status.state == "lost":
        return f"engine lost {age(beat.age_s())} ago" if beat else "engine lost"
    if status.state in ("paused", "stopped", "failed") and reason:
        return f"{status.state}: {reason}"
    return status.state


def _second(status: RunStatus, rates: Sequence[float], width: int) -> Line:
    parts = [*_throughput(status, rates), _errors(status), _cost(status)]
    left: list[Span] = [(" ", "")]
    for text, style in parts:
        if text and (width >= 90 or "waiting" not in text):
            left += [(text, style), ("  ", "")]
    return between(fit_line(tuple(left), width - 14), ((f"{_elapsed(status)} ", "dim"),), width)


def _throughput(status: RunStatus, rates: Sequence[float]) -> list[Span]:
    beat = status.heartbeat
    if beat is None or not status.alive:
        return [(f"{status.calls.completed:,} calls", "")]
    per_minute = sum(int(lane.get("per_minute", 0)) for lane in beat.lanes)
    limit = sum(int(lane.get("limit", 0)) for lane in beat.lanes)
    flying = f"{beat.in_flight}/{limit} in flight" if limit else f"{beat.in_flight} in flight"
    parts: list[Span] = [(f"{per_minute / 60:.1f} calls/s", ""), (flying, "")]
    if beat.waiting:
        parts.append((f"{beat.waiting:,} waiting", "dim"))
    if wait := waiting_for(beat.extra):
        parts.append((wait, "warn"))
    return parts


def waiting_for(extra: Mapping[str, Any]) -> str:
    """What is being waited for, as `retry in 45 s after 429`; empty if nothing is."""
    seconds = extra.get("next_retry_s")
    if not isinstance(seconds, int | float):
        return ""
    reason = tidy(str(extra.get("next_retry_reason") or ""))
    return f"retry in {seconds:.0f} s after {reason}" if reason else f"retry in {seconds:.0f} s"


def _errors(status: RunStatus) -> Span:
    tried = status.calls.completed + status.calls.failed + status.calls.retries
    bad = status.calls.failed + status.calls.retries
    share = bad / tried if tried else 0.0
    return (f"errors {100 * share:.1f}%", "warn" if share > 0.05 else "dim")


def _cost(status: RunStatus) -> Span:
    cost = spent(status)
    if cost is None:
        return ("price unknown", "dim")
    of = f" of {money(Decimal(status.budget))}" if status.budget is not None else ""
    near = status.budget is not None and 10 * cost >= 8 * Decimal(status.budget)
    return (f"{money(cost)}{of}", "warn" if near else "")


def spent(status: RunStatus) -> Decimal | None:
    """US dollars spent so far, perhaps-paid ones included; None where no price is known."""
    if status.calls.cost is None:
        return Decimal(0) if status.offline else None
    return status.calls.cost + status.calls.maybe_paid


def _elapsed(status: RunStatus) -> str:
    begin = parse_time(status.started)
    if begin is None:
        return ""
    end = None if status.alive else parse_time(status.updated)
    return duration(((end or datetime.now(UTC)) - begin).total_seconds())


TABS = ("Overview", "Tree", "Axes", "Archive", "Ledger", "Calls", "Report", "Log")


def tab_bar(active: int, width: int) -> Line:
    """The tabs with their numbers, the active one marked; names only where there is room."""
    full = sum(len(name) + 4 for name in TABS) + 1 <= width
    spans: list[Span] = [(" ", "")]
    for place, name in enumerate(TABS):
        shown = name if full or place == active else name[:4]
        mark = "cursor" if place == active else "dim"
        spans += [(f" {place + 1} {shown} ", mark)] if full else [(f"{place + 1}{shown}", mark)]
        if not full:
            spans.append((" ", ""))
    return fit_line(tuple(spans), width)
