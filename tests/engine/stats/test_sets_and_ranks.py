"""Jaccard, richness, rarefaction and rank statistics against the golden vectors and their laws."""

import gzip
import itertools
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.stats import ranks, sets
from evoscope.engine.stats.halves import halves
from evoscope.engine.stats.shuffle import add_one_p
from tests.shared import shared_data


def golden(stat: str) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    with gzip.open(shared_data("stats", "stats_golden.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [row for line in lines if (row := json.loads(line))["stat"] == stat]
    return [(row["input"], row["expected"]) for row in rows]


@pytest.mark.shared
def test_chao1_matches_the_golden_vectors() -> None:
    rows = golden("chao1")
    for given_, expected in rows:
        corrected, classic = (sets.chao1(given_["counts"], bias_corrected=b) for b in (True, False))
        assert float(corrected) == pytest.approx(expected["chao1_bias_corrected"], rel=1e-12)
        assert float(classic) == pytest.approx(expected["chao1_classic"], rel=1e-12)
    assert len(rows) == 22


@pytest.mark.shared
def test_rarefaction_matches_the_golden_vectors() -> None:
    by_unit, by_individual = golden("rarefaction_by_unit"), golden("rarefaction_by_individual")
    for given_, expected in by_unit:
        curve = sets.rarefaction_by_unit([set(unit) for unit in given_["classes_by_unit"]])
        assert [float(v) for v in curve.expected] == pytest.approx(expected["expected_classes"])
        assert float(curve.new_at_last) == pytest.approx(expected["new_classes_at_last_unit"])
        assert (curve.observed, curve.uniques, curve.duplicates) == (
            expected["observed"],
            expected["uniques"],
            expected["duplicates"],
        )
        assert float(curve.chao) == pytest.approx(expected["chao2_bias_corrected"])
    for given_, expected in by_individual:
        values = [float(sets.rarefaction(given_["counts"], size)) for size in given_["sizes"]]
        assert values == pytest.approx(expected["expected_classes"])
    assert (len(by_unit), len(by_individual)) == (10, 11)


@pytest.mark.shared
def test_wilcoxon_and_spearman_match_the_golden_vectors() -> None:
    tests, correlations = golden("wilcoxon_signed_rank"), golden("spearman")
    for given_, expected in tests:
        result = ranks.wilcoxon_paired(given_["differences"])
        assert result is not None
        assert result.statistic == expected["statistic"]
        assert result.p == pytest.approx(expected["p_auto"], rel=1e-9)
    for given_, expected in correlations:
        rho = ranks.spearman(np.array(given_["x"]), np.array(given_["y"]))
        assert rho == pytest.approx(expected["rho"], abs=1e-12)
    assert (len(tests), len(correlations)) == (11, 8)


@pytest.mark.shared
def test_add_one_p_matches_the_golden_vectors() -> None:
    rows = golden("add_one_p")
    for given_, expected in rows:
        p = add_one_p(given_["at_least_as_large"], given_["resamples"])
        assert float(p) == pytest.approx(expected["p"], rel=1e-14)
    assert len(rows) == 7


def test_the_papers_jaccard_is_27_of_257() -> None:
    operator, judge = set(range(126)), set(range(99, 257))
    share = sets.jaccard(operator, judge)
    assert share == Fraction(27, 257) and round(float(share), 3) == 0.105
    assert sets.jaccard(set(), set()) is None


@given(st.lists(st.frozensets(st.integers(0, 6), max_size=4), min_size=1, max_size=5))
def test_rarefaction_is_the_mean_over_all_subsets_of_units(units: list[frozenset[int]]) -> None:
    curve = sets.rarefaction_by_unit(units)
    for size in range(1, len(units) + 1):
        found = [len(frozenset().union(*some)) for some in itertools.combinations(units, size)]
        assert curve.expected[size - 1] == Fraction(sum(found), len(found))


def test_undefined_statistics_are_none() -> None:
    assert ranks.wilcoxon_paired([0.0, 0.0]) is None
    assert ranks.spearman(np.array([1, 1]), np.array([1, 2])) is None
    assert ranks.spearman(np.array([1]), np.array([2])) is None


@given(st.sets(st.text(max_size=4), min_size=1), st.integers(0, 9))
def test_halves_part_the_items_whatever_their_order(ids: set[str], seed: int) -> None:
    first, second = halves(sorted(ids), seed)
    assert first | second == ids and not first & second
    assert len(first) - len(second) in (0, 1)
    assert halves(reversed(sorted(ids)), seed) == (first, second)
