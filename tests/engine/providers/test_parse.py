"""Stored bodies, parsed: no server, no clock, the same every time."""

import json
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import ErrorClass, ProviderError
from evoscope.engine.model.llm import Finish, ParamsReport, RawReply, Route, Usage
from evoscope.engine.providers.base import Provider
from evoscope.engine.providers.route import same_model
from tests.engine.providers.wires import CLAUDE, QWEN, WIRES, ask, provider_at

BASE = "http://127.0.0.1:9"
SENT = ParamsReport(("temperature", "logprobs", "top_logprobs"))


def chat_body(**changes: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "4"}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    body = {"id": "gen-1", "model": QWEN, "provider": "Parasail", "choices": [choice]}
    choice.update(changes.pop("choice", {}))
    message.update(changes.pop("message", {}))
    return {**body, **changes}


def message_body(**changes: Any) -> dict[str, Any]:
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": CLAUDE}
    text = [{"type": "text", "text": "4"}]
    return {**body, "content": text, "stop_reason": "end_turn", "usage": {}, **changes}


@lru_cache
def provider_of(wire: str, dialect: str) -> Provider:
    return provider_at(BASE, wire, dialect=dialect)


def parsed(wire: str, body: Any, report: ParamsReport = SENT, **more: Any) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    provider = provider_of(wire, more.pop("dialect", "openrouter"))
    return provider.parse(RawReply(content, params=report), ask(wire, **more))


def tokens(*values: Any, top: int = 1) -> dict[str, Any]:
    others = [{"token": "b", "logprob": -9.0}] * top
    listed = [{"token": "a", "logprob": value, "top_logprobs": others} for value in values]
    return {"choice": {"logprobs": {"content": listed}}}


def test_log_probs_are_packed_as_float32_with_sum_and_count() -> None:
    completion = parsed("chat", chat_body(**tokens(-0.5, -0.25, -9999.0)))
    assert completion.logprobs.values.typecode == "f"
    assert completion.logprobs.count == 3
    assert completion.logprobs.total == -9999.75
    assert completion.params.dropped == ()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"choice": {"logprobs": {"content": None}}},
        {"choice": {"logprobs": {"content": []}}},
        {"choice": {"logprobs": [1]}},
        tokens(-0.5, None),
        tokens(-0.5, "x"),
        tokens(1e300),
        {"choice": {"logprobs": {"content": [7]}}},
    ],
)
def test_log_probs_that_did_not_come_are_none_and_reported_as_dropped(
    changes: dict[str, Any],
) -> None:
    completion = parsed("chat", chat_body(**changes))
    assert completion.logprobs is None
    assert completion.params.dropped == ("logprobs", "top_logprobs")
    assert completion.params.sent == ("temperature",)


def test_alternatives_that_did_not_come_are_reported_alone() -> None:
    completion = parsed("chat", chat_body(**tokens(-0.5, top=0)))
    assert completion.logprobs.count == 1
    assert completion.params.dropped == ("top_logprobs",)


def test_a_nan_among_log_probs_leaves_none() -> None:
    body = json.dumps(chat_body(**tokens(float("nan")))).encode()
    assert parsed("chat", body).logprobs is None


def test_openai_counts_cached_tokens_within_the_prompts_and_we_do_not() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    expected = Usage(input=30, cached_input=60, cache_write_5m=10, output=50, reasoning=20)
    assert parsed("chat", chat_body(usage=usage)).usage == expected


def test_anthropic_counts_are_disjoint_already() -> None:
    usage = {
        "input_tokens": 30,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 15,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 5},
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 20},
    }
    assert parsed("anthropic", message_body(usage=usage)).usage == Usage(30, 60, 10, 5, 50, 20)
    plain = {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 7}
    assert parsed("anthropic", message_body(usage=plain)).usage == Usage(
        input=1, cache_write_5m=7, output=2
    )


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "7", "input_tokens": -1}, 7])
def test_unknown_usage_is_none_and_never_zero(wire: str, usage: Any) -> None:
    body = chat_body(usage=usage) if wire == "chat" else message_body(usage=usage)
    assert parsed(wire, body).usage == Usage()


@pytest.mark.parametrize(
    ("dialect", "usage", "cost", "source"),
    [
        ("openrouter", {"cost": 0.00078}, Decimal("0.00078"), "provider"),
        ("openrouter", {"cost": 1e-7}, Decimal("1E-7"), "provider"),
        ("openrouter", {"cost": 0}, Decimal(0), "provider"),
        (
            "openrouter",
            {
                "cost": 0.01,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 0.2},
            },
            Decimal("0.21"),
            "provider",
        ),
        ("openrouter", {"cost": None}, None, "unknown"),
        ("openrouter", {"cost": "1"}, None, "unknown"),
        ("openrouter", {}, None, "unknown"),
        ("vllm", {"cost": 0.5}, None, "unknown"),
    ],
)
def test_the_cost_is_the_providers_own_figure_or_unknown(
    dialect: str, usage: dict[str, Any], cost: Decimal | None, source: str
) -> None:
    completion = parsed("chat", chat_body(usage=usage), dialect=dialect)
    assert (completion.cost, completion.cost_source) == (cost, source)


@pytest.mark.parametrize(
    ("changes", "finish"),
    [
        ({"choice": {"finish_reason": "length"}}, Finish.LENGTH),
        ({"choice": {"finish_reason": "content_filter"}}, Finish.CONTENT_FILTER),
        (
            {"choice": {"finish_reason": "content_filter", "native_finish_reason": "refusal"}},
            Finish.REFUSAL,
        ),
        ({"message": {"refusal": "no"}}, Finish.REFUSAL),
        ({"choice": {"finish_reason": "something new"}}, Finish.STOP),
    ],
)
def test_finish_reasons_in_our_words(changes: dict[str, Any], finish: Finish) -> None:
    assert parsed("chat", chat_body(**changes)).finish is finish


@pytest.mark.parametrize(
    "changes",
    [
        {"choices": None},
        {"choices": []},
        {"choices": "x"},
        {"choices": [None]},
        {"choice": {"message": None}},
        {"choice": {"finish_reason": None}},
        {"choice": {"finish_reason": "error"}},
        {"message": {"content": ""}, "usage": {"completion_tokens": 0}},
        {"error": {"message": "m", "code": 502}},
        {"choice": {"error": {"message": "m", "code": "503"}}},
    ],
)
def test_a_body_without_a_result_is_transient_and_maybe_paid(changes: dict[str, Any]) -> None:
    with pytest.raises(ProviderError) as caught:
        parsed("chat", chat_body(**changes))
    assert caught.value.kind is ErrorClass.TRANSIENT
    assert caught.value.maybe_paid


@pytest.mark.parametrize(
    "changes",
    [{"content": None}, {"stop_reason": None}, {"type": "completion"}, {"content": "x"}],
)
def test_an_anthropic_body_without_a_result_is_transient(changes: dict[str, Any]) -> None:
    with pytest.raises(ProviderError) as caught:
        parsed("anthropic", message_body(**changes))
    assert caught.value.kind is ErrorClass.TRANSIENT


def test_an_empty_answer_of_some_tokens_is_a_result() -> None:
    body = chat_body(message={"content": None}, usage={"completion_tokens": 9})
    assert parsed("chat", body).text == ""


def test_arguments_that_do_not_parse_are_none() -> None:
    calls = [
        {"id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "b", "function": {"name": "f", "arguments": '{"x": '}},
        {"id": "c", "function": {"name": "f", "arguments": "[1]"}},
        {"id": "d", "function": {"name": "f", "arguments": ""}},
    ]
    completion = parsed("chat", chat_body(message={"content": None, "tool_calls": calls}))
    assert [call.arguments for call in completion.tool_calls] == [{"x": 1}, None, None, {}]
    assert completion.raw_turn["tool_calls"] == calls


@pytest.mark.parametrize("wire", WIRES)
@given(content=st.binary(max_size=200))
def test_any_bytes_parse_or_raise_a_provider_error(wire: str, content: bytes) -> None:
    with pytest.raises(ProviderError):
        parsed(wire, content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(st.sampled_from(["choices", "usage", "model", "provider", "error"]), JSON)
def test_any_value_in_any_chat_field_is_a_completion_or_a_provider_error(
    name: str, value: Any
) -> None:
    try:
        completion = parsed("chat", chat_body(**{name: value}))
    except ProviderError:
        return
    completion.text.encode("utf-8")


@given(st.sampled_from(["content", "usage", "model", "stop_reason", "stop_details"]), JSON)
def test_any_value_in_any_message_field_is_a_completion_or_a_provider_error(
    name: str, value: Any
) -> None:
    try:
        completion = parsed("anthropic", message_body(**{name: value}))
    except ProviderError:
        return
    completion.text.encode("utf-8")


def test_json_nested_beyond_reason_is_refused_without_a_traceback() -> None:
    with pytest.raises(ProviderError, match="no JSON"):
        parsed("chat", b"[" * 200_000)


PROVIDERS = [
    ("parasail", "Parasail", True),
    ("google-vertex/us-east5", "Google Vertex", True),
    ("amazon-bedrock", "Amazon Bedrock", True),
    ("z-ai", "Z.AI", True),
    ("novita", "NovitaAI", True),
    ("deepinfra/fp8", "DeepInfra", True),
    ("openai", "OpenAI", True),
    ("parasail", "Novita", False),
    ("ai", "OpenAI", False),
    ("parasail", "", False),
]


@pytest.mark.parametrize(("asked", "served", "same"), PROVIDERS)
def test_a_pinned_provider_is_known_by_slug_or_display_name(
    asked: str, served: str, same: bool
) -> None:
    def run() -> Any:
        return parsed("chat", chat_body(provider=served), route=Route(("other", asked)))

    if same:
        assert run().served_provider == served
        return
    with pytest.raises(ProviderError, match="served by") as caught:
        run()
    assert caught.value.kind is ErrorClass.ROUTE_MISMATCH
    assert caught.value.maybe_paid


def test_without_a_route_any_provider_and_model_will_do_on_the_chat_wire() -> None:
    completion = parsed("chat", chat_body(provider="X", model="other/one"))
    assert (completion.served_provider, completion.served_model) == ("X", "other/one")


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        (QWEN, QWEN, True),
        (QWEN, QWEN.upper(), True),
        ("qwen/qwen3.5-35b-a3b:free", QWEN, True),
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001", True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("anthropic/claude-sonnet-4", "anthropic/claude-4-sonnet-20250522", True),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5-20260101", False),
        ("claude-opus-4-8", "claude-opus-4-7", False),
        ("deepseek/deepseek-r1", "deepseek/deepseek-r1-0528", False),
        (QWEN, "qwen/qwen3.5-122b-a10b", False),
        (QWEN, "", False),
    ],
)
def test_which_served_names_are_the_model_asked_for(asked: str, served: str, same: bool) -> None:
    assert same_model(asked, served) is same
