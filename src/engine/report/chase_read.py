"""A chase run as its report and the screens read it from the file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import median, quantiles
from typing import Any

from ..store.chase import Choice, by_method, read_choices
from ..store.reader import Reader
from .chase_scores import certified_rates, evolution_gains

TRIED = "FROM attempt a WHERE a.slot = c.slot"
TIMED = (
    f"FROM (SELECT c.*, coalesce(c.latency_s, 0) + coalesce((SELECT sum(a.wait_s) {TRIED}), 0) "
    f"AS wall, (SELECT count(*) {TRIED}) AS tries, c.status IN ('completed', 'failed') AS ended "
    "FROM call c) "
)
"""Calls with their model time and the waits before their retries, and how often each was tried."""
SUMS = (
    "sum(input_tokens + coalesce(cache_write_tokens, 0)), sum(cached_input_tokens), "
    "sum(output_tokens), sum(wall), "
    "iif(min(tries > 0 OR NOT ended), sum(tries), NULL)"
)
"""Tokens, time, and attempts, kept or not; NULL where the file has lost attempts of a call."""
ROLLOUT_TIME = (
    f"SELECT node, 1, {SUMS} {TIMED}WHERE unit = ? AND role = 'agent' "
    "GROUP BY node, purpose, number HAVING max(ended)"
)
UNIT_SUMS = f"SELECT unit, sum(status = 'completed'), {SUMS} {TIMED}GROUP BY unit, role"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A counterfactual that was confirmed or not: gain destruction on D_disc and D_conf."""

    node: str
    round: str
    description: str
    family: str
    disc: Fraction | None
    conf: Fraction
    pairs: int
    threshold: Fraction
    archived: bool
    vetoed: bool


@dataclass(frozen=True, slots=True)
class Use:
    """What a part of the run used: wall is model time, per rollout where it is certification.

    `done` are completed calls, or rollouts; `attempts` requests sent, None where unknown.
    """

    part: str
    done: int
    attempts: int | None
    tokens: int | None
    uncached: int | None
    seconds: float
    wall: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class ChaseRun:
    """Decisions in order, confirmations, what was used, and the certification's result.

    `evo_gains` are G_rel on D_evo of the certified harnesses, `rates` R on D_cert by harness and
    benchmark; both are empty before D_cert was opened. `kinds` are the round that proposed a
    harness, and as what: structural, guidance or integrated; H_0 has none.
    """

    name: str
    choices: tuple[Choice, ...]
    confirmations: tuple[Confirmation, ...]
    uses: tuple[Use, ...]
    certification: Mapping[str, Any] | None
    descriptions: Mapping[str, str]
    contested: tuple[str, ...]
    settings: Mapping[str, Any]
    benchmark: Mapping[str, Any] = field(default_factory=dict)
    evo_gains: Mapping[str, Fraction] = field(default_factory=dict)
    rates: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Choice]:
        """The decisions of these kinds."""
        return [choice for choice in self.choices if choice.kind in kinds]


def read_chase(reader: Reader) -> ChaseRun:
    """The run in a file, as far as it has come. Raises StoreError."""
    choices = read_choices(reader)
    nodes = {
        node: (description, json.loads(origin), bool(vetoed), unit)
        for node, description, origin, vetoed, unit in reader.rows(
            "SELECT id, description, origin, vetoed, unit FROM node"
        )
    }
    row = reader.row("SELECT result FROM unit WHERE id = 'certification' AND state = 'done'")
    meta = reader.meta()
    sealed = next((choice for choice in choices if choice.kind == "open_seal"), None)
    result = json.loads(row[0]) if row and row[0] else None
    if result:
        result["methods"] = by_method(result["methods"])
    fixed = [*(sealed.chosen if sealed else ()), *(result["archive"] if result else ())]
    config = json.loads(meta.get("config", "{}"))
    certified = [entry["harness"] for entry in result["methods"].values()] if result else []
    return ChaseRun(
        name=meta.get("name", reader.path.stem),
        choices=choices,
        confirmations=tuple(_confirmations(choices, nodes)),
        uses=tuple(_uses(reader, sealed)),
        certification=result,
        descriptions={node: description for node, (description, *_) in nodes.items()},
        kinds={
            node: (unit, origin["kind"])
            for node, (_, origin, _, unit) in nodes.items()
            if "kind" in origin
        },
        contested=tuple(node for node in fixed if node in nodes and nodes[node][2]),
        settings=config.get("chase", {}),
        benchmark=config.get("benchmark", {}),
        evo_gains=evolution_gains(reader, certified) if result else {},
        rates=certified_rates(reader) if result else {},
    )


def _confirmations(
    choices: tuple[Choice, ...], nodes: Mapping[str, tuple[str, Any, bool, str]]
) -> list[Confirmation]:
    found = []
    for choice in choices:
        if choice.step != "confirm" or not choice.considered:
            continue
        disc = {row["node"]: row["disc"] for row in choice.considered if "disc" in row}
        last = choice.considered[-1]
        description, origin, vetoed, _ = nodes.get(last["node"], ("", {}, False, ""))
        found.append(
            Confirmation(
                last["node"], choice.unit, description, ", ".join(origin.get("family", [])),
                Fraction(disc[last["node"]]) if last["node"] in disc else None,
                Fraction(last["conf"]), last["pairs"], Fraction(last["threshold"]),
                choice.kind == "archive", vetoed,
            )
        )  # fmt: skip
    return found


def _uses(reader: Reader, sealed: Choice | None) -> list[Use]:
    """Search by method, then certification by method: tables C.8 and C.7."""
    search: dict[str, list[tuple[Any, ...]]] = {}
    for unit, *sums in reader.rows(UNIT_SUMS):
        if unit != "certification":
            method = unit.split("/")[0]
            search.setdefault("chase" if method == "final" else method, []).append(tuple(sums))
    found = [_use(f"search: {part}", rows) for part, rows in by_method(search).items()]
    rollouts: dict[str, list[tuple[Any, ...]]] = {}
    for node, *sums in reader.rows(ROLLOUT_TIME, ("certification",)):
        rollouts.setdefault(node, []).append(tuple(sums))
    for row in sealed.considered if sealed else ():
        rows = rollouts.get(row["node"], [])
        if rows:
            found.append(_use(f"certification: {row['method']}", rows, spread=True))
    return found


def _use(part: str, rows: list[tuple[Any, ...]], spread: bool = False) -> Use:
    given, cached, output = (_sum(row[k] for row in rows) for k in (1, 2, 3))
    seconds = [float(row[4] or 0.0) for row in rows]
    wall = None
    if spread and len(seconds) > 1:
        low, _, high = quantiles(seconds, n=4, method="inclusive")
        wall = (median(seconds), low, high)
    fresh = None if given is None or output is None else given + output
    whole = None if fresh is None else fresh + (cached or 0)
    uncached = None if cached is None else fresh
    tries = [row[5] for row in rows]
    attempts = None if None in tries else sum(tries)
    return Use(part, sum(row[0] for row in rows), attempts, whole, uncached, sum(seconds), wall)


def _sum(values: Iterable[int | None]) -> int | None:
    """The sum of what is known, None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
