"""What the harden search reasons about: axes and their counts, the frozen rubric, a case's end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from .llm import Json

Priority = Literal["high", "normal", "low"]
REALISM_AXIS = "domain_specific_realism"
"""The axis that every catalogue has exactly once (HARDEN, A.5.3)."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A mutation strategy of the domain (HARDEN, A.2): one family of realistic changes."""

    axis_name: str
    definition: str
    goal: str
    distinctive_focus: str
    target_artifact_types: tuple[str, ...]
    subtypes: tuple[str, ...]
    prompt_guidance: tuple[str, ...]
    priority: Priority = "normal"

    def as_json(self) -> dict[str, Json]:
        """The axis as a catalogue file holds it."""
        return {
            "axis_name": self.axis_name,
            "definition": self.definition,
            "goal": self.goal,
            "distinctive_focus": self.distinctive_focus,
            "target_artifact_types": list(self.target_artifact_types),
            "subtypes": list(self.subtypes),
            "prompt_guidance": list(self.prompt_guidance),
            "priority": self.priority,
        }


@dataclass(frozen=True, slots=True)
class AxisCounts:
    """How often an axis was applied, passed all gates, and made a case harder."""

    applied: int = 0
    passed: int = 0
    improved: int = 0

    def __add__(self, other: "AxisCounts") -> "AxisCounts":
        return AxisCounts(
            self.applied + other.applied,
            self.passed + other.passed,
            self.improved + other.improved,
        )


@dataclass(frozen=True, slots=True)
class AxisTerms:
    """The terms of an axis's score (HARDEN, A.5.4), exact; penalties are negative and add up."""

    base: Fraction
    priority: Fraction
    no_improvement: Fraction
    low_pass_rate: Fraction
    lineage: Fraction
    bonus: Fraction

    @property
    def score(self) -> Fraction:
        """What axes are ranked by; higher first."""
        return (
            self.base
            + self.priority
            + self.no_improvement
            + self.low_pass_rate
            + self.lineage
            + self.bonus
        )


@dataclass(frozen=True, slots=True)
class RankedAxis:
    """An axis at its place (from 1) in the ranking, with what put it there."""

    axis: Axis
    counts: AxisCounts
    in_lineage: bool
    terms: AxisTerms
    rank: int


@dataclass(frozen=True, slots=True)
class Dimension:
    """One realism dimension on the scale 1 to 5."""

    id: str
    name: str
    description: str
    high_anchor: str
    low_anchor: str
    met_threshold: int
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RedFlag:
    """A sign of a synthetic input; a blocking one fails the case by itself."""

    id: str
    description: str
    blocking: bool
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """The realism rubric: a case passes if its mean reaches `minimum_mean_score`, every dimension
    its threshold, and no blocking flag is raised (HARDEN, A.1)."""

    dimensions: tuple[Dimension, ...]
    red_flags: tuple[RedFlag, ...]
    minimum_mean_score: Fraction


@dataclass(frozen=True, slots=True)
class Score:
    """A node's score over T rollouts, exact, with the sizes of its semantic classes."""

    value: Fraction
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How a case's search ended: what `finish_unit` keeps and every report reads.

    Scores are of the selection's T rollouts, `fresh_*` of T rollouts that no selection saw (None
    where they could not be had). `status` is hardened, kept, unimprovable or failed.
    """

    case: str
    shard: int
    status: Literal["hardened", "kept", "unimprovable", "failed"]
    original: str
    final: str | None
    reason: str = ""
    score_before: Fraction | None = None
    score_after: Fraction | None = None
    fresh_before: Fraction | None = None
    fresh_after: Fraction | None = None
    entropy_before: float | None = None
    entropy_after: float | None = None
    generations: int = 0
    skipped: bool = False
    survivors: tuple[str, ...] = ()
    axes: Mapping[str, AxisCounts] = field(default_factory=dict)
    saved_by_vote_stopping: int = 0
    saved_by_racing: int = 0
    skipped_by_futility: int = 0
    saved_greedy: int = 0

    def as_json(self) -> dict[str, Json]:
        """The result as a unit keeps it; fractions as texts like "3/10"."""
        values: dict[str, Json] = {}
        for name in self.__slots__:
            values[name] = _plain(getattr(self, name))
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Json]) -> "CaseResult":
        """The result back from what a unit keeps."""
        known: dict[str, object] = {name: values[name] for name in cls.__slots__ if name in values}
        for name in ("score_before", "score_after", "fresh_before", "fresh_after"):
            text = values.get(name)
            known[name] = Fraction(text) if isinstance(text, str) else None
        survivors, axes = values.get("survivors"), values.get("axes")
        known["survivors"] = tuple(survivors) if isinstance(survivors, list) else ()
        known["axes"] = _counts(axes) if isinstance(axes, dict) else {}
        return cls(**known)  # type: ignore[arg-type]


def _plain(value: object) -> Json:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [str(part) for part in value]
    if isinstance(value, Mapping):
        return {
            name: {"applied": c.applied, "passed": c.passed, "improved": c.improved}
            for name, c in value.items()
        }
    assert value is None or isinstance(value, bool | int | float | str)
    return value


def _counts(axes: Mapping[str, Json]) -> dict[str, AxisCounts]:
    found: dict[str, AxisCounts] = {}
    for name, entry in axes.items():
        assert isinstance(entry, dict)
        numbers = [int(str(entry[key])) for key in ("applied", "passed", "improved")]
        found[name] = AxisCounts(*numbers)
    return found
