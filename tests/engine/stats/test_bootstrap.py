"""The percentile bootstrap against numpy's own stream, and its laws."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.stats import bootstrap
from evoscope.engine.stats.bootstrap import percentile_interval, resampled_means
from tests.shared import shared_data

values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.shared
def test_percentile_intervals_match_the_golden_vectors() -> None:
    with gzip.open(shared_data("stats", "stats_golden.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [
            row for line in lines if (row := json.loads(line))["stat"] == "percentile_bootstrap"
        ]
    for row in rows:
        given_, expected = row["input"], row["expected"]
        interval = percentile_interval(
            given_["values"], resamples=given_["resamples"], seed=given_["seed"]
        )
        assert interval is not None
        printed = expected["percentile_2.5_97.5"]
        assert [interval.low, interval.high] == pytest.approx(printed, rel=1e-12, abs=1e-12)
        means = resampled_means(np.asarray(given_["values"], float), given_["resamples"], 42)
        assert means.mean() == pytest.approx(expected["mean_of_resamples"], rel=1e-12)
    assert len(rows) == 9


@given(values, st.integers(1, 60))
@settings(max_examples=30)
def test_drawing_in_pieces_gives_the_same_means(numbers: list[float], cells: int) -> None:
    array = np.asarray(numbers)
    whole = resampled_means(array, 40, 7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "CELLS", cells)
        assert resampled_means(array, 40, 7).tolist() == pytest.approx(whole.tolist(), rel=1e-12)


@given(values)
@settings(max_examples=30)
def test_the_interval_lies_within_the_values_and_repeats(numbers: list[float]) -> None:
    interval = percentile_interval(numbers, resamples=200)
    assert interval is not None
    slack = 1e-12
    assert min(numbers) - slack <= interval.low <= interval.high <= max(numbers) + slack
    assert interval == percentile_interval(numbers, resamples=200)


def test_a_wider_level_gives_a_wider_interval() -> None:
    numbers = [0.0] * 12 + [1.0] * 8
    narrow = percentile_interval(numbers, resamples=2000, level=0.5)
    wide = percentile_interval(numbers, resamples=2000)
    assert narrow is not None and wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_no_values_have_no_interval() -> None:
    assert percentile_interval([]) is None


def test_the_defaults_are_the_papers() -> None:
    interval = percentile_interval([0.1, 0.9])
    assert interval is not None
    assert (interval.resamples, interval.seed, interval.n) == (50_000, 42, 2)
