"""Overview: effect so far, progress, throughput, last verdicts, what needs a person."""

from typing import Any

from ....engine.store.listings import VERDICTS
from ....engine.store.status import RunStatus
from ....engine.store.views import VerdictRow
from ...format import money, percent, short
from ...lines import Line, Span, fit_line, one, tidy
from ...page import Shown
from ...text import cut
from ...widgets.bars import bar, resampled, sparkline
from ..header import spent
from ..own import own_of
from ..view import Apply, Job, View
from .ledger import OUTCOME_STYLE
from .log import log_tail

LAST = 10
"""Verdicts shown: each is a changed line at every update, sent over the wire."""


_STATES = "SELECT state, count(*) FROM unit WHERE kind = ? GROUP BY state"


class OverviewView(View):
    """The first tab."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._verdicts: list[VerdictRow] = []
        self._states: dict[str, int] = {}
        self._parked: list[tuple[str, str]] = []
        self._tail: list[str] = []
        self._effect: Any = None
        self._search = ""
        self._known = self._ahead = False
        self._size = (80, 20)

    def job(self, fresh: bool) -> Job | None:
        """Last verdicts, counts of units, parked ones, the log's tail if the engine died."""
        late = self.run.status is not None and self.run.status.search != self._search
        if self._known and not fresh and not late:
            return None
        reader, run = self.run.reader, self.run
        search = run.status.search if run.status else ""

        def read() -> Apply:
            sql = f"SELECT {VERDICTS.columns} FROM verdict ORDER BY seq DESC LIMIT {LAST}"
            verdicts = [VERDICTS.make(row) for row in reader.rows(sql)]
            own = own_of(search) if search else None
            states = dict(reader.rows(_STATES, (own.unit[0],))) if own else {}
            parked = reader.rows(
                "SELECT id, reason FROM unit WHERE state = 'parked' ORDER BY ord LIMIT 50"
            )
            tail, effect = log_tail(run.path), own.read_effect(reader) if own else None
            waiting = [(unit, reason) for unit, reason in parked]
            return lambda: self._take(verdicts, states, waiting, tail, (search, effect))

        return read

    def _take(
        self,
        verdicts: list[VerdictRow],
        states: dict[str, int],
        parked: list[tuple[str, str]],
        tail: list[str],
        effect: tuple[str, Any],
    ) -> None:
        self._verdicts, self._states, self._parked = verdicts, states, parked
        self._tail, (self._search, self._effect), self._known = tail, effect, True
        ahead = own_of(self._search).read_ahead if self._search else None
        if ahead is not None and not self._ahead:
            reader, read = self.run.reader, ahead
            self._ahead = True
            self.run.load(self.host, lambda: read(reader), self._read, slow=True, always=self._idle)

    def _idle(self) -> None:
        self._ahead = False

    def _read(self, more: bool) -> None:
        if more:
            self.request(fresh=True)

    def lines(self, width: int, height: int) -> list[Line]:
        """Everything that fits, the most important first."""
        self._size = (width, height)
        status = self.run.status
        if status is None:
            return [one(" reading ...", "dim")]
        lines = [
            *self._effect_lines(status),
            *self._progress(status, width),
            *self._rates(status, width),
            *self._alerts(status, width),
        ]
        room = height - len(lines) - 1
        if room > 0:
            lines.append(one(" last verdicts", "accent"))
            lines += [self._verdict(row, width) for row in self._verdicts[: min(room, LAST)]]
        return [fit_line(line, width) for line in lines]

    def _effect_lines(self, status: RunStatus) -> list[Line]:
        if status.search != self._search:
            return []
        return own_of(self._search).effect(status, self._effect, self.host.glyphs)

    def _progress(self, status: RunStatus, width: int) -> list[Line]:
        states = self._states
        running = states.get("open", 0)
        share = status.done / status.total if status.total else 0.0
        units = own_of(status.search).unit[1]
        text = f"{status.done} of {status.total or '?'} {units}, {running} open"
        if states.get("parked"):
            text += f", {states['parked']} parked"
        size = max(min(width - 60, 40), 8)
        filled = bar(share, size, self.host.glyphs)
        return [
            ((" progress   ", "dim"), (filled, "accent"), (f"  {percent(share, 0)}  {text}", ""))
        ]

    def _rates(self, status: RunStatus, width: int) -> list[Line]:
        glyphs, size = self.host.glyphs, max(min(width - 48, 60), 8)
        rates = resampled(self.run.rates(), size)
        calls = status.calls
        cost = spent(status)
        tokens = f"{short(calls.all_input_tokens)} in, {short(calls.output_tokens)} out"
        price = "price unknown" if cost is None else money(cost)
        return [
            (
                (" calls/s    ", "dim"),
                (sparkline(rates, glyphs).ljust(size), "accent"),
                (f"  {calls.completed:,} calls", ""),
            ),
            ((" cost       ", "dim"), (price, ""), (f"  {tokens} tokens", "dim")),
        ]

    def _alerts(self, status: RunStatus, width: int) -> list[Line]:
        lines: list[Line] = []
        if status.reason and status.state in ("paused", "stopped", "failed", "lost"):
            lines.append(one(f" {status.state}: {cut(tidy(status.reason), width - 12)}", "bad"))
        if status.state == "lost":
            key = self.host.settings.keys.label("restart")
            lines.append(one(f" {key} starts the engine again; nothing is lost", "warn"))
        if status.state in ("lost", "failed"):
            lines += [one(cut(f"   {tidy(text)}", width), "dim") for text in self._tail[-3:]]
        for unit, reason in self._parked[:3]:
            text = f" parked: {tidy(unit)}  {tidy(reason)}"
            lines.append(one(cut(text, width), "warn"))
        if len(self._parked) > 3:
            lines.append(
                one(f" and {len(self._parked) - 3} more parked (Tree, f state=parked)", "warn")
            )
        return lines

    def _verdict(self, row: VerdictRow, width: int) -> Line:
        glyphs = self.host.glyphs
        sign = {"pass": glyphs.passed, "fail": glyphs.failed}.get(row.outcome, glyphs.abstained)
        spans: list[Span] = [
            (f" {sign} {tidy(row.gate):<12} ", OUTCOME_STYLE.get(row.outcome, "")),
            (f"{tidy(row.node)}  {tidy(row.reason)}", ""),
        ]
        return fit_line(tuple(spans), width)

    def node(self) -> str | None:
        """The node of the newest verdict."""
        return self._verdicts[0].node if self._verdicts else None

    def siblings(self) -> list[str]:
        """The nodes of the last verdicts."""
        return list(dict.fromkeys(row.node for row in self._verdicts))

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("pause", "faster", "slower", "budget", "inspect")

    def shown(self) -> Shown | None:
        """The tab as text."""
        lines = self.lines(max(self._size[0], 100), 60)
        text = "\n".join("".join(part for part, _ in line).rstrip() for line in lines)
        return Shown(f"{self.run.path.stem}-overview.txt", text + "\n")
