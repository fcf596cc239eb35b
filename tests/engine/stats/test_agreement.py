"""Agreement coefficients, tests and adjustments against the golden vectors and their laws."""

import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.stats.agreement import (
    Confusion,
    ac1,
    balanced_accuracy,
    cohen_kappa,
    confusion,
    gwet_ac1,
    kappa,
    mcc,
    multiclass_mcc,
    negative_agreement,
    observed_agreement,
    positive_agreement,
    precision,
    recall,
    specificity,
)
from evoscope.engine.stats.counts import (
    benjamini_hochberg,
    bonferroni,
    fisher_two_sided,
    holm,
    mcnemar_exact,
    wilson,
)
from tests.shared import shared_data

COUNTS = {
    "two_by_two": 46,
    "multi_class_agreement": 18,
    "confusion": 20,
    "multiple_tests": 50,
    "mcnemar_holm": 9,
    "fisher": 26,
    "wilson": 51,
}


def rows_of(stat: str) -> list[tuple[Any, dict[str, Any]]]:
    with gzip.open(shared_data("stats", "stats_golden.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [row for line in lines if (row := json.loads(line))["stat"] == stat]
    assert len(rows) == COUNTS[stat]
    return [(row["input"], row["expected"]) for row in rows]


def close(expected: float | None) -> Any:
    return None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.shared
def test_two_by_two_tables_match_the_golden_vectors() -> None:
    for cells, expected in rows_of("two_by_two"):
        a, b, c, d = (cells[k] for k in ("both_yes", "first_only", "second_only", "both_no"))
        table = Confusion(tp=a, fn=c, fp=b, tn=d)
        assert table.n == expected["n"]
        assert observed_agreement(table) == close(expected["observed_agreement"])
        assert kappa(table) == close(expected["cohen_kappa_sklearn"])
        assert mcc(table) == close(expected["mcc_sklearn"] if expected["mcc_defined"] else None)
        assert ac1(table) == close(expected["gwet_ac1_exact"])
        assert positive_agreement(table) == close(expected["positive_agreement"])
        assert negative_agreement(table) == close(expected["negative_agreement"])
        assert mcnemar_exact(b, c) == close(expected["mcnemar_exact_p"])
        assert fisher_two_sided([[a, b], [c, d]]) == close(expected["fisher_two_sided_p"])


@pytest.mark.shared
def test_labels_of_many_categories_match_the_golden_vectors() -> None:
    for labels, expected in rows_of("multi_class_agreement"):
        first, second = labels["first"], labels["second"]
        assert cohen_kappa(first, second) == close(expected["cohen_kappa_sklearn"])
        found = gwet_ac1(first, second, categories=len(labels["categories"]))
        assert found == close(expected["gwet_ac1_exact"])
        assert multiclass_mcc(first, second) == close(expected["mcc_sklearn"])


@pytest.mark.shared
def test_confusion_ratios_match_the_golden_vectors() -> None:
    for cells, expected in rows_of("confusion"):
        table = Confusion(**cells)
        assert observed_agreement(table) == close(expected["accuracy"])
        assert recall(table) == close(expected["recall"])
        assert specificity(table) == close(expected["specificity"])
        assert precision(table) == close(expected["precision"])
        assert balanced_accuracy(table) == close(expected["balanced_accuracy"])
        assert positive_agreement(table) == close(expected["f1"])
        assert mcc(table) == close(expected["mcc_sklearn"] if expected["mcc_defined"] else None)
        assert kappa(table) == close(expected["cohen_kappa_sklearn"])


@pytest.mark.shared
def test_adjusted_p_values_match_the_golden_vectors() -> None:
    for tests, expected in rows_of("multiple_tests"):
        p, alpha = tests["p"], tests["alpha"]
        assert holm(p) == close(expected["holm_adjusted"])
        assert benjamini_hochberg(p) == close(expected["bh_adjusted"])
        assert bonferroni(p) == close(expected["bonferroni_adjusted"])
        assert [value <= alpha for value in holm(p)] == expected["holm_reject"]
        assert [value <= alpha for value in benjamini_hochberg(p)] == expected["bh_reject"]


@pytest.mark.shared
def test_mcnemar_with_holm_matches_the_golden_vectors() -> None:
    for pairs, expected in rows_of("mcnemar_holm"):
        p = [mcnemar_exact(b, c) for b, c in pairs["discordant_pairs"]]
        assert p == close(expected["p"])
        assert holm(p) == close(expected["holm_adjusted"])


@pytest.mark.shared
def test_fisher_matches_the_golden_vectors() -> None:
    for table, expected in rows_of("fisher"):
        assert fisher_two_sided(table["table"]) == close(expected["p_two_sided"])


@pytest.mark.shared
def test_wilson_matches_the_golden_vectors() -> None:
    for counts, expected in rows_of("wilson"):
        found = wilson(counts["k"], counts["n"], counts["confidence"])
        assert found == (close(expected["low"]), close(expected["high"]))


UNDEFINED: list[tuple[Callable[[Confusion], float | None], Confusion]] = [
    (observed_agreement, Confusion(0, 0, 0, 0)),
    (kappa, Confusion(10, 0, 0, 0)),
    (kappa, Confusion(0, 0, 0, 0)),
    (mcc, Confusion(10, 0, 10, 0)),
    (ac1, Confusion(0, 0, 0, 0)),
    (recall, Confusion(0, 0, 3, 4)),
    (specificity, Confusion(5, 1, 0, 0)),
    (precision, Confusion(0, 1, 0, 4)),
    (balanced_accuracy, Confusion(5, 0, 0, 0)),
    (positive_agreement, Confusion(0, 0, 0, 10)),
    (negative_agreement, Confusion(10, 0, 0, 0)),
]


@pytest.mark.parametrize(("statistic", "table"), UNDEFINED)
def test_an_undefined_statistic_is_none(
    statistic: Callable[[Confusion], float | None], table: Confusion
) -> None:
    assert statistic(table) is None


def test_undefined_label_statistics_and_intervals_are_none() -> None:
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None
    assert gwet_ac1([], [], categories=2) is None
    assert gwet_ac1(["a"], ["a"], categories=1) is None
    assert multiclass_mcc(["a", "a"], ["a", "b"]) is None
    assert wilson(0, 0) is None


def test_more_labels_than_declared_categories_are_refused() -> None:
    with pytest.raises(ValueError, match="3 labels occur"):
        gwet_ac1(["a", "b"], ["a", "c"], categories=2)


def test_labels_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        confusion([True, False], [True])


def test_adjusting_no_p_values_gives_none_back() -> None:
    assert holm([]) == bonferroni([]) == benjamini_hochberg([]) == []


pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(pairs)
def test_tables_and_labels_give_the_same_coefficients(rows: list[tuple[bool, bool]]) -> None:
    check, truth = [a for a, _ in rows], [b for _, b in rows]
    table = confusion(check, truth)
    assert table.n == len(rows)
    assert kappa(table) == close(cohen_kappa(check, truth))
    assert ac1(table) == close(gwet_ac1(check, truth, categories=2))
    assert mcc(table) == close(multiclass_mcc(check, truth))


@given(st.lists(st.integers(0, 12), min_size=4, max_size=4))
def test_fisher_does_not_depend_on_the_order_of_rows_or_columns(cells: Sequence[int]) -> None:
    a, b, c, d = cells
    p = fisher_two_sided([[a, b], [c, d]])
    assert 0 < p <= 1
    assert p == fisher_two_sided([[c, d], [a, b]]) == fisher_two_sided([[b, a], [d, c]])


@given(p_values, st.randoms())
def test_adjustment_does_not_depend_on_the_order_of_the_tests(p: list[float], rng: Any) -> None:
    order = list(range(len(p)))
    rng.shuffle(order)
    for adjust in (holm, bonferroni, benjamini_hochberg):
        direct = adjust(p)
        assert [direct[i] for i in order] == pytest.approx(adjust([p[i] for i in order]))


@given(p_values)
def test_holm_lies_between_raw_and_bonferroni(p: list[float]) -> None:
    for raw, stepped, whole in zip(p, holm(p), bonferroni(p), strict=True):
        assert raw <= stepped <= whole


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_within_zero_and_one(case: tuple[int, int]) -> None:
    interval = wilson(*case)
    assert interval is not None
    assert 0 <= interval[0] <= case[0] / case[1] <= interval[1] <= 1
