"""The exact enumeration against a direct loop, and the criteria on worked values."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.errors import DataError
from evoscope.engine.searches.cegar import chunks
from evoscope.engine.searches.cegar.chunks import TaskFlags
from evoscope.engine.searches.cegar.composition import Landscape, compose, subset_count
from evoscope.engine.searches.cegar.criteria import (
    SWEEP,
    Criteria,
    class_weight,
    counted,
    percentile,
    safety,
    spearman_by_size,
)
from evoscope.engine.searches.cegar.metric import Vote, score


def tasks(seed: int, sizes: Sequence[int], operators: int, rate: float = 0.3) -> list[TaskFlags]:
    rng = np.random.default_rng(seed)
    return [
        TaskFlags(rng.random(n) < 0.6, rng.random((operators, n)) < rate * rng.random())
        for n in sizes
    ]


def direct(
    members: Sequence[int], given_: Sequence[TaskFlags]
) -> tuple[int, int, int, Fraction, bool]:
    """TP, FP, capped TP - FP, Delta and silence of one subset, by the definition."""
    votes = [
        Vote(
            tuple(map(bool, task.correct)),
            tuple(bool(n >= 2) for n in task.flags[list(members)].sum(axis=0)),
        )
        for task in given_
    ]
    caught = [sum(f and not c for c, f in zip(v.correct, v.flags, strict=True)) for v in votes]
    alarms = [sum(f and c for c, f in zip(v.correct, v.flags, strict=True)) for v in votes]
    capped = sum(max(-1, min(1, a - b)) for a, b in zip(caught, alarms, strict=True))
    total = sum(caught), sum(alarms)
    return *total, capped, score(votes).delta, not any(total)


def agrees(land: Landscape, index: int, training: list[TaskFlags], held: list[TaskFlags]) -> None:
    members = land.members(index)
    caught, alarms, capped, delta, _ = direct(members, training)
    assert (land.caught[index], land.alarms[index], land.capped[index]) == (caught, alarms, capped)
    assert land.delta("training", index) == delta
    _, _, _, held_delta, silent = direct(members, held)
    assert land.delta("all", index) == held_delta
    assert land.vacuous[index] == silent
    assert land.sizes[index] == len(members)


def test_subset_counts_are_the_papers() -> None:
    assert (subset_count(26), subset_count(35)) == (313_911, 2_007_327)
    assert subset_count(35) - 35 == 2_007_292


@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_every_subset_equals_a_direct_loop(seed: int, operators: int, largest: int) -> None:
    training = tasks(seed, (3, 0, 7, 1, 5), operators, 0.9)
    held = tasks(seed + 1, (4, 6, 2), operators, 0.9)
    land = compose(training, {"all": held}, largest=largest, workers=1)
    assert len(land) == subset_count(operators, largest)
    found = [land.members(index) for index in range(len(land))]
    assert sorted(found) == sorted(
        members
        for size in range(1, largest + 1)
        for members in combinations(range(operators), size)
    )
    for index in range(len(land)):
        agrees(land, index, training, held)


def test_tasks_that_fill_several_words_are_exact_too() -> None:
    training, held = tasks(1, (60, 30, 5), 9, 0.9), tasks(2, (45, 3), 9, 0.9)
    assert max(task.flags.shape[1] for task in training) > 2 * chunks.BITS
    land = compose(training, {"all": held})
    assert land.endpoints["all"].dtype == object  # beyond 64 bits
    for index in random.Random(1).sample(range(len(land)), 150):
        agrees(land, index, training, held)


def test_the_number_of_workers_changes_nothing() -> None:
    training, held = tasks(3, (9, 9, 4), 14), tasks(4, (6, 6), 14)
    one, three = (compose(training, {"all": held}, workers=n) for n in (1, 3))
    for name in ("masks", "caught", "alarms", "capped", "vacuous"):
        assert np.array_equal(getattr(one, name), getattr(three, name))
    assert np.array_equal(one.endpoints["all"], three.endpoints["all"])


def test_operators_that_disagree_in_number_are_refused() -> None:
    with pytest.raises(DataError, match="same 1 to 64 operators"):
        compose(tasks(1, (3,), 4), {"all": tasks(1, (3,), 5)})
    with pytest.raises(DataError, match="composition"):
        compose([], {})


def test_criteria_on_the_worked_values() -> None:
    scores = counted(222, 1183)
    first = {name: float(rule(20, 30, 5)) for name, rule in scores.items()}
    second = {name: float(rule(8, 2, 2)) for name, rule in scores.items()}
    assert first == pytest.approx(
        {"C1": -10, "C4": -0.1961, "C5": -20, "C6": 14.3702, "C7": 0.1471, "C8": 0.4}, abs=5e-5
    )
    assert second == pytest.approx(
        {"C1": 6, "C4": 0.5455, "C5": 2, "C6": 7.6247, "C7": 0.0690, "C8": 0.8}, abs=5e-5
    )
    assert {name for name in scores if second[name] > first[name]} == {"C1", "C4", "C5", "C8"}
    assert round(float(class_weight(222, 1183)), 4) == 0.1877
    assert round(float(1 / class_weight(222, 1183)), 2) == 5.33
    assert counted(5, 0)["C6"](3, 2, 1) == 1  # no correct sample: C6 is C1
    assert counted(5, 5)["C8"](2, 0, 2) < counted(5, 5)["C8"](3, 9, 2)


def brute(land: Landscape, name: str) -> tuple[Fraction, list[int]]:
    """A criterion's best value and all subsets that have it."""
    rules = counted(land.incorrect, land.correct)

    def value(index: int) -> Fraction:
        if name == "C2":
            return land.delta("training", index)
        if name == "C3":
            return Fraction(int(land.capped[index]))
        counts = int(land.caught[index]), int(land.alarms[index]), int(land.sizes[index])
        return rules[name](*counts)

    values = [value(index) for index in range(len(land))]
    return max(values), [n for n, v in enumerate(values) if v == max(values)]


@given(st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_each_argmax_is_the_smallest_then_first_of_the_best(seed: int) -> None:
    land = compose(tasks(seed, (6, 5, 4), 7, 0.8), {"all": tasks(seed + 1, (5, 4), 7, 0.8)})
    chosen = Criteria(land).choose()
    assert [choice.criterion for choice in chosen] == [f"C{n}" for n in range(1, 9)]
    for choice in chosen:
        best, tied = brute(land, choice.criterion)
        expected = min(land.members(n) for n in tied if land.sizes[n] == min(land.sizes[tied]))
        assert (choice.value, choice.ties, choice.members) == (best, len(tied), expected)
        assert land.members(choice.index) == choice.members
    below = [land.delta("all", n) < land.delta("all", chosen[0].index) for n in range(len(land))]
    assert percentile(land, "all", chosen[0].index) == Fraction(sum(below), len(land))
    oracle = Criteria(land).oracle("all")
    assert oracle.value == max(land.delta("all", n) for n in range(len(land)))


def test_vacuous_subsets_compete_and_are_reported() -> None:
    silent = [TaskFlags(np.array([True, False]), np.eye(2, dtype=bool))]
    land = compose(silent, {"all": silent})
    assert land.vacuous.all() and len(land) == 3
    assert Criteria(land).choose()[0].members == (0,)
    assert safety(land, "all").minimum is None
    harmful = [TaskFlags(np.array([True, False]), np.array([[True, False]] * 2))]
    found = safety(compose(harmful, {"all": harmful}), "all")
    assert (found.subsets, found.vacuous, found.harmful) == (3, 2, 1)
    assert found.minimum == Fraction(-1, 2)


def test_the_sweep_has_twelve_weights_with_the_class_ratio_among_them() -> None:
    land = compose(tasks(5, (9, 8, 7), 8, 0.8), {"all": tasks(6, (5, 4), 8, 0.8)})
    sweep = Criteria(land).sweep()
    ratio = class_weight(land.incorrect, land.correct)
    assert len(sweep) == 12 and [w for w, _ in sweep] == sorted({*SWEEP, ratio})
    by_weight = dict(sweep)
    chosen = {choice.criterion: choice for choice in Criteria(land).choose()}
    assert by_weight[Fraction(1)].members == chosen["C1"].members
    assert by_weight[ratio].members == chosen["C6"].members


@pytest.mark.parametrize("wrong", [1, 2, 4, 8])
def test_the_sweep_has_twelve_weights_where_the_class_ratio_is_one_of_the_eleven(
    wrong: int,
) -> None:
    split = [TaskFlags(np.array([True] * 4 + [False] * wrong), np.ones((2, 4 + wrong), dtype=bool))]
    land = compose(split, {"all": split})
    ratio = class_weight(land.incorrect, land.correct)
    assert ratio in SWEEP
    weights = [weight for weight, _ in Criteria(land).sweep()]
    assert len(weights) == len(set(weights)) == 12 and {*SWEEP} < set(weights)
    assert weights == [weight for weight, _ in Criteria(land).sweep()]


def test_spearman_is_given_for_each_size() -> None:
    land = compose(tasks(5, (9, 8, 7), 8, 0.8), {"all": tasks(6, (5, 4), 8, 0.8)})
    found = dict(spearman_by_size(land, "all"))
    assert sorted(found) == [1, 2, 3, 4, 5, 6] and found[1] is None
    assert all(rho is None or -1 <= rho <= 1 for rho in found.values())


def counted_deltas(subsets: list[tuple[int, ...]], given_: list[TaskFlags]) -> list[Fraction]:
    """Delta of each subset by counting a task at a time, without words or tables."""
    flags = np.concatenate([task.flags for task in given_], axis=1)
    right = np.concatenate([task.correct for task in given_])
    starts = np.cumsum([0, *(len(task.correct) for task in given_)])[:-1]
    sizes, good = (
        np.add.reduceat(np.ones(len(right), int), starts),
        np.add.reduceat(right, starts, dtype=int),
    )
    deltas = []
    for members in subsets:
        fired = flags[list(members)].sum(axis=0) >= 2
        dropped = np.add.reduceat(fired, starts, dtype=int)
        alarms = np.add.reduceat(fired & right, starts, dtype=int)
        total = Fraction(0)
        for place in np.flatnonzero((dropped > 0) & (dropped < sizes)):
            n, c = int(sizes[place]), int(good[place])
            total += Fraction(c - int(alarms[place]), n - int(dropped[place])) - Fraction(c, n)
        deltas.append(total / len(given_))
    return deltas


def test_35_operators_over_2592_samples_equal_a_direct_loop_on_1000_subsets() -> None:
    training = tasks(7, (19,) * 75, 35, 0.2)
    held = tasks(8, (7,) * 24 + (6,) * 404, 35, 0.2)
    land = compose(training, {"all": held})
    assert len(land) == 2_007_327
    drawn = random.Random(9).sample(range(len(land)), 1000)
    subsets = [land.members(index) for index in drawn]
    for name, given_ in (("training", training), ("all", held)):
        assert [land.delta(name, index) for index in drawn] == counted_deltas(subsets, given_)
    assert len({land.delta("all", index) for index in drawn}) > 500
