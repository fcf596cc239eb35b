"""Do the bounds hold as often as they claim? Simulated runs with known scores on Syn-Ledger.

An agent's chance at a task is known: it shrinks with every unfavourable feature of an evidence
document that its harness leans on. Tasks are drawn independently from the 320, every rollout is a
coin, so that the true gains are known exactly and each run's bounds can be held against them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .guarantees import theorem_1

Floats = NDArray[np.float64]
Subset = frozenset[int]
Levels = Sequence[tuple[Sequence[bool], Sequence[bool]]]
"""For each task the levels of its two evidence documents, by feature."""

ARCHIVES: Mapping[str, tuple[int, tuple[Subset, ...]]] = {
    "B_0 itself": (1, (frozenset(), frozenset(range(5)))),
    "two parts": (2, (frozenset(), frozenset({0, 1}), frozenset({2, 3, 4}))),
    "overlapping parts": (
        2,
        (frozenset(), frozenset({0, 1, 2}), frozenset({2, 3, 4}), frozenset({3, 4})),
    ),
    "one by one": (5, (frozenset(), *(frozenset({j}) for j in range(5)))),
}
"""Archives of neutralisations with their K; a subset names the features that one neutralises."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """A harness: its chance at a task that favours it in everything, and what is left of it for
    each unfavourable level of each feature."""

    chance: float
    left: tuple[float, float, float, float, float]


RAW = Leaning(0.45, (0.95, 0.95, 0.9, 0.85, 0.95))
EVOLVED = Leaning(0.9, (0.7, 0.8, 0.75, 0.6, 0.9))


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of simulated runs in which each bound held, and the true values beside."""

    runs: int
    destroyed: float
    gain: float
    both: float
    true_delta_bs: float
    true_g_0: float
    rho: float


def chances(leaning: Leaning, released: Levels, neutral: Levels, changed: Subset) -> Floats:
    """The chance at each task where the features in `changed` are as under B_0."""
    rows = []
    for own, zero in zip(released, neutral, strict=True):
        value = leaning.chance
        for document, feature in product((0, 1), range(5)):
            levels = zero[document] if feature in changed else own[document]
            value *= 1.0 if levels[feature] else leaning.left[feature]
        rows.append(value)
    return np.array(rows)


def measure(
    released: Levels,
    neutral: Levels,
    archive: str,
    *,
    runs: int = 2_000,
    tasks: int = 208,
    rollouts: int = 3,
    alpha: float = 0.05,
    seed: int = 0,
    width: float = 1.0,
) -> Coverage:
    """Simulate certifications on an archive of `ARCHIVES`; `width` scales the bounds' widths, so
    that a test can see them fail."""
    k, members = ARCHIVES[archive]
    raw = np.array([chances(RAW, released, neutral, b) for b in members])
    evolved = np.array([chances(EVOLVED, released, neutral, b) for b in members])
    delta, g_0, rho = _truth(released, neutral)
    rng = np.random.default_rng(seed)
    held = np.zeros(3)
    for _ in range(runs):
        drawn = rng.integers(len(released), size=tasks)
        first = rng.binomial(rollouts, raw[:, drawn]).mean(axis=1) / rollouts
        later = rng.binomial(rollouts, evolved[:, drawn]).mean(axis=1) / rollouts
        gains = later - first
        bounds = theorem_1(
            k=k, m=len(members), n=tasks, alpha=alpha, rho=rho,
            gamma=float((gains[0] - gains).max()), least=float(gains.min()),
        )  # fmt: skip
        slack = (1 - width) * bounds.s_delta
        low = bounds.gain + (1 - width) * (bounds.s_gain + (k - 1) * bounds.s_delta)
        right = delta <= bounds.destroyed - k * slack, g_0 >= low
        held += np.array([*right, all(right)])
    destroyed, gain, both = (float(share) for share in held / runs)
    return Coverage(runs, destroyed, gain, both, delta, g_0, rho)


def _truth(released: Levels, neutral: Levels) -> tuple[float, float, float]:
    """Delta_BS, G_0 and rho of the evolved harness over all 32 neutralisations."""
    subsets = [frozenset(j for j in range(5) if code >> j & 1) for code in range(32)]
    gain = {
        b: float(
            (chances(EVOLVED, released, neutral, b) - chances(RAW, released, neutral, b)).mean()
        )
        for b in subsets
    }
    nothing, everything = frozenset[int](), frozenset(range(5))
    delta = {b: gain[nothing] - gain[b] for b in subsets}
    rho = max(delta[a | b] - delta[a] - delta[b] for a, b in product(subsets, subsets))
    return delta[everything], gain[everything], max(rho, 0.0)
