"""What a transformation operator is: typed arguments, a family, a pure function of the protocol."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

FAMILIES = ("identifiers", "layout", "tool schema", "order", "serialisation")
"""The transformation families (design: decisions.md, chase, ranking keys)."""

Family: TypeAlias = Literal["identifiers", "layout", "tool schema", "order", "serialisation"]
A = TypeVar("A", bound="OperatorArguments")


class OperatorArguments(BaseModel):
    """An operator's arguments: closed and typed; unknown ones are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class Operator(Generic[A]):
    """One allow-listed operator of an environment.

    `apply(arguments, protocol)` gives the changed protocol. It gets nothing else: questions,
    answers, evidence and splits are out of its reach. `features` are the protocol features that it
    may change; `reversible` says that the firewall must get the original back by undoing them.
    """

    name: str
    family: Family
    features: frozenset[str]
    description: str
    arguments: type[A]
    apply: Callable[[A, Any], Any]
    reversible: bool = True


Catalogue: TypeAlias = Mapping[str, Operator[Any]]
"""An environment's allow list: operators by name."""


def catalogue(*operators: Operator[Any]) -> Catalogue:
    """An allow list of the given operators."""
    return {operator.name: operator for operator in operators}


def described(operators: Catalogue) -> list[dict[str, Any]]:
    """The catalogue as the Challenger reads it: names, families, features, argument schemas."""
    return [
        {
            "operator": operator.name,
            "family": operator.family,
            "features": sorted(operator.features),
            "description": operator.description,
            "arguments": operator.arguments.model_json_schema(),
        }
        for operator in operators.values()
    ]
