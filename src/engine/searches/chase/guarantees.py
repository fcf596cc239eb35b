"""What a run's numbers say about the neutral benchmark (CHASE, section 4 and appendix A).

Reported, never read by a decision, but for `eta_from_theory`, which is rounded to a decimal.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

S = TypeVar("S", bound=Hashable)
MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """Theorem 1: with probability 1 - alpha/2, Delta_BS <= `destroyed` and G_0 >= `gain`.

    A bound beyond what gains can be at all says nothing: `vacuous_*`.
    """

    k: int
    s_delta: float
    s_gain: float
    destroyed: float
    gain: float

    @property
    def vacuous_destroyed(self) -> bool:
        """Whether the bound on Delta_BS holds for any harness."""
        return self.destroyed >= 2

    @property
    def vacuous_gain(self) -> bool:
        """Whether the bound on G_0 holds for any harness."""
        return self.gain <= -1


def theorem_1(
    *, k: int, m: int, n: int, alpha: float, gamma: float, least: float, rho: float = 0.0
) -> Bounds:
    """The bounds from K, m = |A|, n = |D_cert|, and the empirical Gamma and smallest gain."""
    s_delta = math.sqrt(8 * math.log(4 * m / alpha) / n)
    s_gain = math.sqrt(2 * math.log(4 * m / alpha) / n)
    destroyed = k * (gamma + s_delta) + (k - 1) * rho
    gain = least - s_gain - (k - 1) * (gamma + s_delta + rho)
    return Bounds(k, s_delta, s_gain, destroyed, gain)


def confirmation_width(rounds: int, n: int, alpha: float) -> float:
    """x_t, the width of round t's confirmation on n tasks (A.1)."""
    return math.sqrt(8 * math.log(8 * rounds / alpha) / n)


def eta_from_theory(
    *, epsilon: Fraction, gamma: Fraction, rounds: int, n: int, alpha: float
) -> Fraction:
    """The confirmation threshold epsilon + gamma + x_t, x_t to six decimals."""
    return epsilon + gamma + Fraction(f"{confirmation_width(rounds, n, alpha):.6f}")


def search_width(sizes: Mapping[str, int], complexity: float, alpha: float) -> float:
    """r: the largest deviation on D_evo and D_disc, given their stated Rademacher complexity."""
    return max(2 * complexity + math.sqrt(8 * math.log(8 / alpha) / n) for n in sizes.values())


def stopping_bound(eta: float, x: float, r: float) -> float:
    """Theorem 3: sup Delta over the valid family after a round that confirmed nothing.

    Assumes that harness and counterfactual are empirical optima, which no search proves.
    """
    return eta + x + 2 * r


def margin(*, epsilon: float, eta: float, x: float) -> float:
    """Theorem 2's gamma: what a threshold leaves above epsilon and the confirmation's width.

    As set where eta is the theory's; below 0 for any threshold that small samples can afford.
    """
    return eta - epsilon - x


def most_confirmations(*, c: float, d: float, gamma: float, r: float) -> float | None:
    """Theorem 2's limit on confirmed rounds, None where gamma is not above r."""
    return (c / (gamma - r)) ** d if gamma > r else None


@dataclass(frozen=True, slots=True)
class Composition:
    """The shortest chain of archived transformations that gives B_0.

    `steps` is None where there is none; `complete` is false where the search was cut off.
    """

    steps: tuple[str, ...] | None
    complete: bool = True

    @property
    def k(self) -> int | None:
        """K, None for infinite."""
        return None if self.steps is None else len(self.steps)


def shortest_composition(
    released: S, neutral: S, archive: Mapping[str, Callable[[S], S]], most: int = MOST_STATES
) -> Composition:
    """K(A) by breadth first search: the order of application matters, repetition is allowed.

    `archive` maps ids to what each transformation does to a benchmark's state (B_rel's is the
    identity). At most `most` different states are visited.
    """
    seen: set[S] = {released}
    level: list[tuple[S, tuple[str, ...]]] = [(released, ())]
    while level:
        following: list[tuple[S, tuple[str, ...]]] = []
        for state, steps in level:
            for name, apply in archive.items():
                new = apply(state)
                if new == neutral:
                    return Composition((*steps, name))
                if new not in seen:
                    seen.add(new)
                    following.append((new, (*steps, name)))
                if len(seen) > most:
                    return Composition(None, complete=False)
        level = following
    return Composition(None)
