"""Selection accuracy and the gates on checks.md's worked values, and their laws."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.searches.cegar.gate import decision_gate, induction_gate, recall_gate
from evoscope.engine.searches.cegar.metric import Vote, score
from tests.shared import shared_data

WORKED = ("1100|0010", "10|10", "00|11", "111|001", "|", "100|011")


def vote(text: str) -> Vote:
    labels, flags = text.split("|")
    return Vote(tuple(c == "1" for c in labels), tuple(c == "1" for c in flags))


votes = st.lists(
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=5).map(
        lambda pairs: Vote(tuple(a for a, _ in pairs), tuple(b for _, b in pairs))
    ),
    min_size=1,
    max_size=6,
)


def test_the_worked_example() -> None:
    found = score([vote(text) for text in WORKED])
    assert (found.nothing, found.perfect, found.chosen) == (
        Fraction(7, 18),
        Fraction(2, 3),
        Fraction(4, 9),
    )
    assert (found.delta, found.share) == (Fraction(1, 18), Fraction(1, 5))
    assert (found.helped, found.hurt, found.decidable, found.empty) == (2, 1, 3, 1)
    assert (found.flags, found.false_alarms) == (7, Fraction(2, 7))
    ruling = decision_gate(found)
    assert not ruling.admitted and "fewer than 3 tasks helped" in ruling.reason


@given(votes)
def test_an_operator_stays_between_the_worst_and_a_perfect_filter(tasks: list[Vote]) -> None:
    found = score(tasks)
    assert 0 <= found.chosen <= found.perfect <= 1
    perfect = score([Vote(t.correct, tuple(not c for c in t.correct)) for t in tasks])
    assert perfect.chosen == found.perfect
    silent = score([Vote(t.correct, (False,) * len(t.correct)) for t in tasks])
    assert silent.chosen == silent.nothing == found.nothing and silent.delta == 0
    if found.decidable:
        assert found.delta_decidable == found.delta * found.tasks / found.decidable
    else:
        assert found.delta == 0


@given(votes)
def test_only_decidable_tasks_move_delta(tasks: list[Vote]) -> None:
    decidable = [task for task in tasks if task.decidable]
    whole, part = score(tasks), score(decidable)
    assert whole.delta * whole.tasks == part.delta * part.tasks
    assert (whole.helped, whole.hurt) == (part.helped, part.hurt)


def helped(times: int, hurt: int = 0) -> list[Vote]:
    return [vote("10|01")] * times + [vote("10|10")] * hurt + [vote("11|00")]


@pytest.mark.parametrize(
    ("tasks", "admitted"),
    [
        (helped(3), True),
        (helped(2), False),
        (helped(3, 3), False),
        (helped(4, 3), True),
        ([vote("100000|011111")] * 3 + [vote("10|00")], True),
        ([vote("1110|0001")] * 4 + [vote("10|10")] * 3, False),  # helps a quarter, hurts a half
    ],
)
def test_the_gate_asks_for_three_helped_tasks_more_than_hurt_and_a_gain(
    tasks: list[Vote], admitted: bool
) -> None:
    assert decision_gate(score(tasks)).admitted is admitted


def test_the_recall_floor_counts_missed_fault_classes_and_false_alarms() -> None:
    missed = [f"class {n}" for n in range(140)]
    clean = score([vote("1111|0000")])
    assert recall_gate(missed, missed[:42], clean).admitted
    assert not recall_gate(missed, missed[:41], clean).admitted
    alarming = score([Vote((True,) * 49, (True, *(False,) * 48))])
    assert not recall_gate(missed, missed, alarming).admitted
    assert recall_gate(missed, missed, score([Vote((True,) * 50, (True, *(False,) * 49))])).admitted


def test_induction_admits_three_true_positives_at_half_precision() -> None:
    assert induction_gate(score([vote("000111|111111")])).admitted
    assert not induction_gate(score([vote("0001111|1111111")])).admitted
    assert not induction_gate(score([vote("0011|1100")])).admitted


@pytest.mark.shared
def test_the_papers_headroom_arithmetic() -> None:
    nothing, perfect = Fraction("0.7170"), Fraction("0.7593")
    assert abs(perfect - nothing - Fraction("0.0424")) <= Fraction("0.0001")
    assert float(Fraction("0.0065") / Fraction("0.0424")) == pytest.approx(0.154, abs=0.0015)
    rows = {
        row["figure"]: row
        for line in shared_data("stats", "paper_figures.jsonl").read_text().splitlines()
        if (row := json.loads(line))["paper"] == "EvalCEGAR"
    }
    for figure, key in (("headroom from pools", "headroom"), ("delta from pools", "delta")):
        row = rows[figure]
        sizes, values = row["inputs"]["tasks"], row["inputs"][key]
        mean = sum(n * Fraction(str(v)) for n, v in zip(sizes, values, strict=True)) / sum(sizes)
        assert round(float(mean), 4) == row["printed"]
    assert sum(rows["decidable tasks"]["inputs"]) == 58
