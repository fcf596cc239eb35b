"""The selection rules, held to the paper's tables and to independently worked values."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.searches.chase.gains import Gains, Sheet, pooled_destruction
from evoscope.engine.searches.chase.selection import (
    Choice,
    confirmed,
    select_final,
    select_higher,
    select_round,
)

H0 = Gains("H0", {"rel": Fraction(0), "b1": Fraction(0)})


def gains(name: str, released: int, shifted: int, of: int = 98) -> Gains:
    return Gains(name, {"rel": Fraction(released, of), "b1": Fraction(shifted, of)})


def percent(name: str, released: str, shifted: str) -> Gains:
    return Gains(name, {"rel": Fraction(released) / 100, "b1": Fraction(shifted) / 100})


ROUND_2 = [gains("S", 15, 9), gains("Gu", 9, 3), gains("I", 15, -2)]
ROUND_3 = [gains("S", -1, -1), gains("Gu", -2, -6), gains("I", 4, 0)]
H1 = gains("H1", 8, -5)


@pytest.mark.parametrize(
    ("epsilon", "expected", "outcome"),
    [("0.05", "H0", "fallback"), ("0.07", "S", "adopt"), ("0.2", "S", "adopt")],
)
def test_round_two_falls_back_until_the_tolerance_admits_a_candidate(
    epsilon: str, expected: str, outcome: str
) -> None:
    choice = select_round(ROUND_2, H1, "H0", Fraction(epsilon))
    assert (choice.harness, choice.outcome) == (expected, outcome)


def test_round_three_adopts_the_integrated_candidate() -> None:
    choice = select_round(ROUND_3, H0, "H0", Fraction("0.05"))
    assert (choice.harness, choice.outcome) == ("I", "adopt")


def test_the_papers_printed_percentages_give_its_selections() -> None:
    printed = [
        percent("S", "15.31", "9.18"), percent("Gu", "9.18", "3.06"), percent("I", "15.31", "-2.04")
    ]  # fmt: skip
    second = select_round(printed, percent("H1", "8.16", "-5.10"), "H0", Fraction("0.05"))
    assert (second.harness, second.outcome) == ("H0", "fallback")
    printed = [
        percent("S", "-1.02", "-1.02"), percent("Gu", "-2.04", "-6.12"), percent("I", "4.08", "0")
    ]  # fmt: skip
    assert select_round(printed, H0, "H0", Fraction("0.05")).harness == "I"
    assert [one.feasible(Fraction("0.05")) for one in printed] == [True, True, True]


def test_confirmation_takes_fourteen_percent_and_leaves_four() -> None:
    eta = Fraction("0.075")
    assert confirmed(Fraction("0.14"), eta)
    assert not confirmed(Fraction("0.0408"), eta)


@pytest.mark.parametrize(("eta", "ties"), [("0.075", 6), ("0.05", 4)])
def test_a_tie_with_the_threshold_confirms_in_every_count_combination(eta: str, ties: int) -> None:
    for base in range(0, 80 - ties):
        score = {"t": tuple(Fraction(int(k < base + ties)) for k in range(80))}
        none = {"t": (Fraction(0),) * 80}
        lost = {"t": tuple(Fraction(int(k < base)) for k in range(80))}
        destruction, pairs = pooled_destruction((score, lost), (none, none))
        assert pairs == 80
        assert confirmed(destruction, Fraction(eta))
        assert not confirmed(destruction - Fraction(1, 80), Fraction(eta))


def test_the_best_feasible_candidate_below_an_infeasible_current_one_is_not_adopted() -> None:
    current = gains("H1", 8, -5)
    choice = select_round([gains("S", 6, 5)], current, "H0", Fraction("0.05"))
    assert (choice.harness, choice.outcome) == ("H0", "fallback")


def test_a_feasible_current_harness_is_kept_against_weaker_candidates() -> None:
    choice = select_round([gains("S", 6, 6)], gains("H1", 8, 6), "H0", Fraction("0.05"))
    assert (choice.harness, choice.outcome) == ("H1", "keep")


def test_an_equal_score_is_adopted_by_chase_and_not_by_the_comparison_methods() -> None:
    assert select_round([gains("S", 8, 8)], gains("H1", 8, 8), "H0", Fraction("0.05")).outcome == (
        "adopt"
    )
    choice = select_higher([("S", Fraction(8, 98))], ("H1", Fraction(8, 98)))
    assert choice == Choice("H1", "keep", choice.reason)


def test_the_final_harness_is_the_best_feasible_one_and_ties_go_to_smaller_gamma() -> None:
    pool = [H0, H1, gains("H2", 4, 0), gains("H3", 4, 3), gains("H4", 4, 3)]
    assert select_final(pool, Fraction("0.05")).harness == "H3"


def test_certification_of_the_worked_example() -> None:
    sheet = Sheet(("t",))
    for name, released, shifted in (("raw", 155, 147), ("chase", 157, 155)):
        for benchmark, right in (("rel", released), ("b1", shifted)):
            scores = {"t": tuple(Fraction(int(k < right)) for k in range(228))}
            sheet.put(name, benchmark, scores)
    found = sheet.gains("chase", "raw", ("rel", "b1"))
    assert found.released == Fraction(2, 228)
    assert found.destroyed("b1") == Fraction(-6, 228)
    assert found.gamma == 0
    assert found.least == Fraction(2, 228)
    assert found.binding is None
    average = (sheet.rate("chase", "rel") + sheet.rate("chase", "b1")) / 2
    assert f"{float(average):.4f}" == "0.6842"


def test_a_missing_rollout_is_no_zero_and_a_task_without_any_leaves_both_sides() -> None:
    sheet = Sheet(("a", "b"))
    one, zero = Fraction(1), Fraction(0)
    sheet.put("H", "rel", {"a": (one,), "b": ()})
    sheet.put("H0", "rel", {"a": (zero, one), "b": (one, one)})
    found = sheet.gains("H", "H0", ("rel",))
    assert (found.released, found.missing) == (Fraction(1, 2), 1)


def test_harnesses_with_other_missing_tasks_are_compared_on_the_tasks_that_all_have() -> None:
    sheet, one, zero = Sheet(("a", "b", "c")), (Fraction(1),), (Fraction(0),)
    sheet.put("H0", "rel", {"a": zero, "b": zero, "c": zero})
    sheet.put("X", "rel", {"a": one, "b": (), "c": zero})
    sheet.put("Y", "rel", {"a": one, "b": one, "c": zero})
    apart = [sheet.gains(name, "H0", ("rel",)).released for name in "XY"]
    assert apart == [Fraction(1, 2), Fraction(2, 3)], "on its own tasks Y looks better"
    found = sheet.compared("XY", "H0", ("rel",))
    assert [found[name].released for name in "XY"] == [Fraction(1, 2)] * 2
    assert {each.missing for each in found.values()} == {1}


def test_a_harness_that_shares_no_task_with_those_before_it_takes_no_part() -> None:
    sheet, one = Sheet(("a", "b")), (Fraction(1),)
    sheet.put("H0", "rel", {"a": one, "b": one})
    sheet.put("X", "rel", {"a": one, "b": ()})
    sheet.put("Y", "rel", {"a": (), "b": one})
    assert list(sheet.compared(("X", "Y", "Z"), "H0", ("rel",))) == ["X"]
    assert sheet.shared(("Y", "X", "H0"), ["rel"]) == (["Y", "H0"], ["b"])


SCORES = st.lists(st.lists(st.integers(0, 1), max_size=2), min_size=4, max_size=4)


@given(st.lists(SCORES, min_size=1, max_size=4))
def test_a_comparison_s_gains_differ_by_scores_of_the_same_tasks(drawn: list[Any]) -> None:
    sheet = Sheet(("a", "b", "c", "d"))
    names = [f"H{place}" for place in range(len(drawn))]
    for name, rows in zip(names, drawn, strict=True):
        own = {t: tuple(map(Fraction, row)) for t, row in zip(sheet.tasks, rows, strict=True)}
        sheet.put(name, "rel", own)
    kept, tasks = sheet.shared(names, ["rel"])
    assert all(sheet.scores[name, "rel"][task] for name in kept for task in tasks)
    found = sheet.compared(names, "H0", ("rel",))
    if "H0" in kept:
        assert list(found) == kept
        first = next(iter(found.values()))
        for name, each in found.items():
            rate = sheet.rate(name, "rel", tasks) - sheet.rate(kept[0], "rel", tasks)
            assert each.released - first.released == rate
            assert each.missing == 4 - len(tasks)


@given(
    st.lists(st.tuples(st.integers(-40, 40), st.integers(-40, 40)), min_size=1, max_size=6),
    st.integers(0, 20),
)
def test_smallest_gain_and_largest_destruction_add_up_to_the_released_gain(
    values: list[tuple[int, int]], epsilon: int
) -> None:
    pool = [H0, *(gains(f"H{k + 1}", a, b) for k, (a, b) in enumerate(values))]
    assert all(one.least + one.gamma == one.released for one in pool)
    final = select_final(pool, Fraction(epsilon, 98))
    assert final.feasible(Fraction(epsilon, 98))
    assert final.released >= 0
    choice = select_round(pool[1:], H0, "H0", Fraction(epsilon, 98))
    chosen = next(one for one in pool if one.harness == choice.harness)
    assert chosen.feasible(Fraction(epsilon, 98))
    assert chosen.released >= 0
