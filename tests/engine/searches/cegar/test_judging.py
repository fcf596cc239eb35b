"""The judge's questions and how its replies are read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.model.llm import Completion, Finish, Params
from evoscope.engine.providers.offline.judge import judge
from evoscope.engine.searches.cegar.judging import (
    FORMS,
    Balance,
    Judge,
    column_of,
    judge_request,
    judges_of,
    read_verdict,
)
from evoscope.engine.searches.cegar.training import Labelled
from evoscope.engine.searches.cegar.verdicts import Member, Verdict
from evoscope.engine.searches.harden.setup import Profile
from tests.engine.searches.cegar.small import split

AUTHOR, CHEAP = Profile("p", "large", Params()), Profile("p", "small", Params())
F, A, P = Verdict.FLAG, Verdict.ABSTAIN, Verdict.PASS


def said(text: str, finish: Finish = Finish.STOP) -> Completion:
    return Completion(text, finish)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("WRONG", F), ("right.", P), (" **Wrong**\n", F), ("", A), ("maybe", A),
        ("RIGHT or WRONG", A), ("wrongly", A), ("It is wrong, wrong.", F),
    ],
)  # fmt: skip
def test_a_word_is_a_verdict_where_it_names_one(text: str, verdict: Verdict) -> None:
    assert read_verdict("word", said(text)) is verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("It looks wrong at first.\n\nVerdict: RIGHT", P), ("**Verdict:** wrong", F),
        ("Verdict: RIGHT\nOn reflection:\nverdict: WRONG", F), ("This is wrong.", A),
        ("My verdict: wrong", A), ("Verdict: unclear", A), ("Verdict:\nWRONG", F),
    ],
)  # fmt: skip
def test_after_reasons_only_a_verdict_line_counts(text: str, verdict: Verdict) -> None:
    assert read_verdict("reason", said(text)) is verdict


@pytest.mark.parametrize("form", FORMS)
def test_a_refusal_is_no_verdict(form: str) -> None:
    for finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        assert read_verdict(form, said("Verdict: WRONG", finish)) is A  # type: ignore[arg-type]


def test_four_configurations_and_none_twice_for_one_model() -> None:
    names = [one.unit for one in judges_of({"author": AUTHOR, "judge": CHEAP})]
    assert names == [
        "judge-author-word", "judge-author-reason", "judge-judge-word", "judge-judge-reason",
    ]  # fmt: skip
    assert [one.role for one in judges_of({"author": AUTHOR, "judge": AUTHOR})] == ["author"] * 2
    assert [one.role for one in judges_of({"judge": CHEAP})] == ["judge"] * 2


@pytest.mark.parametrize("form", FORMS)
def test_a_question_holds_what_a_level_1_operator_sees_and_no_more(form: str) -> None:
    task = split().tasks[0]
    judge_ = Judge("judge", form, CHEAP)  # type: ignore[arg-type]
    request = judge_request(judge_, task, "def f(): return '</input>'", Balance(3, 9))
    text = f"{request.system}\n{request.messages[0].text}"
    shown = json.loads(text.split("<input>\n")[1].split("\n</input>")[0])
    assert shown["answer"] == "def f(): return '</input>'"
    assert shown["task"]["prompt"] == task.prompt
    assert shown["task"]["visible"] == list(task.visible)
    assert task.reference not in text
    assert ("3 were wrong and 9 were right" in text) == (form == "reason")


@given(st.binary(min_size=1, max_size=8), st.text(max_size=80))
def test_the_offline_judge_says_one_of_three_things(key: bytes, code: str) -> None:
    word = judge({"answer": code}, "one word", key)
    reasons = judge({"answer": code}, "end with Verdict: WRONG", key)
    silent = "That cannot be told from the text alone."
    assert word in ("WRONG", "RIGHT", silent)
    assert read_verdict("word", said(word)) is read_verdict("reason", said(reasons))
    assert judge({"answer": code}, "one word", key) == word


def labelled() -> Labelled:
    """Two tasks, the second with a copy and a program that fails its visible checks."""
    task = split().tasks[0]
    return Labelled(
        (task,), {task.id: ("a", "b", "a", "c")}, ((True, True, True, False),),
        ((True, False, True, False),), (), "e", everything=True,
    )  # fmt: skip


def test_verdicts_are_of_distinct_programs_in_v_and_stand_for_all_copies() -> None:
    split_ = labelled()
    name = split_.tasks[0].id
    found = column_of(split_, {"verdicts": "FA", "electorate": "e"})
    assert found == {Member(name, 0): F, Member(name, 2): F, Member(name, 1): A}
    assert column_of(split_, {"verdicts": "", "electorate": "e"}) is None
    assert column_of(split_, {"verdicts": "FA", "electorate": "other"}) is None
