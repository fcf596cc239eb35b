"""How the axes of a harden run rank now, for one case or over the run."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..model.harden import Axis, AxisCounts, RankedAxis
from ..searches.harden.ranking import rank_axes
from ..store.lineage import lineage
from ..store.reader import Reader

_COUNTS = (
    "SELECT axis, sum(iif(gate = 'axis' AND outcome = 'applied', n, 0)), "
    "sum(iif(gate = 'realism' AND outcome = 'pass', n, 0)), "
    "sum(iif(gate = 'axis' AND outcome = 'improved', n, 0)) "
    "FROM tally WHERE axis <> '' AND gate IN ('axis', 'realism')"
)


def axis_ranking(reader: Reader, case: str | None = None) -> tuple[RankedAxis, ...]:
    """All axes, highest score first (HARDEN, A.5.4); empty before the domain analysis has ended.

    Of a case: its own counts and its current parent's lineage. Of the run: the sums over all
    cases, in no lineage.
    """
    catalogue = axis_catalogue(reader)
    retained = frozenset[str]() if case is None else _retained(reader, case)
    return rank_axes(catalogue, axis_counts(reader, case), retained, _bonuses(reader.meta()))


def axis_catalogue(reader: Reader) -> tuple[Axis, ...]:
    """The run's axes, in the catalogue's order."""
    text = reader.named_text("axes")
    axes = json.loads(text)["axes"] if text is not None else []
    return tuple(Axis(**{name: _frozen(part) for name, part in axis.items()}) for axis in axes)


def _frozen(part: Any) -> Any:
    return tuple(part) if isinstance(part, list) else part


def axis_counts(reader: Reader, case: str | None = None) -> dict[str, AxisCounts]:
    """Applied, passed and improved by axis, of a case or over the run."""
    only, values = (" AND unit = ?", [case]) if case is not None else ("", [])
    rows = reader.rows(f"{_COUNTS}{only} GROUP BY axis", values)
    return {axis: AxisCounts(*counts) for axis, *counts in rows}


def _retained(reader: Reader, case: str) -> frozenset[str]:
    """The axes on the chain from the original to the case's parent (or promoted) variant."""
    row = reader.row(
        "SELECT id FROM node WHERE unit = ? AND state IN ('parent', 'promoted') "
        "ORDER BY state DESC LIMIT 1",
        [case],
    )
    chain = lineage(reader, row[0]) if row else []
    return frozenset(str(node.origin["axis"]) for node in chain if "axis" in node.origin)


def _bonuses(meta: Mapping[str, str]) -> dict[str, Fraction]:
    settings = json.loads(meta.get("config", "{}")).get("harden") or {}
    return {name: Fraction(value) for name, value in (settings.get("bonus") or {}).items()}
