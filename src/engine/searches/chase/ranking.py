"""Which of a round's proposals are tried on D_disc, and which is confirmed (CHASE, B.2)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

MOST_TRIED = 2


@dataclass(frozen=True, slots=True)
class Proposal:
    """An admitted proposal with its ranking keys: exact shares, higher first.

    `family` is the set of protocol parts that its operators touch; `order` its place among the
    Challenger's eight.
    """

    id: str
    order: int
    family: frozenset[str]
    fixture_change: Fraction
    activation: Fraction
    vulnerability: Fraction
    novelty: Fraction

    @property
    def key(self) -> tuple[Fraction, Fraction, Fraction, Fraction, int]:
        """Sorts better proposals first."""
        return (
            -self.fixture_change, -self.activation, -self.vulnerability, -self.novelty, self.order,
        )  # fmt: skip


def ranked(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Best first."""
    return sorted(proposals, key=lambda proposal: proposal.key)


def to_try(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The best, and the best of another family if there is one."""
    order = ranked(proposals)
    others = [one for one in order[1:] if one.family != order[0].family]
    return [*order[:1], *others[: MOST_TRIED - 1]]


def most_destructive(tried: Sequence[tuple[Proposal, Fraction]]) -> Proposal:
    """Of the tried ones, in rank order, the one with the larger gain destruction; ties by rank."""
    return max(tried, key=lambda pair: pair[1])[0]


def share(part: int, whole: int) -> Fraction:
    """part / whole, 0 of nothing."""
    return Fraction(part, whole) if whole else Fraction(0)


def novelty(kinds: Collection[str], archived: Iterable[Collection[str]]) -> Fraction:
    """1 - the largest Jaccard similarity of operator kinds with an archived transformation."""
    own = set(kinds)
    similar = [share(len(own & set(other)), len(own | set(other))) for other in archived]
    return 1 - max(similar, default=Fraction(0))
