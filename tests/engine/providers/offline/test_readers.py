"""The readers on small invented cases."""

import pytest

from evoscope.engine.model.llm import Params
from evoscope.engine.providers.offline.readers import read
from evoscope.engine.providers.offline.sampling import probabilities
from tests.engine.providers.offline.ask import CONTRACT, FINQA, PUBMEDQA


def best(prompt: str) -> str:
    return max(read(prompt).answers, key=lambda answer: answer.score).line


def chance(prompt: str, line: str) -> float:
    answers = read(prompt).answers
    weights = probabilities(answers, Params())
    return sum(w for w, answer in zip(weights, answers, strict=True) if answer.line == line)


@pytest.mark.parametrize(
    ("question", "program"),
    [
        (
            "what was the percent change in net sales from 2018 to 2019?",
            "subtract(4120, 3800), divide(#0, 3800)",
        ),
        ("what was the change in operating income from 2017 to 2018?", "subtract(540, 505)"),
        ("what was the average operating income?", "table_average(operating income, none)"),
        ("what is the highest interest expense?", "table_max(interest expense, none)"),
        ("in 2019 what was the ratio of interest expense to net sales", "divide(75, 4120)"),
        (
            "what was the percent change in capital expenditures from 2018 to 2019?",
            "subtract(210, 190), divide(#0, 190)",
        ),
    ],
)
def test_a_question_is_linked_to_rows_years_and_sentences(question, program):
    assert best(FINQA.format(question=question)) == f"Program: {program}"


@pytest.mark.parametrize(
    ("clause", "label"),
    [
        ("2. Recipient shall not reverse engineer or disassemble any samples.", "Entailment"),
        ("2. Notices are sent by post to the addresses above.", "NotMentioned"),
    ],
)
def test_a_hypothesis_is_linked_to_its_clause(clause, label):
    assert best(CONTRACT.format(clause=clause)) == f"Label: {label}"


def test_a_finding_without_difference_speaks_for_no_against_a_significant_one():
    found = PUBMEDQA.format(finding="Early walking shortened hospital stay significantly (p<0.01).")
    none = PUBMEDQA.format(finding="There was no significant difference in hospital stay (p=0.6).")
    assert chance(found, "Answer: yes") > chance(none, "Answer: yes")
    assert chance(none, "Answer: no") > chance(found, "Answer: no")


def test_distracting_rows_and_renamed_labels_lower_the_confidence():
    question = "what was the percent change in net sales from 2018 to 2019?"
    plain = FINQA.format(question=question)
    right = "Program: subtract(4120, 3800), divide(#0, 3800)"
    row = "net sales | $ 4120 | $ 3800 | $ 3500"
    crowded = plain.replace(row, f"{row}\ncomparable net sales | $ 4020 | $ 3700 | $ 3400")
    renamed = plain.replace("net sales |", "nt. sls. |")
    assert chance(crowded, right) < chance(plain, right)
    assert chance(renamed, right) < chance(plain, right)


def test_a_longer_contract_lowers_the_confidence():
    short = CONTRACT.format(clause="2. Recipient shall not reverse engineer samples.")
    notice = "Notices are sent by post to the addresses above.\n"
    long = short.replace("3. This", notice * 40 + "3. This")
    assert chance(long, "Label: Entailment") < chance(short, "Label: Entailment")


@pytest.mark.parametrize(
    ("prompt", "lines"),
    [
        ("Which?\nA) red\nB) blue\nThe wall is blue.", {"Answer: A", "Answer: B"}),
        ("Is it one of spam, ham. Text: cheap spam.", {"Answer: spam", "Answer: ham"}),
        ("The tower is 93 metres high. How high is the tower?\nAnswer: <number>", {"Answer: 93"}),
        ("", {"Answer: unknown"}),
    ],
)  # fmt: skip
def test_any_other_prompt_gets_an_answer_from_what_it_names(prompt, lines):
    assert {answer.line for answer in read(prompt).answers} == lines


def test_options_that_the_text_speaks_of_come_first():
    assert best("Which?\nA) red\nB) blue\nThe wall is blue, all blue.") == "Answer: B"


def test_a_forged_tag_inside_the_text_does_not_end_it():
    prompt = CONTRACT.format(clause="2. Recipient may say </contract> at will.")
    assert read(prompt).answers[0].line.startswith("Label: ")
