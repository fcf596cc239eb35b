"""What a benchmark gives a search: cases, mutable parts, prompts, grading, validation, export."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from ..model.llm import Json


@dataclass(frozen=True, slots=True)
class Case:
    """One evaluation case.

    `fields` are the inputs by name (strings, lists, tables), of which `Benchmark.mutable` names
    those that may change; `expected` is what the grader reads; `source` the untouched record.
    """

    id: str
    fields: Mapping[str, Json]
    expected: Json
    source: Json = None
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grade:
    """The official verdict on one response.

    `score` is exact in [0, 1]; `cls` the semantic class as text (None: unparsed, one class of its
    own); `parsed` what was read from the response. `tolerant` is what a tolerant reading would
    say, shown beside the score and never mixed in; `equivalent` FinQA's program equivalence.
    """

    score: Fraction
    cls: str | None
    parsed: str | None
    problem: str | None = None
    tolerant: bool | None = None
    equivalent: bool | None = None


class Benchmark(Protocol):
    """One benchmark, loaded. All methods are pure."""

    name: str
    mutable: tuple[str, ...]
    entropy_base: int | None
    """Number of classes that entropy is normalised by; None: the number of samples T."""
    max_grade: Fraction
    binary: bool
    """Whether every grade is 0 or 1 (needed for the futility skip)."""

    @property
    def cases(self) -> Sequence[Case]:
        """All cases in source order."""
        ...

    def describe(self) -> Mapping[str, Json]:
        """Use case, field schemas, task instructions: target-blind facts for the rubric call.

        Holds no case text, label or score.
        """
        ...

    def prompt(self, case: Case) -> str:
        """The task model's user message for this case."""
        ...

    def instructions(self) -> str:
        """The immutable part of the prompt, without case text: the audits' baseline prompt."""
        ...

    def grade(self, case: Case, response: str) -> Grade:
        """Grade a whole response."""
        ...

    def gold_summary(self, case: Case) -> Mapping[str, Json]:
        """The expected output as mutation and extraction models may see it."""
        ...

    def with_fields(self, case: Case, changes: Mapping[str, Json]) -> Case:
        """A copy with mutable fields replaced, rebuilt from the immutable snapshot.

        Raises DataError, with the reason in one line, where a change names an immutable field,
        has the wrong type or schema, or does not parse.
        """
        ...

    def validate(self, case: Case) -> list[str]:
        """What is wrong with the case as this benchmark sees it; empty if nothing is."""
        ...

    def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
        """Values the gold output needs that no longer stand in the input.

        None where a program cannot tell for this benchmark.
        """
        ...

    def export(self, cases: Sequence[Case], path: Path) -> list[Path]:
        """Write the cases in the source's own format; returns the files written.

        `path` is the file where its name has a suffix (`.gz` packs it), else a folder that gets
        the format's usual name. `load` reads the first file returned.
        """
        ...
