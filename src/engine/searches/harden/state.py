"""What a case's search carries from one step to the next."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ...benchmarks.base import Benchmark, Case
from ...context import Context
from ...gates.correctness import Extraction
from ...gates.ruling import Ruling
from ...model.core import Rollout
from ...model.harden import Axis, AxisCounts, Score
from ...stats.entropy import class_counts, normalised_entropy
from .rubric import FrozenRubric
from .selection import Contender, chain_to
from .settings import HardenSettings
from .setup import HardenSetup, Profile

CONTEXT = "task"
"""The rollouts' context: the profile of the task model under test."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What all cases of a run share."""

    ctx: Context
    setup: HardenSetup
    axes: tuple[Axis, ...]
    rubric: FrozenRubric

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of the run."""
        return self.setup.benchmark

    @property
    def settings(self) -> HardenSettings:
        """The settings of the run."""
        return self.setup.settings

    @property
    def entropy_base(self) -> int:
        """The number of classes that entropies are normalised by: the task's, else T."""
        return self.benchmark.entropy_base or self.settings.rollouts

    def profile(self, role: str) -> Profile:
        """The model behind a role."""
        return self.setup.profiles[role]


@dataclass(frozen=True, slots=True)
class Variant:
    """A case variant. `case` is None where the proposal was no valid case."""

    node: str
    parent: str | None
    generation: int
    index: int
    case: Case | None
    axis: str | None = None
    subtypes: tuple[str, ...] = ()
    description: str = ""


@dataclass(slots=True)
class CaseState:
    """One case's search so far. `base_counts` are the axis counts that it began with."""

    unit: str
    shard: int
    original: Variant
    base_counts: Mapping[str, AxisCounts]
    variants: dict[str, Variant] = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    population: tuple[Contender, ...] = ()
    counts: dict[str, AxisCounts] = field(default_factory=dict)
    extractions: dict[str, Extraction | Ruling] = field(default_factory=dict)
    held: dict[str, bool] = field(default_factory=dict)
    saved: Counter[str] = field(default_factory=Counter)
    generations: int = 0
    skipped: bool = False

    @property
    def parents(self) -> dict[str, str | None]:
        """Each variant's parent; None for the original."""
        return {node: variant.parent for node, variant in self.variants.items()}

    @property
    def baseline(self) -> Fraction:
        """The original's score."""
        return self.scores[self.original.node].value

    def add(self, variant: Variant) -> None:
        """Take a variant into the lineage."""
        self.variants[variant.node] = variant

    def contender(self, node: str) -> Contender:
        """A scored variant as selection sees it."""
        variant = self.variants[node]
        return Contender(node, variant.generation, variant.index, self.scores[node])

    def chain(self, node: str) -> tuple[Variant, ...]:
        """The variants from the original to `node`."""
        return tuple(self.variants[link] for link in chain_to(node, self.parents))

    def lineage_axes(self, node: str) -> frozenset[str]:
        """The axes that were applied on the way to `node`."""
        return frozenset(v.axis for v in self.chain(node) if v.axis is not None)

    def axis_counts(self) -> dict[str, AxisCounts]:
        """The counts that the next ranking reads."""
        total = dict(self.base_counts)
        for axis, counts in self.counts.items():
            total[axis] = total.get(axis, AxisCounts()) + counts
        return total

    def count(self, axis: str | None, counts: AxisCounts) -> None:
        """Add to an axis's counts in this case."""
        if axis is not None:
            self.counts[axis] = self.counts.get(axis, AxisCounts()) + counts


def node_id(case: str, generation: int, index: int) -> str:
    """The virtual path of a variant: `case/g2/i3`, the original `case/g0/i0`."""
    return f"{case}/g{generation}/i{index}"


def case_of(variant: Variant) -> Case:
    """The case of a variant that passed the validity gate."""
    assert variant.case is not None, f"{variant.node} has no case"
    return variant.case


def score_of(rollouts: list[Rollout], total: int) -> Score | None:
    """The exact score over `total` rollouts; None while one is missing or could not be had."""
    grades = [rollout.score for rollout in rollouts if rollout.score is not None]
    if len(grades) < total:
        return None
    value = sum(grades, Fraction(0)) / total
    return Score(value, class_counts(rollout.cls for rollout in rollouts))


def entropy_of(score: Score, base: int) -> float | None:
    """The normalised semantic entropy that screens show; selection uses the exact key."""
    return normalised_entropy(score.counts, base)
