"""Calls: what is in flight, waiting and failing; one line per lane and per call."""

from collections.abc import Mapping
from typing import Any

from ....engine.store.listings import CALLS
from ....engine.store.views import CallRow
from ...format import age, duration, local_time, money, parse_time, short
from ...lines import Column, Line, Span, fit_line, tidy
from ..rows import RowsView

STYLE = {"completed": "ok", "failed": "bad", "ambiguous": "warn", "open": "warn"}
LANES = 4


class CallsView(RowsView[CallRow]):
    """Every call by number, the open ones findable with status=sent."""

    table = CALLS
    texts = ("slot", "model")
    name = "calls"
    mutable = True
    filter_hint = "status= purpose= role= model= provider= node= unit= or words of slot and model"
    columns = (
        Column("time", 8, least=76),
        Column("status", 9),
        Column("purpose", 11),
        Column("node", 24, middle=True),
        Column("no", 3, "right"),
        Column("model", 0),
        Column("in", 6, "right", least=90),
        Column("out", 6, "right", least=90),
        Column("cost", 8, "right", least=100),
        Column("took", 7, "right"),
    )

    def cells(self, row: CallRow) -> list[Span]:
        """One call."""
        return [
            (local_time(row.created), ""),
            (tidy(row.status), STYLE.get(row.status, "accent")),
            (tidy(row.purpose), ""),
            (tidy(row.node or row.unit), ""),
            (str(row.number), ""),
            (tidy(row.served_model or row.model), ""),
            (short(row.input_tokens), ""),
            (short(row.output_tokens), ""),
            (money(row.cost) if row.cost is not None else "", ""),
            (_took(row), ""),
        ]

    def head(self, width: int) -> list[Line]:
        """Sums, and one line per lane."""
        status = self.run.status
        if status is None:
            return []
        calls, beat = status.calls, status.heartbeat
        of = calls.cached_input_tokens
        cached = f" ({short(of)} cached)" if of else ""
        sums = (
            f" {calls.completed:,} completed  {calls.failed:,} failed"
            f"  {calls.ambiguous:,} ambiguous  {calls.retries:,} retries"
            f"  tokens {short(calls.all_input_tokens)} in{cached}, {short(calls.output_tokens)} out"
        )
        lanes = beat.lanes if beat is not None and status.alive else ()
        return [((sums, ""),), *(fit_line(lane_line(lane), width) for lane in lanes[:LANES])]

    def node(self) -> str | None:
        """The call's node."""
        row = self.list.row()
        return row.node or None if row is not None else None

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "follow", "filter", "search", "faster", "slower", "budget")


def lane_line(lane: Mapping[str, Any]) -> Line:
    """One queue: model, in flight of limit, waiting, answers a minute, errors by class."""
    errors = "  ".join(
        f"{tidy(str(name))} {number}" for name, number in (lane.get("errors") or {}).items()
    )
    last = tidy(str(lane.get("last_error") or ""))
    text = (
        f" {tidy(str(lane.get('model', '?')))}  {lane.get('in_flight', 0)}"
        f"/{lane.get('limit', '?')} in flight  {lane.get('waiting', 0)} waiting"
        f"  {lane.get('per_minute', 0)}/min"
    )
    return ((text, ""), (f"  {errors}", "warn"), (f"  {last}", "dim"))


def _took(row: CallRow) -> str:
    if row.latency_s is not None:
        return f"{row.latency_s:.1f} s" if row.latency_s < 1000 else duration(row.latency_s)
    begin = parse_time(row.created)
    if begin is None or row.status in ("completed", "failed"):
        return ""
    from datetime import UTC, datetime

    return age(max((datetime.now(UTC) - begin).total_seconds(), 0))
