"""Whole replies: strict for gates, repaired for proposals, never where they were cut off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import MalformedReply
from evoscope.engine.gates.reply import json_object, proposal
from evoscope.engine.model.llm import Completion, Finish


def completion(text: str, finish: Finish = Finish.STOP) -> Completion:
    return Completion(text, finish)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", '{"a": NaN}', '{"a": 1} so', '{"a": 1, "a": 2}', r'{"a": "\ud83d"}'],
)
def test_a_gate_takes_one_plain_object_only(text: str) -> None:
    with pytest.raises(MalformedReply):
        json_object(text)


def test_a_proposal_is_repaired_and_says_so() -> None:
    assert proposal(completion('{"a": [1, 2,], }')) == ({"a": [1, 2]}, True)
    assert proposal(completion('{"a": [1, 2]}')) == ({"a": [1, 2]}, False)


def test_a_reply_that_was_cut_off_is_not_repaired() -> None:
    text = '{"mutations": [{"fields": {"contract": "The parties agr'
    with pytest.raises(MalformedReply):
        proposal(completion(text, Finish.LENGTH))


@given(st.text(max_size=100))
def test_any_text_is_an_object_or_malformed(text: str) -> None:
    try:
        assert isinstance(json_object(text), dict)
    except MalformedReply as error:
        assert str(error)
