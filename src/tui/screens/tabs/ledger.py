"""The gate ledger: every verdict as it comes."""

from typing import Any

from ....engine.store.listings import VERDICTS
from ....engine.store.reader import Reader
from ....engine.store.views import VerdictRow
from ...filters import with_filters
from ...format import local_time
from ...lines import Column, Line, Span, line_width, tidy
from ...searches.harden import GATES
from ..rows import RowsView

OUTCOME_STYLE = {"pass": "ok", "fail": "bad", "abstain": "warn", "error": "warn"}
OUTCOMES = tuple(OUTCOME_STYLE)


class LedgerView(RowsView[VerdictRow]):
    """Time, node, gate, vote, outcome, reason."""

    table = with_filters(
        VERDICTS,
        axis="(SELECT json_extract(origin, '$.axis') FROM node WHERE node.id = verdict.node)",
        case="(SELECT grp FROM node WHERE node.id = verdict.node)",
    )
    texts = ("reason", "node")
    name = "ledger"
    filter_hint = "gate= outcome= by= node= case= axis= vote= unit= or words of node and reason"
    columns = (
        Column("time", 8, least=76),
        Column("node", 20, middle=True),
        Column("gate", 11),
        Column("vote", 4, "right", least=70),
        Column("outcome", 7),
        Column("by", 5, least=100),
        Column("reason", 0),
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._counts: dict[str, dict[str, int]] = {}

    def cells(self, row: VerdictRow) -> list[Span]:
        """One verdict."""
        glyphs = self.host.glyphs
        style = OUTCOME_STYLE.get(row.outcome, "")
        sign = {"pass": glyphs.passed, "fail": glyphs.failed}.get(row.outcome, glyphs.abstained)
        return [
            (local_time(row.time), ""),
            (tidy(row.node), ""),
            (tidy(row.gate), f"gate.{row.gate}"),
            ("" if row.vote is None else str(row.vote + 1), style),
            (f"{sign} {tidy(row.outcome)}", style),
            (tidy(row.by), ""),
            (tidy(row.reason), ""),
        ]

    def more(self, reader: Reader) -> list[tuple[Any, ...]]:
        """Counts by gate and outcome, from the counters that the engine keeps."""
        return reader.rows(
            "SELECT gate, outcome, sum(n) FROM tally "
            "WHERE gate NOT IN ('axis', 'saved') GROUP BY gate, outcome"
        )

    def take_more(self, more: list[tuple[Any, ...]]) -> None:
        """Take the counts."""
        self._counts = {}
        for gate, outcome, number in more:
            self._counts.setdefault(gate, {})[outcome] = number

    def head(self, width: int) -> list[Line]:
        """Counts by gate: passed and failed."""
        whole = self._counted(99)
        return [whole if line_width(whole) <= width else self._counted(5)]

    def _counted(self, letters: int) -> Line:
        glyphs, spans = self.host.glyphs, list[Span]()
        order = {gate: place for place, gate in enumerate(GATES)}
        for gate, counts in sorted(self._counts.items(), key=lambda pair: order.get(pair[0], 9)):
            if not any(outcome in counts for outcome in OUTCOMES):
                continue
            spans.append((f" {tidy(gate)[:letters]} ", f"gate.{gate}"))
            spans.append((f"{glyphs.passed}{counts.get('pass', 0):,} ", "ok"))
            spans.append((f"{glyphs.failed}{counts.get('fail', 0):,} ", "bad"))
            other = sum(counts.get(name, 0) for name in ("abstain", "error"))
            if other:
                spans.append((f"{glyphs.abstained}{other:,} ", "warn"))
        return tuple(spans)

    def node(self) -> str | None:
        """The verdict's node."""
        row = self.list.row()
        return row.node if row is not None else None

    def siblings(self) -> list[str]:
        """Nodes of the verdicts in view."""
        rows = [self.list.known(key) for key in self.list.in_view()]
        return list(dict.fromkeys(row.node for row in rows if row is not None))

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("open", "follow", "filter", "search", "veto")
