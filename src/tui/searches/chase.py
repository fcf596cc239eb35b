"""What a chase run's file says, as the screens need it: rounds, harnesses, counterfactuals."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ...engine.store.chase import Choice, read_choices
from ...engine.store.listings import NODES
from ...engine.store.reader import Reader
from ...engine.store.views import NodeRow
from .chase_progress import Progress, read_progress

BASE = "H0"
GATES = ("schema", "generalization", "firewall", "activity", "duplicate")
_UNITS = "SELECT id, state, reason, result FROM unit ORDER BY ord"
_VERDICTS = "SELECT node, gate, outcome FROM verdict WHERE vote = -1 ORDER BY seq"


@dataclass(frozen=True, slots=True)
class Stage:
    """A round, or the run's start, final choice or certification."""

    id: str
    state: str
    reason: str
    result: Mapping[str, Any]

    @property
    def method(self) -> str:
        """Whose round it is; empty for what all methods share."""
        return self.id.partition("/")[0] if "/" in self.id else ""

    @property
    def round(self) -> int:
        """The round's number, 0 where it is none."""
        return round_of(self.id)


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a counterfactual after the firewall, as far as it came.

    `harness` is the one it was tried against.
    """

    rank: int | None = None
    of: int = 0
    keys: Mapping[str, Any] = field(default_factory=dict)
    tried: bool = False
    disc: Fraction | None = None
    conf: Fraction | None = None
    pairs: int = 0
    threshold: Fraction | None = None
    archived: bool = False
    harness: str | None = None
    round: int = 0


@dataclass
class Facts:
    """The run as far as it has come. `measured` is each harness as the last decision saw it."""

    stages: list[Stage] = field(default_factory=list)
    nodes: dict[str, NodeRow] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    gates: dict[str, dict[str, str]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    progress: dict[str, Progress] = field(default_factory=dict)
    measured: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    trials: dict[str, Trial] = field(default_factory=dict)

    def choice(self, unit: str, step: str) -> Choice | None:
        """A unit's decision of that step."""
        found = (one for one in self.choices if one.unit == unit and one.step == step)
        return next(found, None)

    @property
    def epsilon(self) -> Fraction | None:
        """The largest gain destruction that a harness may have."""
        return share(self.settings.get("epsilon"))

    @property
    def methods(self) -> list[str]:
        """The methods in the configuration's order."""
        return list(dict.fromkeys(stage.method for stage in self.stages if stage.method))

    def rounds(self, method: str) -> list[Stage]:
        """A method's rounds."""
        return [stage for stage in self.stages if stage.method == method]

    def unconfirmed(self) -> list[str]:
        """The rounds whose counterfactual was tested and not confirmed."""
        return [
            one.unit
            for one in self.choices
            if one.step == "confirm" and one.considered and one.kind != "archive"
        ]

    def adopted(self) -> set[str]:
        """Every harness that a round adopted."""
        return {
            node
            for one in self.choices
            if one.step == "select" and one.kind == "adopt"
            for node in one.chosen
        }


def round_of(unit: str) -> int:
    """The number of a round's unit, 0 where it is none."""
    number = unit.rpartition("/r")[2]
    return int(number) if "/r" in unit and number.isdecimal() else 0


def share(value: object) -> Fraction | None:
    """An exact share kept as text; None for anything that is none."""
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def points(value: Fraction | None, *, sign: bool = False) -> str:
    """A share in per cent with one place; a question mark where it is unknown."""
    if value is None:
        return "?"
    return f"{100 * float(value):+.1f}%" if sign else f"{100 * float(value):.1f}%"


def read_facts(reader: Reader) -> Facts:
    """Everything but texts, rollouts and calls: a few hundred rows. Raises StoreError."""
    config = json.loads(reader.meta().get("config", "{}"))
    stages = [
        Stage(unit, state, reason, json.loads(result) if result else {})
        for unit, state, reason, result in reader.rows(_UNITS)
    ]
    nodes = [
        NODES.make(row) for row in reader.rows(f"SELECT {NODES.columns} FROM node ORDER BY seq")
    ]
    facts = Facts(stages, {node.id: node for node in nodes}, read_choices(reader))
    facts.settings = config.get("chase", {})
    for node, gate, outcome in reader.rows(_VERDICTS):
        facts.gates.setdefault(node, {})[gate] = outcome
    facts.measured = measured(facts.choices)
    facts.trials = trials(facts.choices)
    open_units = [stage.id for stage in stages if stage.state == "open"]
    facts.progress = read_progress(reader, open_units, facts.settings)
    return facts


def measured(choices: Iterable[Choice]) -> dict[str, Mapping[str, Any]]:
    """Each harness with its gains as the last selection or the final choice saw them."""
    return {
        row["node"]: row
        for one in choices
        if one.step in ("select", "final")
        for row in one.considered
        if "gains" in row
    }


def trials(choices: Iterable[Choice]) -> dict[str, Trial]:
    """What became of each counterfactual; a later round's trial of the same one counts."""
    found: dict[str, Trial] = {}
    chosen: dict[str, str] = {}
    for one in choices:
        if one.step == "select" and one.chosen:
            chosen[one.unit] = one.chosen[0]
        elif one.step == "rank":
            found |= _ranked(one, chosen.get(one.unit))
        elif one.step == "confirm" and one.considered:
            found |= _confirmed(one, found)
    return found


def _ranked(one: Choice, harness: str | None) -> dict[str, Trial]:
    of, number = len(one.considered), round_of(one.unit)
    return {
        row["node"]: Trial(place, of, row, row["node"] in one.chosen, harness=harness, round=number)
        for place, row in enumerate(one.considered, 1)
    }


def _confirmed(one: Choice, before: Mapping[str, Trial]) -> dict[str, Trial]:
    found = {
        row["node"]: replace(before.get(row["node"], Trial()), tried=True, disc=share(row["disc"]))
        for row in one.considered
        if "disc" in row
    }
    last = one.considered[-1]
    if "conf" in last:
        found[last["node"]] = replace(
            found.get(last["node"], Trial()),
            conf=share(last["conf"]),
            pairs=last["pairs"],
            threshold=share(last["threshold"]),
            archived=one.kind == "archive",
        )
    return found
