"""Which harness is adopted in a round, and which is the final one (CHASE, B.2 and equation 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from .gains import Gains

KINDS = ("structural", "guidance", "integrated")
"""The candidates of a round, in the order that breaks ties."""

Outcome = Literal["adopt", "keep", "fallback"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A round's decision: the harness to go on with, how it came to it, and why in one line."""

    harness: str
    outcome: Outcome
    reason: str


def select_round(
    candidates: Sequence[Gains], current: Gains, base: str, epsilon: Fraction
) -> Choice:
    """Adopt the best feasible candidate, else keep the current harness, else fall back to `base`.

    `candidates` stand in the order of `KINDS`, without those that are vetoed or have no score;
    `current` is H_{t-1}. A candidate is adopted only with at least the current one's released
    gain, whether or not the current one is still feasible. Ties: smaller Gamma, then order.
    """
    feasible = [one for one in candidates if one.feasible(epsilon)]
    best = min(feasible, key=lambda one: (-one.released, one.gamma), default=None)
    if best is not None and best.released >= current.released:
        return Choice(best.harness, "adopt", f"{len(feasible)} of {len(candidates)} feasible")
    why = "no candidate is feasible" if best is None else "no feasible candidate scores as high"
    if current.harness == base or current.feasible(epsilon):
        return Choice(current.harness, "keep", why)
    return Choice(base, "fallback", f"{why}, and {current.harness} is no longer feasible")


def select_higher(
    candidates: Sequence[tuple[str, Fraction]], current: tuple[str, Fraction]
) -> Choice:
    """The comparison methods' rule: the best candidate, on a strictly higher score only."""
    best = max(candidates, key=lambda one: one[1], default=None)
    if best is not None and best[1] > current[1]:
        return Choice(best[0], "adopt", f"{best[1]} is above {current[1]}")
    return Choice(current[0], "keep", "no admitted candidate scores higher")


def select_final(harnesses: Sequence[Gains], epsilon: Fraction) -> Gains:
    """H*: the largest released gain among the feasible ones; `harnesses` are H_0 to H_T in order.

    H_0 is always feasible. Ties: smaller Gamma, then smaller index.
    """
    feasible = [one for one in harnesses if one.feasible(epsilon)]
    return min(feasible, key=lambda one: (-one.released, one.gamma))


def confirmed(destruction: Fraction, eta: Fraction) -> bool:
    """Whether a counterfactual enters the archive: at eta exactly it does."""
    return destruction >= eta
