"""The Generalization Gate: what a comparison method's candidate may not carry over."""

import pytest

from evoscope.engine.model.chase import Guidance, Harness, Retrieval
from evoscope.engine.searches.chase.gate import Observed, objections

SEEN = (
    Observed(
        "q17", "What did the Harbour Office spend on repairs and maintenance in 1987 in all?",
        "4,512", ("bulletin_1987_03.txt",),
    ),
)  # fmt: skip
BASE = Harness()


def advised(instruction: str, when: str = "amounts are summed") -> Harness:
    return Harness(guidance=[Guidance(name="advice", applies_when=when, instruction=instruction)])


def found(harness: Harness, kind: str = "guidance") -> list[str]:
    return objections(harness, BASE, kind, SEEN)


def test_a_rule_that_can_be_used_again_passes() -> None:
    assert found(advised("convert every amount to one unit before they are added")) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for Q17 look at the annex", "question id"),
        ("this helps on D_evo", "data-role"),
        ("better on d_conf1 than before", "data-role"),
        ("Certification tasks have longer tables", "data-role"),
        ("spend on repairs, and maintenance in 1987 in all", "eight words"),
        ("open bulletin_1987_03.txt at once", "source file"),
        ("if 1987 comes up the answer is 4,512", "year and the answer"),
    ],
)
def test_what_belongs_to_one_question_is_refused(text: str, reason: str) -> None:
    assert any(reason in objection for objection in found(advised(text)))
    in_memory = Harness(memory=[text])
    assert any(reason in objection for objection in found(in_memory))


@pytest.mark.parametrize("when", ["always", "Every question.", " any task "])
def test_advice_without_a_condition_is_refused(when: str) -> None:
    assert found(advised("count twice", when)) == ["guidance 'advice' says no condition of use"]


def test_a_structural_candidate_must_change_a_policy() -> None:
    assert found(advised("count twice"), "structural") != []
    assert found(Harness(retrieval=Retrieval(top_k=8)), "structural") == []


def test_parts_of_names_and_other_years_are_no_reason() -> None:
    assert found(advised("q170 and 1988 beside 4,512 say nothing of it")) == []
