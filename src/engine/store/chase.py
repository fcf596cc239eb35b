"""What a chase run has to show: its archive as the harness x benchmark matrix, and its effect."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from .reader import Reader

DECISIONS = "SELECT unit, step, kind, considered, chosen, reason, vetoes FROM decision ORDER BY seq"
ROWS = "SELECT unit, step, kind, considered, chosen FROM decision WHERE step = ? ORDER BY seq"
METHODS = ("raw", "compass", "b0", "chase")
"""The methods in the order of the paper's tables; what is no method stands before them."""
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision as it was recorded."""

    unit: str
    step: str
    kind: str
    considered: tuple[Mapping[str, Any], ...]
    chosen: tuple[str, ...]
    reason: str
    vetoes: tuple[str, ...]


def by_method(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """What is kept by method in the paper's order; a stored result has its keys sorted."""
    return dict(sorted(entries.items(), key=lambda entry: METHODS.index(entry[0])
                       if entry[0] in METHODS else -1))  # fmt: skip


def read_choices(reader: Reader) -> tuple[Choice, ...]:
    """All decisions in order. Raises StoreError."""
    return tuple(
        Choice(u, s, k, tuple(json.loads(c)), tuple(json.loads(h)), r, tuple(json.loads(v)))
        for u, s, k, c, h, r, v in reader.rows(DECISIONS)
    )


def chase_archive(reader: Reader) -> dict[str, Any]:
    """`show archive --json` of a chase run: benchmarks with what admitted them, and harnesses.

    Gains and Deltas are exact; a harness stands as the last decision measured it, so one that was
    never measured under a later counterfactual lacks that gain.
    """
    settings = json.loads(reader.meta().get("config", "{}")).get("chase", {})
    return {
        "epsilon": _threshold(settings.get("epsilon")),
        "eta": _threshold(settings.get("eta")),
        "benchmarks": [_released(), *_benchmarks(reader)],
        "harnesses": _harnesses(reader),
    }


def _threshold(value: object) -> Fraction | str | None:
    """As set: exact, or the word that stands for the theory's."""
    try:
        return None if value is None else Fraction(str(value))
    except ValueError:
        return str(value)


def _released() -> dict[str, Any]:
    return {
        "id": "rel", "family": None, "admitted": 0, "delta_disc": None, "delta_conf": None,
        "threshold": None, "vetoed": False,
    }  # fmt: skip


def _benchmarks(reader: Reader) -> list[dict[str, Any]]:
    found = []
    for unit, _, kind, considered, _ in reader.rows(ROWS, ("confirm",)):
        if kind != "archive":
            continue
        rows = json.loads(considered)
        last = rows[-1]
        disc = next((row["disc"] for row in rows if row.get("node") == last["node"]), None)
        node = reader.row("SELECT origin, vetoed FROM node WHERE id = ?", (last["node"],))
        origin = json.loads(node[0]) if node else {}
        found.append(
            {
                "id": last["node"],
                "family": ", ".join(origin.get("family", [])),
                "admitted": int(unit.rpartition("r")[2]),
                "delta_disc": None if disc is None else Fraction(disc),
                "delta_conf": Fraction(last["conf"]),
                "threshold": Fraction(last["threshold"]),
                "vetoed": bool(node and node[1]),
            }
        )
    return found


def _harnesses(reader: Reader) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    finals = reader.rows(ROWS, ("final",))
    best = json.loads(finals[-1][-1]) if finals else []
    for unit, step, _, considered, _ in [*reader.rows(ROWS, ("select",)), *finals]:
        if not unit.startswith("chase/") and step != "final":
            continue
        for row in json.loads(considered):
            gains = {name: Fraction(gain) for name, gain in row["gains"].items()}
            released = Fraction(row["g_rel"])
            found[row["node"]] = {
                "id": row["node"],
                "g_rel": released,
                "gains": gains,
                "deltas": {name: released - gain for name, gain in gains.items()},
                "feasible": row["feasible"],
                "binding": row["binding"],
                "chosen": row["node"] in best,
            }
    return list(found.values())


def chase_effect(reader: Reader) -> Mapping[str, Any]:
    """The effect of a chase run: on D_cert once it was opened, before that H*'s on D_evo."""
    empty: dict[str, Any] = dict.fromkeys(
        ("g_rel", "g_0", "delta_bs", "gamma", "g_min", "archive", "chosen")
    )
    row = reader.row("SELECT result FROM unit WHERE id = 'certification' AND state = 'done'")
    if row is not None and row[0]:
        result = json.loads(row[0])
        own = result["methods"].get("chase", {})
        names = ("g_rel", "g_0", "delta_bs", "gamma", "g_min")
        exact = {name: Fraction(own[name]) for name in names if name in own}
        return empty | exact | {"archive": len(result["archive"]), "chosen": own.get("harness")}
    archive = chase_archive(reader)
    chosen = next((one for one in archive["harnesses"] if one["chosen"]), None)
    empty["archive"] = sum(not one["vetoed"] for one in archive["benchmarks"])
    if chosen is not None:
        deltas = chosen["deltas"].values()
        empty |= {"chosen": chosen["id"], "g_rel": chosen["g_rel"], "gamma": max(deltas)}
        empty["g_min"] = min(chosen["gains"].values())
    return empty
