"""The shuffle null: worked values, the exact distribution by brute force, and its laws."""

import itertools
import json
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.stats.shuffle import FlagCount, add_one_p, exact_variance, shuffle_test
from tests.shared import shared_data

WORKED = ("1100|0010", "10|10", "00|11", "111|001", "|", "100|011")
FLOAT_TRAP = ("000111|000100", "1110|1000", "10101|10010")


def count(text: str) -> FlagCount:
    labels, flags = text.split("|")
    hits = sum(right == flag == "1" for right, flag in zip(labels, flags, strict=True))
    return FlagCount(len(labels), labels.count("1"), flags.count("1"), hits)


def distribution(tasks: list[FlagCount]) -> Counter[Fraction]:
    """Every sum of P(correct) under the null, with the number of ways to get it."""
    sums: Counter[Fraction] = Counter({Fraction(0): 1})
    for task in tasks:
        labels = [1] * task.correct + [0] * (task.samples - task.correct)
        ways = Counter(
            task.chance(sum(chosen)) for chosen in itertools.combinations(labels, task.flags)
        )
        grown: Counter[Fraction] = Counter()
        for (a, n), (b, m) in itertools.product(sums.items(), ways.items()):
            grown[a + b] += n * m
        sums = grown
    return sums


def exact_p(tasks: list[FlagCount]) -> Fraction:
    """P(null >= observed), over every way to place every task's flags."""
    sums = distribution(tasks)
    observed = sum((task.chance(task.hits) for task in tasks), Fraction(0))
    return Fraction(sum(n for value, n in sums.items() if value >= observed), sums.total())


def test_the_worked_example_has_its_delta_sd_z_and_p() -> None:
    tasks = [count(text) for text in WORKED]
    test = shuffle_test(tasks, seed=3, resamples=20_000)
    assert test is not None
    assert test.delta == Fraction(1, 18)
    assert test.sd_exact == pytest.approx(0.117851, abs=5e-7)
    assert test.z_exact == pytest.approx(0.471405, abs=5e-7)
    assert exact_p(tasks) == Fraction(5, 12)
    assert float(test.p) == pytest.approx(5 / 12, abs=0.015)
    assert test.mean == pytest.approx(0, abs=0.004)
    assert test.sd == pytest.approx(test.sd_exact, rel=0.03)


def test_values_that_tie_exactly_count_as_at_least_as_large() -> None:
    tasks = [count(text) for text in FLOAT_TRAP]
    assert exact_p(tasks) == Fraction(775, 1000)
    test = shuffle_test(tasks, seed=5, resamples=100_000)
    assert test is not None
    assert float(test.p) == pytest.approx(0.775, abs=0.006)


@st.composite
def flag_counts(draw: st.DrawFn) -> FlagCount:
    good, bad = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    hits, caught = draw(st.integers(0, good)), draw(st.integers(0, bad))
    return FlagCount(good + bad, good, hits + caught, hits)


@given(st.lists(flag_counts(), min_size=1, max_size=4))
@settings(max_examples=60)
def test_the_null_has_mean_zero_and_the_closed_variance_for_any_operator(
    tasks: list[FlagCount],
) -> None:
    sums = distribution(tasks)
    total, n = sums.total(), len(tasks)
    base = sum((Fraction(t.correct, t.samples) for t in tasks if t.samples), Fraction(0))
    assert sum(value * ways for value, ways in sums.items()) / total == base
    spread = sum((value - base) ** 2 * ways for value, ways in sums.items()) / total
    assert spread / n**2 == exact_variance(tasks)


@given(st.lists(flag_counts(), min_size=1, max_size=4), st.integers(0, 99))
@settings(max_examples=30)
def test_p_counts_resamples_and_follows_the_seed(tasks: list[FlagCount], seed: int) -> None:
    first, second = (shuffle_test(tasks, seed=seed, resamples=99) for _ in range(2))
    assert first == second and first is not None
    assert first.p == add_one_p(first.at_least, 99)
    assert 0 <= first.at_least <= 99
    assert first.delta == sum((task.change for task in tasks), Fraction(0)) / len(tasks)


def test_an_operator_that_flags_nothing_or_all_is_never_significant() -> None:
    for flags in (0, 4):
        test = shuffle_test([FlagCount(4, 2, flags, flags // 2)] * 9, seed=1)
        assert test is not None
        assert test.p == 1 and test.delta == 0
        assert test.z is None and test.z_exact is None
    assert shuffle_test([], seed=1) is None


def test_denominators_too_big_for_machine_integers_stay_exact() -> None:
    tasks = [FlagCount(n, n // 2, 3, 0) for n in range(40, 75)]
    test = shuffle_test(tasks, seed=1, resamples=200)
    assert test is not None
    assert test.at_least < 5 and test.delta == sum((t.change for t in tasks), Fraction(0)) / 35


def test_a_thousand_resamples_of_428_tasks_take_a_fifth_of_a_second() -> None:
    tasks = [FlagCount(6, n % 7, n % 4, min(n % 7, n % 4) // 2) for n in range(428)]
    times = []
    for _ in range(3):
        start = time.perf_counter()
        shuffle_test(tasks, seed=1)
        times.append(time.perf_counter() - start)
    assert min(times) <= 0.2


@pytest.mark.shared
def test_printed_p_values_are_the_add_one_form() -> None:
    rows = [
        row
        for line in shared_data("stats", "paper_figures.jsonl").read_text().splitlines()
        if (row := json.loads(line))["figure"].startswith("p = 0.0")
        or row["figure"] == "p = 0.6563"
    ]
    reproduced = [row for row in rows if row["reproduced"] is True]
    assert len(reproduced) == 10
    for row in reproduced:
        p = add_one_p(row["inputs"]["at_least_as_large"], row["inputs"]["resamples"])
        assert round(float(p), row["decimals"]) == row["printed"]
