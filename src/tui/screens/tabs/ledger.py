"""The gate ledger: every verdict as it comes."""

from typing import Any

from ....engine.store.listings import VERDICTS
from ....engine.store.reader import Reader
from ....engine.store.views import VerdictRow
from ...filters import with_filters
from ...format import local_time
from ...lines import Column, Line, Span, line_width, tidy
from ..own import own_of
from ..rows import RowsView

OUTCOME_STYLE = {"pass": "ok", "fail": "bad", "abstain": "warn", "error": "warn"}
OUTCOMES = tuple(OUTCOME_STYLE)
_OF_NODE = "(SELECT {} FROM node WHERE node.id = verdict.node)"


class LedgerView(RowsView[VerdictRow]):
    """Time, node, gate, vote, outcome, reason."""

    table = with_filters(
        VERDICTS,
        axis=_OF_NODE.format("json_extract(origin, '$.axis')"),
        case=_OF_NODE.format("grp"),
        kind=_OF_NODE.format("coalesce(json_extract(origin, '$.kind'), kind)"),
        round=_OF_NODE.format("generation"),
    )
    texts = ("reason", "node")
    name = "ledger"
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
        self._gates: tuple[str, ...] = ()

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

    def more(self, reader: Reader) -> tuple[str, list[tuple[Any, ...]]]:
        """The search, and its counts by gate and outcome."""
        search = reader.meta().get("search", "")
        return search, reader.rows(own_of(search).counts) if search else []

    def take_more(self, more: tuple[str, list[tuple[Any, ...]]]) -> None:
        """Take the counts, and which gates the search has."""
        search, counts = more
        if search:
            own = own_of(search)
            self._gates, self.filter_hint = own.gates, own.ledger_hint
        self._counts = {}
        for gate, outcome, number in counts:
            self._counts.setdefault(gate, {})[outcome] = number

    def head(self, width: int) -> list[Line]:
        """Counts by gate: passed and failed."""
        whole = self._counted(99)
        return [whole if line_width(whole) <= width else self._counted(5)]

    def _counted(self, letters: int) -> Line:
        glyphs, spans = self.host.glyphs, list[Span]()
        order = {gate: place for place, gate in enumerate(self._gates)}
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
