"""FinQA's language, equivalence, tolerant reading and evidence, on small cases."""

import time
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoscope.engine.benchmarks.base import Case, Grade
from evoscope.engine.benchmarks.figures import figures_in, read_figure
from evoscope.engine.benchmarks.finqa import FinQA
from evoscope.engine.benchmarks.finqa_equal import equivalent
from evoscope.engine.benchmarks.finqa_program import OPERATIONS, execute, tokenize
from evoscope.engine.benchmarks.finqa_tolerant import reads_as

TABLE = [
    ["", "2009", "2008"],
    ["net revenue", "$ 1234", "1000"],
    ["net loss", "-5 ( 5 )", "-7 ( 7 )"],
    ["tax, total", "3", "4"],
    ["dashes", "-", "6"],
]
ARGUMENT = st.sampled_from(["1", "12%", "const_100", "const_m1", "#0", "#1", "net revenue", "none"])
PROGRAM = st.lists(
    st.builds("{}({}, {})".format, st.sampled_from(sorted(OPERATIONS)), ARGUMENT, ARGUMENT),
    max_size=6,
).map(", ".join)


def case(program: str, expected: float | str, table: Sequence[Sequence[str]] = TABLE) -> Case:
    fields = {
        "question": "what was it ?",
        "pre_text": ["revenue was $ 1234 million , 12% ( 12 % ) more ."],
        "table": [list(row) for row in table],
        "post_text": [],
    }
    return Case("c", fields, expected, None, {"program": program, "answer": ""})


def graded(response: str, expected: float | str = 234.0) -> Grade:
    gold = case("subtract(1234, 1000)", expected)
    return FinQA([gold]).grade(gold, response)


@given(st.text(st.characters(), max_size=200))
def test_any_text_has_tokens_and_runs(program: str) -> None:
    tokens = tokenize(program)
    assert tokens[-1] == "EOF"
    assert "".join(tokens[:-1]) == program.replace(", ", "")
    execute(tokens, TABLE)


@given(PROGRAM)
@settings(max_examples=300)
def test_programs_run_to_a_number_a_word_or_nothing(program: str) -> None:
    answer = execute(tokenize(program), TABLE).answer
    assert answer is None or answer in ("yes", "no") or isinstance(answer, float)


@given(PROGRAM)
@settings(max_examples=100, deadline=None)
def test_a_program_that_runs_is_equivalent_to_itself(program: str) -> None:
    if execute(tokenize(program), TABLE).answer is not None:
        assert equivalent(program, program) is True


def test_the_last_program_line_wins_and_negative_zero_is_zero() -> None:
    lines = "Program: subtract(1, 1)\nprogram:  subtract(1234, 1000)  \nProgram:\nso be it"
    assert graded(lines).score == 1
    assert graded("Program: subtract(1234, 1000)\nProgram: see above").score == 0
    zero = graded("Program: multiply(0, const_m1)", 0.0)
    assert (zero.score, zero.cls) == (1, "0.0")
    assert graded("Program: subtract(5, 5)", 0.0).cls == "0.0"


def test_failures_of_any_kind_are_one_class() -> None:
    for program in (
        "foo(1, 2)",
        "divide(1, 0)",
        "add(1",
        "table_sum(nothing, none)",
        "exp(-8, .5)",
    ):
        grade = graded(f"Program: {program}")
        assert (grade.score, grade.cls, grade.parsed) == (0, None, program)


def test_programs_run_on_the_candidates_own_table() -> None:
    gold = case("table_sum(net revenue, none)", 2234.0)
    moved = case("table_sum(net revenue, none)", 2234.0, [["net revenues", "1234", "1000"]])
    response = "Program: table_sum(net revenue, none)"
    assert FinQA([gold]).grade(gold, response).score == 1
    grade = FinQA([gold]).grade(moved, response)
    assert (grade.score, grade.equivalent) == (0, True)


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        ("subtract(1234, 1000)", True),
        ("add(1234, 1000), subtract(1234, 1000)", True),
        ("subtract(1000, 1234)", False),
        ("subtract(1234, 1000.0)", False),
        ("greater(1234, 1000)", False),
        ("subtract(1000, 1000), divide(1234, #0), subtract(1234, 1000)", True),
        ("subtract(1000, 1000), divide(1234, #0)", False),
        ("not a program", False),
        ("", False),
    ],
)
def test_equivalence_is_algebraic(program: str, verdict: bool) -> None:
    assert equivalent("subtract(1234, 1000)", program) is verdict


def test_what_sympy_refuses_is_unequal_and_a_malformed_gold_is_an_error() -> None:
    zero = "subtract(2, 2), divide(1, #0), greater(#1, 1)"
    assert equivalent("add(1, 2), greater(#0, 1)", zero) is False
    for gold in ("", "add(1)", "greater(1, 2), add(#0, 1)", "add(#0, 1)"):
        with pytest.raises(ValueError, match=r"step|reference|comparison"):
            equivalent(gold, "add(1, 2)")


@pytest.mark.parametrize(
    "program",
    [
        ", ".join(["add(1234, 1000)", *(f"multiply(#{i}, #{i})" for i in range(40))]),
        ", ".join(["add(1234, 1000)", *(f"exp(#{i}, 1000)" for i in range(60))]),
        ", ".join(["add(1234, 1000)", *(f"divide(1000, #{i})" for i in range(60))]),
    ],
)
def test_equivalence_gives_up_on_huge_expressions_at_once(program: str) -> None:
    start = time.process_time()
    assert equivalent("subtract(1234, 1000)", program) is None
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "response",
    [
        "**Program:** `subtract($1,234, 1000)`",
        "Program: subtract( $ 1234 , 1,000 ).",
        "Program: 234",
        "Program: $ 234 million",
        "Program: divide(234, const_1000)",
        "Program: add(2.34, 0)",
    ],
)
def test_a_tolerant_reading_is_shown_beside_and_never_scores(response: str) -> None:
    grade = graded(response)
    assert (grade.score, grade.tolerant) == (0, True)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Program: add((5), (7))", -12.0),
        ("Program: add(- 5, 7)", 2.0),
        ("Program: table_sum(Net  Loss:, none)", -12.0),
        ("Program: table_average(Tax, total, none)", 3.5),
        ("Program: table_sum(dashes, none)", 6.0),
        ("Program: divide(subtract, 2)\nProgram: divide(12, 100)", 12.0),
        ("Program: Yes", "yes"),
    ],
)
def test_tolerance_knows_how_filings_write(response: str, expected: float | str) -> None:
    assert reads_as(response, TABLE, expected)


@pytest.mark.parametrize(
    "response", ["", "Program: 235", "Program: -234", "Program: no", "Program: add(1, nothing)"]
)
def test_tolerance_does_not_make_wrong_answers_right(response: str) -> None:
    assert graded(response).tolerant is False


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234", 1234), ("$ 1,234.50", Fraction(2469, 2)), ("(1,234)", -1234), ("-5 ( 5 )", -5),
        ("\u2212 5", -5), ("12%", Fraction(12, 100)), ("1.2 million", 1_200_000), ("\u2014", 0),
        ("nil", 0), ("25 basis points", Fraction(25, 10_000)), ("abc", None), ("", None),
        ("page 7", None),
    ],
)  # fmt: skip
def test_figures_are_read_as_people_write_them(text: str, value: Fraction | None) -> None:
    assert read_figure(text) == value


@pytest.mark.parametrize(
    ("operand", "sentence"),
    [
        ("1234", "it came to 1,234 in all"),
        ("1234", "it came to $1.234 billion"),
        ("1234", "a loss of (1,234)"),
        ("1234", "1,234,000"),
        ("1234000", "1.234 million"),
        ("12%", "a share of 0.12"),
        ("0.12", "12% of sales"),
        ("0.12", "twelve percent or 1,200 basis points"),
        ("25", "twenty-five plants"),
        ("0", "\u2014"),
        ("5%", "5 per cent"),
    ],
)
def test_operands_are_located_in_any_authentic_format(operand: str, sentence: str) -> None:
    program = f"add({operand}, const_1)"
    original = {"pre_text": [operand], "table": [["a", "b"]], "post_text": [], "question": ""}
    given_case = Case("c", original, 1.0, None, {"program": program, "answer": ""})
    finqa = FinQA([given_case])
    found = Case("c", {**original, "pre_text": [sentence]}, 1.0)
    lost = Case("c", {**original, "pre_text": ["it came to 77 in 1999"]}, 1.0)
    assert finqa.missing_evidence(given_case, found) == []
    assert finqa.missing_evidence(given_case, lost) == [operand]


def test_a_table_step_needs_the_cells_of_its_row() -> None:
    gold = case("table_sum(net loss, none), divide(#0, 99)", -0.12)
    finqa = FinQA([gold])
    label_changed = case("", 0.0, [["loss for the year", "(5)", "(7)"]])
    cell_lost = case("", 0.0, [["net loss", "-5", "-8"]])
    assert finqa.missing_evidence(gold, label_changed) == []
    assert finqa.missing_evidence(gold, cell_lost) == ["-7 ( 7 )"]


@given(st.text(st.characters(), max_size=300))
def test_figures_never_fail_on_any_text(text: str) -> None:
    for figure in figures_in(text):
        assert figure.readings
    read_figure(text)
