"""A task, its visible checks and hidden suites, and a candidate answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ...model.llm import Json

Arguments: TypeAlias = tuple[Any, ...]

Dataset = Literal["humaneval", "mbpp", "own", "bundle"]


@dataclass(frozen=True, slots=True)
class Example:
    """A visible check of the plain kind: the entry point on `arguments` gives `expected`."""

    arguments: Arguments
    expected: Any


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    `reference` is a whole program; expected outputs are what it gives on `base` and `plus`, the
    hidden suite's two halves. `visible` are assert statements that the solver sees too. `atol` is
    EvalPlus's absolute tolerance. For a bundle the programs are empty and `fields` is the record.
    """

    id: str
    dataset: Dataset
    prompt: str
    entry: str
    reference: str
    visible: tuple[str, ...]
    base: tuple[Arguments, ...]
    plus: tuple[Arguments, ...] = ()
    atol: float = 0.0
    fields: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer to a task: a program, or any text in a bundle; `place` counts in the task."""

    task: str
    place: int
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """What the checks say of a candidate; right needs both halves of the hidden suite.

    `detail` has the sandbox's word where a suite did not run to its end.
    """

    visible: bool
    base: bool
    plus: bool
    detail: str = ""
    near_limit: bool = False

    @property
    def correct(self) -> bool:
        """Whether the candidate is right."""
        return self.base and self.plus
