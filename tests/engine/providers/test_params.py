"""The table of accepted parameters: every parameter is sent or reported, never lost."""

import re
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.model.llm import Message, Params, Request
from evoscope.engine.providers.anthropic_request import messages_body
from evoscope.engine.providers.chat_request import chat_body
from evoscope.engine.providers.params import CLAUDE, DIALECTS, OPENAI, accepts, report

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "temperature": st.none() | st.just(0.0) | st.just(1.0),
    "top_p": st.none() | st.just(0.9),
    "top_k": st.none() | st.just(20),
    "presence_penalty": st.none() | st.just(1.5),
    "repetition_penalty": st.none() | st.just(1.0),
    "seed": st.none() | st.just(0),
    "max_tokens": st.none() | st.just(100),
    "logprobs": st.booleans(),
    "top_logprobs": st.none() | st.just(5),
    "reasoning": st.sampled_from([None, "off", "adaptive"]),
    "effort": st.sampled_from([None, "low", "high", "xhigh", "max"]),
    "json_object": st.booleans(),
    "schema": st.none() | st.just(("s", {"type": "object", "properties": {}})),
    "web_search": st.booleans(),
    "blocked_terms": st.sampled_from([(), ("a",)]),
}
PARAMS = st.builds(Params, **VALUES)
MODELS = st.sampled_from(
    [
        "claude-opus-4-8",
        "claude-fable-5",
        "claude-sonnet-4-6",
        "claude-opus-4-5",
        "claude-haiku-4-5",
        "claude-3-haiku-20240307",
        "anthropic/claude-opus-4.8",
        "openai/gpt-5.2",
        "gpt-5.2",
        "gpt-4.1",
        "o3",
        "qwen/qwen3.5-35b-a3b",
    ]
)


def test_the_strategies_cover_every_parameter() -> None:
    assert set(VALUES) == {each.name for each in fields(Params)}


@given(st.sampled_from(sorted(DIALECTS)), MODELS, PARAMS)
def test_what_is_asked_is_sent_or_not_supported_and_the_body_agrees(
    dialect: str, model: str, params: Params
) -> None:
    made = report(dialect, model, params)
    asked = {
        each.name for each in fields(Params) if getattr(params, each.name) not in (None, False, ())
    } | {name for name in ("temperature", "seed") if getattr(params, name) is not None}
    assert set(made.sent) | set(made.not_supported) == asked
    assert not set(made.sent) & set(made.not_supported)
    request = Request("task", "p", model, (Message("user", "hi"),), params=params)
    anthropic = dialect == "anthropic"
    body = messages_body(request, made) if anthropic else chat_body(request, dialect, made)
    for name in ("temperature", "top_p", "top_k", "presence_penalty", "seed"):
        assert (name in body) == (name in made.sent)
    assert ("tools" in body) == ("web_search" in made.sent)


@given(st.sampled_from(sorted(DIALECTS)), PARAMS)
def test_a_current_claude_gets_no_sampling_parameter_by_any_way(
    dialect: str, params: Params
) -> None:
    model = "claude-opus-4-8" if dialect == "anthropic" else "anthropic/claude-opus-4.8"
    barred = {"temperature", "top_p", "top_k", "presence_penalty", "logprobs", "seed"}
    assert not barred & set(report(dialect, model, params).sent)


@pytest.mark.parametrize(
    ("model", "pattern"),
    [
        ("claude-mythos-5-2", "fable|mythos"),
        ("claude-opus-4-6", "4-6"),
        ("anthropic/claude-opus-4.6", "4-6"),
        ("claude-opus-4-5-20251101", "opus-4-5"),
        ("claude-haiku-4-5-20251001", "haiku-4-5"),
        ("claude-3-haiku-20240307", "instant"),
        ("claude-sonnet-4-20250514", "instant"),
        ("claude-opus-4-7", "^claude$"),
        ("claude-sonnet-5", "^claude$"),
        ("claude-haiku-5-5", "^claude$"),
    ],
)
def test_each_claude_falls_into_its_family(model: str, pattern: str) -> None:
    rows = [found for text, found in CLAUDE if re.search(pattern, text)]
    assert accepts("anthropic", model) == rows[0]


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("gpt-5-chat-latest", 0),
        ("gpt-5.2", 1),
        ("gpt-5.1-codex", 1),
        ("gpt-5-2025-08-07", 2),
        ("gpt-5-mini", 2),
        ("o4-mini", 2),
        ("gpt-4.1", 3),
        ("chatgpt-4o-latest", 3),
    ],
)
def test_each_gpt_falls_into_its_family(model: str, row: int) -> None:
    assert accepts("openai", model) == OPENAI[row][1]
