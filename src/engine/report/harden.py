"""What a report of a harden run is computed from: the run's facts, as plain values.

`harden_read` fills these from a run's file; the table modules turn them into tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from ..stats.entropy import (
    class_counts,
    mean_logprob,
    mean_token_nll,
    normalised_entropy,
    sequence_nll,
    weighted_entropy,
)
from .labels import Labelled

SEARCH_GATES = ("validity", "evidence", "correctness", "realism")
GATES = (*SEARCH_GATES, "final_audit")
"""In the order in which a candidate meets them; the last one only before a promotion."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One graded response; `cls` is None where it could not be parsed."""

    score: Fraction
    cls: str | None
    logprob_sum: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Scoring:
    """All T responses to one version of a case; a scoring with a response missing is none."""

    samples: tuple[Sample, ...]

    @property
    def score(self) -> Fraction:
        """Mean grade, exact."""
        return sum((sample.score for sample in self.samples), Fraction(0)) / len(self.samples)

    def entropy(self, base: int) -> float | None:
        """Normalised discrete semantic entropy (HARDEN, A.4)."""
        return normalised_entropy(class_counts(s.cls for s in self.samples), base)

    def weighted_entropy(self, base: int) -> float | None:
        """Likelihood-weighted semantic entropy; None where a sample has no log-probs."""
        means = [mean_logprob(s.logprob_sum, s.tokens) for s in self.samples]
        return weighted_entropy([s.cls for s in self.samples], means, base)


@dataclass(frozen=True, slots=True)
class Version:
    """A case as it was or became.

    `selection` are the responses that the search chose by, `fresh` those that it never saw,
    `greedy` the completion at temperature 0.
    """

    node: str
    selection: Scoring | None = None
    fresh: Scoring | None = None
    greedy: Sample | None = None

    @property
    def sequence_nll(self) -> float | None:
        """Negative log-likelihood of the greedy completion; None without log-probs."""
        return sequence_nll(self.greedy.logprob_sum) if self.greedy else None

    @property
    def token_nll(self) -> float | None:
        """The same per token."""
        greedy = self.greedy
        return mean_token_nll(greedy.logprob_sum, greedy.tokens) if greedy else None


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """One case. `outcome` of a finished case is hardened, kept, unimprovable or failed.

    `state` is the unit's: open, done or parked. Where nothing was promoted `after` is `before`.
    """

    id: str
    ord: int
    state: str
    outcome: str = ""
    reason: str = ""
    before: Version | None = None
    after: Version | None = None
    axes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One mutation, and how far it came.

    `gates` has the final outcome of each gate it reached, `votes` the votes cast there, `silent`
    those of them that gave no verdict (refused, or failed for good). `score` is a lower bound
    where it was raced out. `careless` is the offline mutator's own tag, None for other mutators.
    """

    node: str
    case: str
    axis: str | None
    state: str
    generation: int = 1
    gates: Mapping[str, str] = field(default_factory=dict)
    votes: Mapping[str, int] = field(default_factory=dict)
    silent: Mapping[str, int] = field(default_factory=dict)
    score: Fraction | None = None
    parent_score: Fraction | None = None
    rollouts: int = 0
    greedy: bool = False
    careless: bool | None = None
    vetoed: bool = False

    @property
    def discarded_by(self) -> str | None:
        """The gate that ended it; None where none did. A gate that warns lets pass."""
        return next((g for g in GATES if self.gates.get(g, "pass") != "pass"), None)

    @property
    def passed(self) -> bool:
        """Whether it got past all gates of the search, collapsed ones included."""
        return self.gates.get(SEARCH_GATES[-1]) == "pass"

    @property
    def improved(self) -> bool:
        """Whether it is harder than its parent without having collapsed."""
        if self.score is None or self.parent_score is None:
            return False
        return 0 < self.score < self.parent_score


@dataclass(frozen=True, slots=True)
class Spend:
    """Calls of one role to one model. Tokens and cost are sums over what is known.

    `unknown_cost` counts completed calls whose cost nobody could say.
    """

    role: str
    model: str
    calls: int
    failed: int = 0
    input: int | None = None
    cached_input: int | None = None
    output: int | None = None
    cost: Decimal | None = None
    unknown_cost: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings that tables need: T rollouts, K votes, G generations, class base B."""

    rollouts: int
    votes: int
    generations: int
    base: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """How held-out real records of one source fared under the frozen rubric (HARDEN, A.5.2)."""

    source: str
    records: int
    met: int
    mean_score: Fraction | None
    target_met: bool


@dataclass(frozen=True, slots=True)
class HardenRun:
    """Everything that the tables of one run are made from.

    `purposes` counts completed calls by purpose, `searched` those of each searched case beyond
    what a case that is not searched buys as well.
    """

    name: str
    benchmark: str
    recipe: Recipe
    cases: tuple[CaseFacts, ...]
    candidates: tuple[Candidate, ...]
    spend: tuple[Spend, ...]
    purposes: Mapping[str, int] = field(default_factory=dict)
    searched: Mapping[str, int] = field(default_factory=dict)
    calibration: tuple[Calibration, ...] = ()
    labels: tuple[Labelled, ...] = ()

    @property
    def done(self) -> list[CaseFacts]:
        """Finished cases that count in means, in source order."""
        return [case for case in self.cases if case.state == "done" and case.outcome != "failed"]

    @property
    def hardened(self) -> list[CaseFacts]:
        """Cases with a promoted candidate, in source order."""
        return [case for case in self.done if case.outcome == "hardened"]
