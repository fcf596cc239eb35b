"""Uncertainty of a task model's samples (HARDEN, sections 3 and A.4; Farquhar 2024, Kuhn 2023).

Classes are hashable values, one per sample; unparseable samples share the class None. Entropies
are in natural units, normalised ones in units of ln B, where B is the number of classes that the
task has (three labels) or the number of samples (free results).
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import exp, log, prod


def class_counts(classes: Iterable[Hashable]) -> tuple[int, ...]:
    """How many samples fall into each class, largest first."""
    return tuple(sorted(Counter(classes).values(), reverse=True))


def entropy_of_weights(weights: Iterable[float]) -> float:
    """-sum p ln p over weights scaled to sum 1; 0.0, never -0.0.

    Raises ValueError where the weights do not sum to a positive number.
    """
    positive = [weight for weight in weights if weight > 0]
    total = sum(positive)
    if not total:
        raise ValueError("entropy needs at least one sample")
    return abs(sum(weight / total * log(weight / total) for weight in positive))


def frequency_entropy(counts: Sequence[int]) -> float:
    """Discrete semantic entropy of class counts, in natural units (Farquhar et al. 2024)."""
    return entropy_of_weights(counts)


def normalised_entropy(counts: Sequence[int], base: int) -> float | None:
    """Frequency entropy divided by ln `base`, at most 1 (HARDEN, A.4).

    The cap matters where unparseable samples are one class more than the task has. None where
    `base` < 2: ln 1 = 0 leaves nothing to normalise by.
    """
    if base < 2:
        return None
    return min(1.0, frequency_entropy(counts) / log(base))


def uncertainty_key(counts: Sequence[int], base: int) -> Fraction:
    """An exact stand-in for `normalised_entropy`: smaller is more uncertain, ties are exact.

    With n samples in classes of k each, n ln n - n H = sum k ln k, so the product of k^k orders
    entropies without a logarithm. H >= ln B exactly where that product is at most (n/B)^n: capped
    ones tie there. Comparable between equal n and base only.
    """
    n = sum(counts)
    return max(Fraction(prod(k**k for k in counts)), Fraction(n, base) ** n)


def class_weights(
    classes: Sequence[Hashable], mean_logprobs: Sequence[float | None]
) -> Mapping[Hashable, float] | None:
    """Each class's share of sum exp(mean token log-prob) over its samples (Kuhn et al. 2023).

    Shifted by the largest mean, so that very unlikely samples do not all become 0. None where a
    sample has no log-probs. Raises ValueError where the lengths differ.
    """
    known = [value for value in mean_logprobs if value is not None]
    if len(known) < len(mean_logprobs) or not known:
        return None
    top = max(known)
    weights: defaultdict[Hashable, float] = defaultdict(float)
    for cls, value in zip(classes, known, strict=True):
        weights[cls] += exp(value - top)
    total = sum(weights.values())
    return {cls: weight / total for cls, weight in weights.items()}


def weighted_entropy(
    classes: Sequence[Hashable], mean_logprobs: Sequence[float | None], base: int
) -> float | None:
    """Likelihood-weighted semantic entropy divided by ln `base` (HARDEN, A.4); not capped.

    None where a sample has no log-probs or `base` < 2.
    """
    weights = class_weights(classes, mean_logprobs)
    if weights is None or base < 2:
        return None
    return entropy_of_weights(weights.values()) / log(base)


def mean_logprob(logprob_sum: float | None, tokens: int | None) -> float | None:
    """Mean log-probability per token; None where it is unknown or there is no token."""
    return None if logprob_sum is None or not tokens else logprob_sum / tokens


def sequence_nll(logprob_sum: float | None) -> float | None:
    """Negative log-likelihood of a whole completion; None without log-probs (HARDEN, A.4)."""
    return None if logprob_sum is None else 0.0 - logprob_sum


def mean_token_nll(logprob_sum: float | None, tokens: int | None) -> float | None:
    """Sequence NLL divided by the token count, not exponentiated (HARDEN, A.4, Table 8)."""
    return sequence_nll(mean_logprob(logprob_sum, tokens))
