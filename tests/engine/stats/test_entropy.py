"""Entropies against worked values, the official semantic-entropy code, and their own laws."""

import gzip
import json
from fractions import Fraction
from math import copysign, exp, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.stats.entropy import (
    class_counts,
    class_weights,
    entropy_of_weights,
    frequency_entropy,
    mean_logprob,
    mean_token_nll,
    normalised_entropy,
    sequence_nll,
    uncertainty_key,
    weighted_entropy,
)
from tests.shared import shared_data

WORKED = [
    ((9, 1), 3, 0.295903),
    ((5, 5), 3, 0.630930),
    ((7, 2, 1), 3, 0.729847),
    ((4, 3, 3), 3, 0.991159),
    ((4, 3, 2, 1), 3, 1.0),
    ((7, 3), 10, 0.265295),
    ((5, 5), 10, 0.301030),
    ((6, 2, 2), 10, 0.412697),
    ((1,) * 10, 10, 1.0),
]


def golden(name: str) -> list[dict[str, Any]]:
    with gzip.open(shared_data("stats", name), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(("counts", "base", "expected"), WORKED)
def test_normalised_entropy_gives_the_worked_values(
    counts: tuple[int, ...], base: int, expected: float
) -> None:
    assert normalised_entropy(counts, base) == pytest.approx(expected, abs=5e-7)


def test_four_classes_over_three_labels_exceed_one_before_the_cap() -> None:
    assert frequency_entropy((4, 3, 2, 1)) / log(3) == pytest.approx(1.164974, abs=5e-7)


def test_one_class_has_entropy_zero_without_a_sign() -> None:
    value = normalised_entropy((10,), 3)
    assert value == 0.0
    assert copysign(1, value) == 1
    assert copysign(1, sequence_nll(0.0) or 0.0) == 1


def test_a_base_of_one_leaves_entropy_undefined() -> None:
    assert normalised_entropy((1,), 1) is None
    assert weighted_entropy(["a"], [-0.1], 1) is None


def test_entropy_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        entropy_of_weights([])


def test_distributions_of_equal_entropy_tie_exactly() -> None:
    key = uncertainty_key((4, 2, 1, 1, 1, 1), 10)
    assert key == uncertainty_key((2, 2, 2, 2, 2), 10)
    assert isinstance(key, Fraction)


def test_capped_distributions_tie_exactly() -> None:
    assert uncertainty_key((4, 3, 2, 1), 3) == uncertainty_key((4, 2, 2, 2), 3)
    assert uncertainty_key((4, 3, 2, 1), 10) != uncertainty_key((4, 2, 2, 2), 10)


def test_the_unparsed_class_is_one_class_of_its_own() -> None:
    assert class_counts(["yes", None, "no", None, "yes", "yes"]) == (3, 2, 1)


def test_weighted_entropy_gives_the_worked_value() -> None:
    classes, means = ["a", "a", "b", "c"], [-0.1, -0.2, -0.5, -0.1]
    weights = class_weights(classes, means)
    assert weights is not None
    assert list(weights.values()) == pytest.approx([0.532798, 0.187494, 0.279708], abs=5e-7)
    assert entropy_of_weights(weights.values()) == pytest.approx(1.005673, abs=5e-7)
    assert weighted_entropy(classes, means, 3) == pytest.approx(0.915403, abs=5e-7)


def test_missing_log_probs_give_none_and_never_zero() -> None:
    assert weighted_entropy(["a", "b"], [-0.1, None], 3) is None
    assert weighted_entropy([], [], 3) is None
    assert sequence_nll(None) is None
    assert mean_token_nll(None, 12) is None
    assert mean_token_nll(-3.0, None) is None
    assert mean_token_nll(-3.0, 0) is None


def test_mean_token_nll_divides_by_the_token_count() -> None:
    assert sequence_nll(-6.0) == 6.0
    assert mean_token_nll(-6.0, 4) == 1.5


def test_very_unlikely_samples_keep_their_proportions() -> None:
    weights = class_weights(["a", "b"], [-2000.0, -2001.0])
    assert weights == pytest.approx({"a": 1 / (1 + exp(-1)), "b": exp(-1) / (1 + exp(-1))})


def test_classes_and_log_probs_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        class_weights(["a", "b"], [-0.1])


samples = st.lists(st.integers(0, 5), min_size=10, max_size=10)


@given(samples, samples, st.integers(2, 10))
def test_the_exact_key_orders_as_the_entropies_do(a: list[int], b: list[int], base: int) -> None:
    counts_a, counts_b = class_counts(a), class_counts(b)
    left, right = normalised_entropy(counts_a, base), normalised_entropy(counts_b, base)
    assert left is not None and right is not None
    if abs(left - right) > 1e-9:
        smaller = uncertainty_key(counts_a, base) < uncertainty_key(counts_b, base)
        assert smaller == (left > right)
    else:
        assert uncertainty_key(counts_a, base) == uncertainty_key(counts_b, base)


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=12), st.floats(-5, 0))
def test_equal_log_probs_give_the_frequency_entropy(classes: list[str], mean: float) -> None:
    expected = frequency_entropy(class_counts(classes)) / log(4)
    assert weighted_entropy(classes, [mean] * len(classes), 4) == pytest.approx(expected)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=10))
def test_entropy_lies_between_zero_and_the_log_of_the_classes(counts: list[int]) -> None:
    assert 0.0 <= frequency_entropy(counts) <= log(len(counts)) + 1e-12


@pytest.mark.shared
def test_semantic_entropy_agrees_with_the_official_code() -> None:
    rows = golden("semantic_entropy_golden.jsonl.gz")
    for row in rows:
        tokens = row["token_log_likelihoods"]
        means = [mean_logprob(sum(values), len(values)) for values in tokens]
        for mode in ("strict", "lenient"):
            check_official(row[mode], means, [sum(values) for values in tokens])
        counts = class_counts(row["strict"]["semantic_ids"])
        for name, base in (("by_log_3", 3), ("by_log_T", len(row["answers"]))):
            printed = row["normalised"][name]
            expected = None if printed is None else pytest.approx(min(1.0, printed), abs=1e-12)
            assert normalised_entropy(counts, base) == expected, (row["n"], name)
    assert len(rows) == 105


def check_official(row: dict[str, Any], means: list[float | None], sums: list[float]) -> None:
    ids = row["semantic_ids"]
    assert frequency_entropy(class_counts(ids)) == pytest.approx(
        row["cluster_assignment_entropy"], abs=1e-12
    )
    assert means == pytest.approx(row["length_normalised_log_likelihood"])
    assert -sum(value or 0 for value in means) / len(means) == pytest.approx(row["regular_entropy"])
    nlls = [sequence_nll(total) or 0.0 for total in sums]
    assert sum(nlls) / len(nlls) == pytest.approx(row["predictive_entropy_sequences"])
    check_weights(ids, means, row["log_likelihood_per_semantic_id"], row["semantic_entropy"])
    weights = class_weights(ids, sums)
    assert weights is not None
    assert entropy_of_weights(weights.values()) == pytest.approx(
        row["semantic_entropy_unnormalised_sequences"], abs=1e-9
    )


def check_weights(
    ids: list[int], means: list[float | None], logs: list[float], entropy: float
) -> None:
    weights = class_weights(ids, means)
    assert weights is not None
    assert [weights[i] for i in range(len(logs))] == pytest.approx([exp(value) for value in logs])
    assert entropy_of_weights(weights.values()) == pytest.approx(entropy, abs=1e-9)
    assert (weighted_entropy(ids, means, 10) or 0.0) * log(10) == pytest.approx(entropy, abs=1e-9)


@pytest.mark.shared
def test_entropy_functions_agree_with_the_official_code() -> None:
    rows = golden("semantic_entropy_functions_golden.jsonl.gz")
    for row in rows:
        ids, logs = row["semantic_ids"], row["log_likelihoods"]
        assert -sum(logs) / len(logs) == pytest.approx(row["predictive_entropy"])
        if row["cluster_assignment_entropy"] is None:
            continue  # the official code refuses ids that are not 0..k-1; ours are any labels
        assert frequency_entropy(class_counts(ids)) == pytest.approx(
            row["cluster_assignment_entropy"], abs=1e-12
        )
        weights = class_weights(ids, logs)
        assert weights is not None
        assert [log(weights[i]) for i in sorted(set(ids))] == pytest.approx(row["logsumexp_by_id"])
        if "predictive_entropy_rao" in row:
            expected = pytest.approx(row["predictive_entropy_rao"], abs=1e-9)
            assert entropy_of_weights(weights.values()) == expected
    assert len(rows) == 63
