"""The Python door to a run: typed rows, numpy arrays, pandas frames; read only.

with evoscope.open("runs/demo.evo") as run:
    run.status().effect.hardened
    [node.id for node in run.nodes(state="promoted")]
    run.frame("rollouts").groupby("node").score.mean()
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .engine.errors import UsageError
from .engine.model.harden import CaseResult
from .engine.store.lineage import descendants, find_node, lineage
from .engine.store.listings import (
    CALLS,
    COMMANDS,
    DECISIONS,
    EVENTS,
    NODES,
    ROLLOUTS,
    UNITS,
    VERDICTS,
    Listing,
    T,
)
from .engine.store.paging import pages, with_attempts
from .engine.store.reader import Reader
from .engine.store.status import RunStatus, status_of
from .engine.store.views import (
    CallRow,
    CommandRow,
    DecisionRow,
    EventRow,
    NodeRow,
    RolloutRow,
    UnitRow,
    VerdictRow,
)

if TYPE_CHECKING:
    import numpy as np

KINDS: Mapping[str, Listing[Any]] = {
    "nodes": NODES,
    "ledger": VERDICTS,
    "decisions": DECISIONS,
    "calls": CALLS,
    "rollouts": ROLLOUTS,
    "events": EVENTS,
    "commands": COMMANDS,
    "units": UNITS,
}
"""What `frame` and `arrays` can be asked for."""


class Run:
    """One run, open for reading. Filters are names and values, as `evoscope show --where` takes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = Reader(path)

    def __enter__(self) -> "Run":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def status(self) -> RunStatus:
        """Where the run stands now."""
        return status_of(self._reader)

    def nodes(self, **where: object) -> Iterator[NodeRow]:
        """Everything evolved, in order of creation."""
        return self._rows(NODES, where)

    def node(self, node: str) -> NodeRow | None:
        """One node by its id."""
        return find_node(self._reader, node)

    def lineage(self, node: str) -> list[NodeRow]:
        """The node's ancestors from the oldest on, itself last."""
        return lineage(self._reader, node)

    def descendants(self, node: str) -> list[str]:
        """Ids of everything that came from the node."""
        return descendants(self._reader, node)

    def ledger(self, **where: object) -> Iterator[VerdictRow]:
        """Every verdict."""
        return self._rows(VERDICTS, where)

    def decisions(self, **where: object) -> Iterator[DecisionRow]:
        """Every decision with what it considered."""
        return self._rows(DECISIONS, where)

    def calls(self, **where: object) -> Iterator[CallRow]:
        """Every call, with its attempts."""
        filters = _texts(where)
        for rows in pages(self._reader, CALLS, where=filters):
            yield from with_attempts(self._reader, rows)

    def rollouts(self, **where: object) -> Iterator[RolloutRow]:
        """Every graded response."""
        return self._rows(ROLLOUTS, where)

    def events(self, **where: object) -> Iterator[EventRow]:
        """Every event."""
        return self._rows(EVENTS, where)

    def commands(self, **where: object) -> Iterator[CommandRow]:
        """Every command with its outcome."""
        return self._rows(COMMANDS, where)

    def units(self, **where: object) -> Iterator[UnitRow]:
        """The pieces of the run with their states and results."""
        return self._rows(UNITS, where)

    def case_results(self) -> list[CaseResult]:
        """How each finished case of a harden run ended."""
        units = self.units(kind="case", state="done")
        return [CaseResult.from_json(unit.result) for unit in units]

    def text(self, digest: str) -> str:
        """A stored text (a node's content, a request, a reply) by its hash."""
        return self._reader.text(digest)

    def arrays(self, kind: str, **where: object) -> "dict[str, np.ndarray[Any, Any]]":
        """The rows of a kind as one numpy array a column.

        Exact numbers become floats and unknown ones NaN; columns of lists and tables hold objects.
        """
        return {name: _array(values) for name, values in self._columns(kind, where).items()}

    def frame(self, kind: str, **where: object) -> Any:
        """The rows of a kind as a pandas DataFrame. Raises UsageError where pandas is missing."""
        try:
            import pandas as pd
        except ImportError:
            raise UsageError("frames need pandas: pip install pandas") from None
        return pd.DataFrame(self._columns(kind, where))

    def _columns(self, kind: str, where: Mapping[str, object]) -> dict[str, list[Any]]:
        if kind not in KINDS:
            raise UsageError(f"no rows called {kind!r}; there are {', '.join(KINDS)}")
        rows = list(self._rows(KINDS[kind], where))
        names = [field.name for field in fields(rows[0])] if rows else []
        values = [asdict(row) for row in rows]
        return {name: [_number(value[name]) for value in values] for name in names}

    def _rows(self, listing: Listing[T], where: Mapping[str, object]) -> Iterator[T]:
        for rows in pages(self._reader, listing, where=_texts(where)):
            yield from rows


def _texts(where: Mapping[str, object]) -> dict[str, str]:
    return {name: "null" if value is None else str(value) for name, value in where.items()}


def _array(values: list[Any]) -> "np.ndarray[Any, Any]":
    import numpy as np

    kinds = {type(value) for value in values}
    known = kinds - {type(None)}
    if known and known <= {int, float} and kinds != {int}:
        return np.array([np.nan if value is None else float(value) for value in values])
    if kinds in ({bool}, {int}, {str}):
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction | Decimal) else value
