"""A cegar run as the screens read it: targets, their attempts, what was decided."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...engine.store.listings import NODES
from ...engine.store.reader import Reader
from ...engine.store.views import NodeRow

if TYPE_CHECKING:
    from ...engine.report.cegar_live import Facts

GATES = ("author", "screens", "shrinks", "distinction", "rewritten", "admission")
"""The gates in their order; an ablation's own ones come last."""
STATE_STYLE = {
    "admitted": "accent", "rejected": "bad", "vetoed": "bad", "open": "ok", "abandoned": "warn",
    "parked": "warn", "failed": "bad", "passed": "ok", "starting": "dim",
}  # fmt: skip
WORDS = {"promoted": "admitted", "scored": "passed"}
"""States of operators that have a word of their own here."""


Outcome = tuple[str, str, Mapping[str, Any]]
"""A decision: its kind, its reason, and the first thing that it considered."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An authored operator: where it stopped, and what the admission gate saw of it."""

    node: NodeRow
    stopped: str
    reason: str
    figures: Mapping[str, Any]

    @property
    def word(self) -> str:
        """Its state in one word, a veto before everything."""
        if self.node.vetoed:
            return "vetoed"
        return WORDS.get(self.node.state, self.node.state)

    @property
    def admitted(self) -> bool:
        """Whether it came into the pool, whatever people did since."""
        return self.node.state == "promoted"

    @property
    def level(self) -> str:
        """The interface it was written for."""
        return str(self.node.origin.get("level", ""))

    @property
    def delta(self) -> Fraction | None:
        """What it changes by itself, where the gate was consulted."""
        return fraction(self.figures.get("delta"))


@dataclass(frozen=True, slots=True)
class Target:
    """A class that was, or is, to be split. `right` and `wrong` are None while unknown.

    `ended` is the word of its unit's result, `outcomes` its decisions as (kind, reason, pool).
    """

    unit: str
    state: str
    reason: str
    key: str
    right: int | None
    wrong: int | None
    fault: str
    ended: str
    attempts: tuple[Attempt, ...]
    outcomes: tuple[Outcome, ...]
    under_way: str

    @property
    def word(self) -> str:
        """What is to be said of it in one word."""
        return self.ended or self.state

    @property
    def size(self) -> int:
        """Members of the class; 0 while unknown."""
        return (self.right or 0) + (self.wrong or 0)

    @property
    def best(self) -> Fraction:
        """The largest Delta that the gate saw here."""
        return max((one.delta for one in self.attempts if one.delta), default=Fraction(0))


@dataclass(frozen=True)
class Search:
    """The whole search so far, as it was read. `beside` are units of ablations and baselines."""

    targets: tuple[Target, ...] = ()
    beside: tuple[Target, ...] = ()
    starting: tuple[NodeRow, ...] = ()
    ending: str = ""
    vetoed: frozenset[str] = field(default_factory=frozenset)

    @property
    def admitted(self) -> list[Attempt]:
        """Every attempt that was admitted, in order, vetoed ones too."""
        return [a for target in self.targets for a in target.attempts if a.admitted]

    @property
    def standing(self) -> list[str]:
        """The nodes of the pool as it stands, the starting one left out."""
        return [one.node.id for one in self.admitted if not one.node.vetoed]

    def admitted_before(self, unit: str) -> list[str]:
        """Operators that its own loop admitted on earlier targets, in order, vetoed ones too."""
        loop, _, number = unit.rpartition("-")
        places = range(1, int(number)) if number.isdecimal() else range(0)
        earlier = {f"{loop}-{place}" for place in places}
        return [
            one.node.id
            for target in (*self.targets, *self.beside)
            if target.unit in earlier
            for one in target.attempts
            if one.admitted
        ]


_UNITS = (
    "SELECT id, state, reason, result, kind FROM unit "
    "WHERE kind IN ('target', 'baseline') AND id <> 'baseline' ORDER BY ord, id"
)
_NODES = f"SELECT {NODES.columns} FROM node WHERE kind = 'operator' ORDER BY seq"
_VERDICTS = "SELECT node, gate, outcome, reason, detail_hash FROM verdict ORDER BY seq"
_DECISIONS = "SELECT unit, kind, reason, considered FROM decision ORDER BY seq"
_AUTHORED = (
    "SELECT unit, max(number), max(status NOT IN ('completed', 'failed')) FROM call "
    "WHERE purpose = 'author' GROUP BY unit"
)


def read_search(reader: Reader) -> Search:
    """Everything but the classes of targets that no decision has named yet."""
    nodes = [NODES.make(row) for row in reader.rows(_NODES)]
    last: dict[str, tuple[Any, ...]] = {row[0]: row for row in reader.rows(_VERDICTS)}
    decided = _decisions(reader)
    attempts: dict[str, list[Attempt]] = {}
    for node in nodes:
        if node.group != "start":
            own = _attempt(reader, node, last.get(node.id), decided.get(node.unit, ()))
            attempts.setdefault(node.unit, []).append(own)
    calls = {unit: (number, waits) for unit, number, waits in reader.rows(_AUTHORED)}
    units: dict[str, list[Target]] = {"target": [], "baseline": []}
    for *row, kind in reader.rows(_UNITS):
        of_unit = attempts.get(row[0], []), decided.get(row[0], []), calls.get(row[0])
        units[kind].append(_target(row, *of_unit))
    stop = next((reason for kind, reason, _ in decided.get("ending", []) if kind == "stop"), "")
    starting = tuple(node for node in nodes if node.group == "start" and node.index > 0)
    vetoed = frozenset(node.id for node in nodes if node.vetoed)
    return Search(tuple(units["target"]), tuple(units["baseline"]), starting, stop, vetoed)


def _decisions(reader: Reader) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for unit, kind, reason, considered in reader.rows(_DECISIONS):
        facts = json.loads(considered)
        found.setdefault(unit, []).append((kind, reason, facts[0] if facts else {}))
    return found


def _attempt(
    reader: Reader, node: NodeRow, last: tuple[Any, ...] | None, decided: Sequence[Outcome]
) -> Attempt:
    if last is None:  # merged from another run, whose gates are not in this file
        figures = next((facts for _, _, facts in decided if facts.get("node") == node.id), {})
        return Attempt(node, "", "", figures)
    _, gate, outcome, reason, detail = last
    told = json.loads(reader.text(detail)) if detail else {}
    figures = told if isinstance(told, dict) else {}
    return Attempt(node, gate if outcome != "pass" else "", reason, figures)


def _target(
    row: Sequence[Any],
    attempts: Sequence[Attempt],
    decided: Sequence[Outcome],
    call: tuple[int, int] | None,
) -> Target:
    unit, state, reason, result = row
    told = json.loads(result or "{}")
    named = next((facts for _, _, facts in decided if facts.get("class")), {})
    origin = attempts[-1].node.origin if attempts else {}
    key = named.get("class") or origin.get("target") or ""
    under_way = ""
    if state == "open" and call is not None and call[0] >= len(attempts):
        under_way = "is being authored" if call[1] else "is being tried"
    return Target(
        unit, state, reason, str(key), named.get("correct"), named.get("incorrect"),
        str(told.get("fault") or named.get("fault") or ""), str(told.get("ended") or ""),
        tuple(attempts), tuple(decided), under_way,
    )  # fmt: skip


def with_classes(search: Search, facts: "Facts") -> Search:
    """The search with the sizes and faults of classes that are still being tried."""
    loops = [
        tuple(_with_class(target, search, facts) for target in targets)
        for targets in (search.targets, search.beside)
    ]
    return replace(search, targets=loops[0], beside=loops[1])


def _with_class(target: Target, search: Search, facts: "Facts") -> Target:
    if not target.key or (target.right is not None and target.fault):
        return target
    spot = facts.target(target.key, search.admitted_before(target.unit), search.vetoed)
    if spot is None:
        return target
    faults = {fault.value for member in spot.incorrect if (fault := facts.kinds[member])}
    right, wrong = len(spot.correct), len(spot.incorrect)
    return replace(target, right=right, wrong=wrong, fault="; ".join(sorted(faults)))


def delta_text(delta: Fraction | None) -> str:
    """A change of selection accuracy with its sign, four places; empty if unknown."""
    return "" if delta is None else f"{float(delta):+.4f}"


def count_text(value: object) -> str:
    """A count; empty if unknown."""
    return "" if value is None else f"{value}"


def fraction(value: object) -> Fraction | None:
    """A stored fraction; None if there is none."""
    return None if value is None else Fraction(str(value))
