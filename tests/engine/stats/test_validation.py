"""Majority labels, agreement by construction, provenance accuracy and rates by source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.stats.validation import (
    Matches,
    acceptance_rates,
    agreement_by_construction,
    majority,
    provenance_accuracy,
)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((True, True, False), True),
        ((False, True, False), False),
        ((True, False), None),
        ((True,), True),
        ((), None),
        (("a", "b", "c"), None),
        (("a", "b", "b", "c"), None),
        (("no", "no", "no", "yes"), "no"),
    ],
)
def test_a_majority_is_more_than_half_of_the_raters(
    labels: tuple[object, ...], expected: object
) -> None:
    assert majority(labels) is expected


@given(st.lists(st.booleans(), max_size=9), st.randoms())
def test_a_majority_does_not_depend_on_the_order_of_raters(labels: list[bool], rng: object) -> None:
    assert majority(labels) == majority(sorted(labels)) == majority(labels[::-1])


def test_split_labels_stay_out_of_agreement_by_construction() -> None:
    rows = [("flip", False, False), ("flip", True, None), ("flip", True, False)]
    assert agreement_by_construction(rows) == {"flip": Matches(matches=1, agreed=2, split=1)}
    assert agreement_by_construction([("all split", True, None)])["all split"].share is None


def test_table_13_comes_out_of_its_pairs_and_fits_table_14() -> None:
    wrong, right = ("manual incorrect", True, False), ("manual incorrect", False, False)
    rows = [right] * 5 + [wrong] * 2 + [("manual incorrect", False, True)]
    rows += [("counterfactual", False, False)] * 5 + [("label flip", False, False)] * 5
    rows += [("manual correct", True, True)] * 3
    shares = {k: (m.matches, m.agreed) for k, m in agreement_by_construction(rows).items()}
    assert shares == {
        "manual incorrect": (5, 8),
        "counterfactual": (5, 5),
        "label flip": (5, 5),
        "manual correct": (3, 3),
    }


def test_provenance_accuracy_counts_accepted_official_and_rejected_weak_cases() -> None:
    assert provenance_accuracy([True] * 18 + [False] * 2, [False] * 20) == 0.95
    assert provenance_accuracy([True] * 20, [True] * 18 + [False] * 2) == 0.55
    assert provenance_accuracy([], []) is None


def test_acceptance_rates_keep_the_order_of_sources() -> None:
    rows = [("official", True), ("strong", True), ("official", False), ("weak", False)]
    assert list(acceptance_rates(rows).items()) == [
        ("official", (1, 2)),
        ("strong", (1, 1)),
        ("weak", (0, 1)),
    ]
