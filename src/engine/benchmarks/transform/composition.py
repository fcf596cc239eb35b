"""A transformation: an ordered list of allow-listed operators with normalised arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from ...canonical import canonical_json, sha256
from ...errors import DataError
from ...model.llm import Json
from ..environment import Environment
from .operators import Catalogue, Operator, OperatorArguments

LONGEST = 6
"""Operators in one transformation."""


class Transform(Protocol):
    """Whatever the firewall can judge: a composition, or a control that is no composition."""

    @property
    def declared(self) -> frozenset[str]:
        """The protocol features that it says it changes."""
        ...

    @property
    def listed(self) -> bool:
        """Whether it consists of allow-listed operators only."""
        ...

    def apply(self, env: Environment) -> Environment:
        """The environment changed by it."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One operator with its parsed arguments."""

    operator: Operator[Any]
    arguments: OperatorArguments

    def plain(self) -> dict[str, Json]:
        """Name and arguments, defaults filled in."""
        return {"operator": self.operator.name, "arguments": self.arguments.model_dump(mode="json")}


@dataclass(frozen=True, slots=True)
class Composition:
    """Operators applied in order. No step is the identity."""

    steps: tuple[Step, ...]
    stated: frozenset[str] | None = None
    """The features that the proposal declares; None: those of its operators."""

    @property
    def features(self) -> frozenset[str]:
        """What its operators can change, whatever the proposal says."""
        return frozenset[str]().union(*(step.operator.features for step in self.steps))

    @property
    def declared(self) -> frozenset[str]:
        """What it may change."""
        return self.features if self.stated is None else self.stated

    @property
    def listed(self) -> bool:
        """Always: `parse` takes nothing else."""
        return True

    @property
    def family(self) -> tuple[str, ...]:
        """The set of families that its operators touch, sorted."""
        return tuple(sorted({step.operator.family for step in self.steps}))

    @property
    def kinds(self) -> frozenset[str]:
        """The names of its operators, for archive novelty."""
        return frozenset(step.operator.name for step in self.steps)

    def apply(self, env: Environment) -> Environment:
        """The environment under the changed protocol; operators see the protocol alone."""
        protocol = env.protocol
        for step in self.steps:
            protocol = step.operator.apply(step.arguments, protocol)
        return env.with_protocol(protocol)

    def plain(self) -> list[Json]:
        """The normalised operator list."""
        return [step.plain() for step in self.steps]

    @property
    def hash(self) -> str:
        """SHA-256 of the normalised operator list: the duplicate screen's key."""
        return sha256(canonical_json(self.plain()).encode())

    def then(self, other: "Composition") -> "Composition":
        """This one followed by another."""
        stated = None
        if self.stated is not None or other.stated is not None:
            stated = self.declared | other.declared
        return Composition(self.steps + other.steps, stated)


IDENTITY = Composition(())
"""B_rel's own transformation."""


def parse(spec: Json, operators: Catalogue) -> Composition:
    """The composition that a proposal's transformation spec describes.

    `{"operators": [{"operator": name, "arguments": {...}}], "declares": [feature, ...]}`, the last
    optional. Raises DataError, saying which operator, where one is not allow-listed, its arguments
    do not fit its schema, or there are too many.
    """
    if not isinstance(spec, dict) or not isinstance(spec.get("operators"), list):
        raise DataError("transformation: an object with a list of operators is needed")
    if unknown := set(spec) - {"operators", "declares"}:
        raise DataError(f"transformation: {sorted(unknown)[0]!r} is no part of it; leave it out")
    listed = spec["operators"]
    assert isinstance(listed, list)
    if len(listed) > LONGEST:
        raise DataError(f"transformation: {len(listed)} operators; give at most {LONGEST}")
    steps = tuple(_step(entry, number, operators) for number, entry in enumerate(listed, 1))
    return Composition(steps, _stated(spec.get("declares"), operators))


def _stated(value: Json, operators: Catalogue) -> frozenset[str] | None:
    if value is None:
        return None
    known = frozenset[str]().union(*(operator.features for operator in operators.values()))
    if not isinstance(value, list) or not all(isinstance(f, str) and f in known for f in value):
        raise DataError(f"transformation, declares: give features among {', '.join(sorted(known))}")
    return frozenset(str(feature) for feature in value)


def _step(entry: Json, number: int, operators: Catalogue) -> Step:
    where = f"transformation, operator {number}"
    if not isinstance(entry, dict) or set(entry) - {"operator", "arguments"}:
        raise DataError(f"{where}: an object with operator and arguments is needed")
    name = entry.get("operator")
    if not isinstance(name, str) or name not in operators:
        raise DataError(f"{where}: {name!r} is not allow-listed; use {', '.join(operators)}")
    operator = operators[name]
    return Step(operator, _arguments(operator, entry.get("arguments") or {}, where))


def _arguments(operator: Operator[Any], value: Json, where: str) -> OperatorArguments:
    try:
        arguments: OperatorArguments = operator.arguments.model_validate(value)
        return arguments
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"])) or "arguments"
        raise DataError(f"{where}, {at}: {first['msg']}; see the catalogue's schema") from error


def compose(operators: Catalogue, *steps: tuple[str, Mapping[str, Json]]) -> Composition:
    """A composition from (operator name, arguments) pairs; raises DataError as `parse` does."""
    listed: Sequence[Json] = [{"operator": n, "arguments": dict(a)} for n, a in steps]
    return parse({"operators": list(listed)}, operators)
