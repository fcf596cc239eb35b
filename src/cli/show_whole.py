"""What `evoscope show` prints of axes and archive: small tables that are read whole."""

from fractions import Fraction
from typing import Any

from ..engine.model.harden import AxisTerms, RankedAxis
from ..engine.report.axis_ranking import axis_ranking
from ..engine.store.archive import kept_cases
from ..engine.store.chase import chase_archive
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
    """Survivors and promoted variant of each case; for chase the harness x benchmark matrix."""
    search = reader.meta().get("search")
    if search == "chase":
        return chase_archive(reader)
    if search == "cegar":
        return _cegar_archive(reader)
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
    """The same for people, a line a survivor or a harness."""
    search = reader.meta().get("search")
    if search == "chase":
        return _chase_lines(chase_archive(reader))
    if search == "cegar":
        return _cegar_lines(_cegar_archive(reader))
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


def _chase_lines(archive: dict[str, Any]) -> list[str]:
    """The harnesses by gain destruction under each benchmark, then what admitted those."""
    names = [benchmark["id"] for benchmark in archive["benchmarks"]]
    heads = ("harness", "G_rel", *(f"Delta {name}" for name in names[1:]), "binds", "feasible", "")
    rows = [
        (
            one["id"],
            f"{float(one['g_rel']):+.2%}",
            *(f"{float(one['deltas'][n]):+.2%}" if n in one["deltas"] else "" for n in names[1:]),
            one["binding"] or "",
            "yes" if one["feasible"] else "no",
            "chosen" if one["chosen"] else "",
        )
        for one in archive["harnesses"]
    ]
    lines = table(heads, rows, right=set(range(1, len(names) + 1)))
    for one in archive["benchmarks"][1:]:
        disc = "?" if one["delta_disc"] is None else f"{float(one['delta_disc']):.2%}"
        lines.append(
            f"{one['id']} ({one['family']}): round {one['admitted']}, D_disc {disc}, D_conf "
            f"{float(one['delta_conf']):.2%}, eta {float(one['threshold']):.2%}"
            + (", vetoed" if one["vetoed"] else "")
        )
    limits = (f"{name} {_limit(archive[name])}" for name in ("epsilon", "eta"))
    return [*lines, ", ".join(limits)]


def _limit(value: object) -> str:
    return f"{float(value):.2%}" if isinstance(value, Fraction) else str(value)


def _cegar_archive(reader: Reader) -> dict[str, Any]:
    """The pool with its training figures, the blind spots that are left, the certificate."""
    from ..engine.report.cegar_read import read_cegar
    from ..engine.report.cegar_report import pool_rows, spot_rows

    run = read_cegar(reader)
    return {
        "pool": pool_rows(run),
        "blind_spots": spot_rows(run),
        "certificate": None if run.certificate is None else dict(run.certificate),
        "contested": list(run.contested),
    }


def _cegar_lines(archive: dict[str, Any]) -> list[str]:
    pool = [
        (
            one["node"], one["name"], str(one["level"]), str(one["helped"]), str(one["hurt"]),
            f"{float(one['delta']):+.4f}", str(one["flags"]),
        )
        for one in archive["pool"]
    ]  # fmt: skip
    spots = [
        (one["signature"] or "no signature yet", str(one["correct"]), str(one["incorrect"]))
        for one in archive["blind_spots"]
    ]
    heads = ("operator", "name", "level", "helped", "hurt", "Delta", "flags")
    sealed, since = archive["certificate"], ", ".join(archive["contested"])
    contested = f" (contested: {since} was vetoed since)" if since else ""
    return [
        *table(heads, pool, right={2, 3, 4, 5, 6}),
        *table(("blind spot", "correct", "incorrect"), spots, right={1, 2}),
        f"certificate {sealed['sha256']}{contested}" if sealed else "no certificate",
    ]
