"""The effect of a cegar run on its training split, in two cheap queries (json.md, status)."""

import json
from fractions import Fraction
from typing import Any

from .reader import Reader

OF_THE_SEARCH = "unit IN (SELECT id FROM unit WHERE kind = 'target')"
"""Ablations and induction decide too, in units of another kind."""
ADMISSIONS = (
    "SELECT considered, unit FROM decision "
    f"WHERE kind = 'admit' AND {OF_THE_SEARCH} ORDER BY seq DESC"
)
REVISIONS = (
    "SELECT considered, unit FROM decision WHERE kind = 'fallback' "
    "AND unit IN (SELECT id FROM unit WHERE kind = 'revision') ORDER BY seq DESC"
)
"""What was left of the pool after a veto."""
ABANDONED = f"SELECT count(*) FROM decision WHERE kind = 'abandon' AND {OF_THE_SEARCH}"
VETOED = "SELECT id FROM node WHERE vetoed = 1"
NULL = "SELECT outcome, n FROM tally WHERE gate = 'null' AND axis = ? AND unit = ?"


def cegar_effect(reader: Reader) -> dict[str, Any]:
    """Delta, share of headroom, flags and p of the pool on training, and the pool's size.

    Unknown (None) while nothing is admitted, and after a veto until the run has scored what is
    left: at its end, or when it is resumed. Held-out figures come from the scoring command only.
    """
    vetoed = {node for (node,) in reader.rows(VETOED)}
    (abandoned,) = reader.row(ABANDONED) or (0,)
    found: dict[str, Any] = {
        "delta": None, "headroom_share": None, "flags": None, "pool": 0, "p": None,
        "abandoned_targets": abandoned,
    }  # fmt: skip
    admissions = [(json.loads(text)[0], unit) for text, unit in reader.rows(ADMISSIONS)]
    revisions = [(json.loads(text)[0], unit) for text, unit in reader.rows(REVISIONS)]
    standing = {one["node"] for one, _ in admissions} - vetoed
    found["pool"] = len(standing)
    known = next((one for one in (*admissions, *revisions) if standing == _members(one[0])), None)
    if known is not None and standing:
        pool, axis = known[0]["pool"], (known[0]["node"], known[1])
        delta, headroom = Fraction(pool["delta"]), Fraction(pool["headroom"])
        counts = dict(reader.rows(NULL, axis))
        found |= {"delta": delta, "flags": pool["flags"], "p": _p(counts)}
        found["headroom_share"] = delta / headroom if headroom else None
    return found


def _members(considered: dict[str, Any]) -> set[str]:
    """The pool that a decision has scored; empty where nothing was left of it."""
    return set(considered.get("pool", {}).get("members", ()))


def _p(counts: dict[str, int]) -> Fraction | None:
    """(1 + #{null >= observed}) / (b + 1)."""
    if "resamples" not in counts:
        return None
    return Fraction(1 + counts.get("at_least", 0), 1 + counts["resamples"])
