"""What `evoscope show` prints of axes and archive: small tables that are read whole."""

from typing import Any

from ..engine.model.harden import AxisTerms, RankedAxis
from ..engine.report.axis_ranking import axis_ranking
from ..engine.store.archive import kept_cases
from ..engine.store.reader import Reader
from .output import table
from .show_rows import score_text

TERMS = ("base", "priority", "no_improvement", "low_pass_rate", "lineage", "bonus")


def axes_json(reader: Reader, group: str | None) -> list[dict[str, Any]]:
    """The axes by rank, of one case or over the run (`group` null)."""
    return [_axis(entry, group) for entry in axis_ranking(reader, group)]


def _axis(entry: RankedAxis, group: str | None) -> dict[str, Any]:
    return {
        "group": group,
        "axis": entry.axis.axis_name,
        "priority": entry.axis.priority,
        "applied": entry.counts.applied,
        "passed": entry.counts.passed,
        "improved": entry.counts.improved,
        "in_lineage": entry.in_lineage,
        "terms": {name: getattr(entry.terms, name) for name in TERMS},
        "score": entry.terms.score,
        "rank": entry.rank,
    }


def axes_lines(reader: Reader, group: str | None) -> list[str]:
    """The same for people."""
    heads = ("rank", "axis", "priority", "applied", "passed", "improved", "score", "terms")
    rows = [
        (
            str(entry.rank),
            entry.axis.axis_name + (" (in lineage)" if entry.in_lineage else ""),
            entry.axis.priority,
            str(entry.counts.applied),
            str(entry.counts.passed),
            str(entry.counts.improved),
            f"{float(entry.terms.score):.2f}",
            _terms(entry.terms),
        )
        for entry in axis_ranking(reader, group)
    ]
    return table(heads, rows, right={0, 3, 4, 5, 6})


def _terms(terms: AxisTerms) -> str:
    values = ((name, float(getattr(terms, name))) for name in TERMS)
    return " ".join(f"{name}{value:+.2f}" for name, value in values if value)


def archive_json(reader: Reader, group: str | None) -> dict[str, Any]:
    """Survivors and promoted variant of each case."""
    return {
        "cases": [
            {
                "case": kept.case,
                "survivors": [
                    {"node": node.id, "score": node.score, "entropy": node.entropy}
                    for node in kept.survivors
                ],
                "promoted": kept.promoted,
            }
            for kept in kept_cases(reader, group)
        ]
    }


def archive_lines(reader: Reader, group: str | None) -> list[str]:
    """The same for people, a line a survivor."""
    rows = [
        (
            kept.case,
            node.id,
            "promoted" if node.id == kept.promoted else node.state,
            score_text(node.score, bound=node.bound),
            "" if node.entropy is None else f"{node.entropy:.2f}",
        )
        for kept in kept_cases(reader, group)
        for node in kept.survivors
    ]
    return table(("case", "node", "state", "score", "entropy"), rows, right={3, 4})
