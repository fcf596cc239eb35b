"""Who survives, who is the next parent, and when a case is not worth searching."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...model.harden import Score
from ...stats.entropy import uncertainty_key


@dataclass(frozen=True, slots=True)
class Contender:
    """A scored node at its place: `generation` 0 is the original."""

    node: str
    generation: int
    index: int
    score: Score


def sort_key(contender: Contender, base: int) -> tuple[Fraction, Fraction, int, int]:
    """What selection sorts by, smallest first (HARDEN, section 3 and A.5.1).

    Score; then higher normalised entropy (exact, capped at 1, for the class base `base`); then
    the newer generation, so that children come before survivors; then the individual's index.
    """
    score = contender.score
    uncertainty = uncertainty_key(score.counts, base)
    return score.value, uncertainty, -contender.generation, contender.index


def select(
    population: Iterable[Contender], children: Iterable[Contender], *, survivors: int, base: int
) -> tuple[Contender, ...]:
    """The survivors, best first; the first is the next parent.

    Children that score 0 have collapsed and are left out (HARDEN, Eq. 1); the original may stay
    with any score.
    """
    alive = [child for child in children if child.score.value > 0]
    ranked = sorted([*population, *alive], key=lambda contender: sort_key(contender, base))
    return tuple(ranked[:survivors])


def promotable(
    ranked: Sequence[Contender], original: Fraction, barred: frozenset[str]
) -> list[Contender]:
    """Who may replace the original, best first: strictly lower scores, nobody vetoed."""
    return [c for c in ranked if 0 < c.score.value < original and c.node not in barred]


def unimprovable(score: Fraction, rollouts: int, *, binary: bool) -> bool:
    """Futility: with 0/1 grades nothing lies strictly between 0 and 1/T, so a case that scores
    at most 1/T cannot get harder without collapsing."""
    return binary and score <= Fraction(1, rollouts)


def vetoed_closure(vetoed: frozenset[str], parents: Mapping[str, str | None]) -> frozenset[str]:
    """The nodes among `parents` (node to parent) that are vetoed or descend from a vetoed one.

    The original, which has no parent, cannot be vetoed.
    """
    barred: set[str] = set()
    for node in parents:
        chain = chain_to(node, parents)
        if any(link in vetoed and parents[link] is not None for link in chain):
            barred.add(node)
    return frozenset(barred)


def chain_to(node: str, parents: Mapping[str, str | None]) -> tuple[str, ...]:
    """The lineage of a node, from the original to the node itself."""
    chain = [node]
    while (parent := parents[chain[-1]]) is not None:
        chain.append(parent)
    return tuple(reversed(chain))
