"""What goes over the wire, field by field."""

from typing import Any

import pytest

from evoscope.engine.model.llm import Completion, Finish, Message, Route, Tool
from tests.engine.providers.wires import CLAUDE, KEY, QWEN, ask, exchanged, provider_at
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer, Seen

USER = [{"role": "user", "content": "What is 2 + 2?"}]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"pass": {"type": "boolean"}},
    "required": ["pass"],
    "additionalProperties": False,
}
PAPER = {
    "temperature": 1.0,
    "top_p": 0.95,
    "top_k": 20,
    "presence_penalty": 1.5,
    "repetition_penalty": 1.0,
    "max_tokens": 16384,
    "logprobs": True,
    "top_logprobs": 5,
    "reasoning": "off",
    "seed": 7,
}


async def sent(wire: str, **more: Any) -> tuple[Seen, Completion]:
    dialect = more.pop("dialect", "openrouter")
    async with LlmServer() as server:
        completion = await exchanged(server, wire, ask(wire, **more), dialect=dialect)
        return server.last, completion


async def test_the_papers_profile_reaches_openrouter_whole() -> None:
    route = Route(("parasail",), ("bf16", "fp8"))
    seen, completion = await sent("chat", params=PAPER, route=route)
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["content-type"] == "application/json"
    assert seen.body == {
        "model": QWEN,
        "messages": USER,
        "temperature": 1.0,
        "top_p": 0.95,
        "top_k": 20,
        "presence_penalty": 1.5,
        "repetition_penalty": 1.0,
        "max_tokens": 16384,
        "logprobs": True,
        "top_logprobs": 5,
        "reasoning": {"enabled": False},
        "seed": 7,
        "provider": {
            "only": ["parasail"],
            "quantizations": ["bf16", "fp8"],
            "allow_fallbacks": False,
            "require_parameters": True,
        },
    }
    assert set(completion.params.sent) == set(PAPER)
    assert completion.params.not_supported == completion.params.dropped == ()
    assert completion.served_provider == "parasail"
    assert completion.logprobs is not None
    assert completion.logprobs.count == len(completion.text.split())


@pytest.mark.parametrize(
    ("dialect", "model", "wanted", "refused"),
    [
        (
            "openai",
            "gpt-4.1",
            {"temperature": 1.0, "max_completion_tokens": 16384, "logprobs": True, "seed": 7},
            {"top_k", "repetition_penalty", "reasoning"},
        ),
        (
            "openai",
            "gpt-5.2",
            {"reasoning_effort": "none", "temperature": 1.0, "top_logprobs": 5},
            {"top_k", "repetition_penalty"},
        ),
        (
            "openai",
            "o3",
            {"max_completion_tokens": 16384, "seed": 7},
            {"temperature", "top_p", "top_k", "presence_penalty", "repetition_penalty"}
            | {"logprobs", "top_logprobs", "reasoning"},
        ),
        (
            "vllm",
            "qwen3.5",
            {
                "top_k": 20,
                "repetition_penalty": 1.0,
                "chat_template_kwargs": {"enable_thinking": False},
            },
            set(),
        ),
        (
            "llama.cpp",
            "qwen3.5",
            {"repeat_penalty": 1.0, "chat_template_kwargs": {"enable_thinking": False}},
            set(),
        ),
        ("ollama", "qwen3.5", {"reasoning_effort": "none"}, {"top_k", "repetition_penalty"}),
        (
            "openrouter",
            "anthropic/claude-opus-4.8",
            {"reasoning": {"enabled": False}, "max_tokens": 16384},
            {"temperature", "top_p", "top_k", "presence_penalty", "repetition_penalty"}
            | {"seed", "logprobs", "top_logprobs"},
        ),
    ],
)
async def test_each_dialect_gets_what_it_takes_and_the_rest_is_reported(
    dialect: str, model: str, wanted: dict[str, Any], refused: set[str]
) -> None:
    seen, completion = await sent("chat", dialect=dialect, model=model, params=PAPER)
    assert {name: seen.body.get(name) for name in wanted} == wanted
    assert set(completion.params.not_supported) == refused
    assert set(completion.params.sent) | refused == set(PAPER)
    assert not refused & seen.body.keys()
    assert "provider" not in seen.body


@pytest.mark.parametrize("dialect", ["openai", "vllm", "llama.cpp", "ollama"])
async def test_only_openrouter_is_told_of_routing(dialect: str) -> None:
    async with LlmServer() as server:
        await exchanged(server, "chat", ask("chat", route=Route()), dialect=dialect)
        assert "provider" not in server.last.body


@pytest.mark.parametrize(
    ("dialect", "params", "wanted"),
    [
        ("openrouter", {"effort": "high"}, {"reasoning": {"effort": "high"}}),
        (
            "openrouter",
            {"reasoning": "adaptive", "effort": "low"},
            {"reasoning": {"effort": "low"}},
        ),
        ("openrouter", {"reasoning": "adaptive"}, {"reasoning": {"enabled": True}}),
        ("openrouter", {"reasoning": "off", "effort": "low"}, {"reasoning": {"enabled": False}}),
        ("vllm", {"effort": "high"}, {"reasoning_effort": "high"}),
        (
            "llama.cpp",
            {"reasoning": "adaptive", "effort": "high"},
            {"chat_template_kwargs": {"enable_thinking": True, "reasoning_effort": "high"}},
        ),
        ("ollama", {"effort": "low"}, {"reasoning_effort": "low"}),
    ],
)
async def test_reasoning_is_switched_in_the_dialects_own_words(
    dialect: str, params: dict[str, Any], wanted: dict[str, Any]
) -> None:
    seen, _ = await sent("chat", dialect=dialect, params=params)
    assert {name: seen.body.get(name) for name in wanted} == wanted


async def test_a_schema_is_strict_only_where_it_is_closed() -> None:
    seen, _ = await sent("chat", params={"schema": ("audit", SCHEMA), "json_object": True})
    form = {"name": "audit", "schema": SCHEMA, "strict": True}
    assert seen.body["response_format"] == {"type": "json_schema", "json_schema": form}
    open_schema = {**SCHEMA, "required": []}
    seen, _ = await sent("chat", params={"schema": ("audit", open_schema)})
    assert seen.body["response_format"]["json_schema"]["strict"] is False
    seen, _ = await sent("chat", params={"json_object": True})
    assert seen.body["response_format"] == {"type": "json_object"}


async def test_system_tools_and_tool_turns_on_the_chat_wire() -> None:
    tool = Tool("look", "Looks up k.", {"type": "object"})
    async with LlmServer([Rule("tool_call", nth=(1,))]) as server:
        first = ask("chat", system="Be brief.", tools=(tool,))
        completion = await exchanged(server, "chat", first)
        call = completion.tool_calls[0]
        assert (completion.finish, call.name, call.arguments) == (
            Finish.TOOL_CALLS,
            "look",
            {"k": 1},
        )
        turns = (
            *first.messages,
            Message("assistant", completion.text, raw=completion.raw_turn),
            Message("tool", "found", tool_call_id=call.id),
        )
        await exchanged(
            server, "chat", ask("chat", system="Be brief.", tools=(tool,), messages=turns)
        )
        body = server.last.body
    assert body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "look",
                "description": "Looks up k.",
                "parameters": {"type": "object"},
            },
        }
    ]
    assert [turn["role"] for turn in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == '{"k": 1}'
    assert body["messages"][3] == {"role": "tool", "content": "found", "tool_call_id": "call_1"}


async def test_the_anthropic_wire_field_by_field() -> None:
    params = {"reasoning": "adaptive", "effort": "high", "temperature": 0.0, "top_p": 0.9}
    params |= {"schema": ("audit", SCHEMA), "logprobs": True, "seed": 3, "max_tokens": 4000}
    seen, completion = await sent("anthropic", system="You audit.", params=params)
    assert seen.path == "/v1/messages"
    assert seen.headers["authorization"] == f"Bearer {KEY}"  # as SDK 2.14 sends an API key
    assert seen.headers["anthropic-version"] == "2026-10-21"
    assert seen.headers["x-stainless-retry-count"] == "0"
    assert seen.body == {
        "model": CLAUDE,
        "max_tokens": 4000,
        "messages": USER,
        "system": [{"type": "text", "text": "You audit.", "cache_control": {"type": "ephemeral"}}],
        "thinking": {"type": "adaptive"},
        "output_config": {
            "effort": "high",
            "format": {"type": "json_schema", "schema": SCHEMA},
        },
    }
    assert completion.params.not_supported == ("temperature", "top_p", "seed", "logprobs")
    assert completion.params.sent == ("max_tokens", "reasoning", "effort", "schema")
    assert (completion.served_model, completion.served_provider) == (CLAUDE, "anthropic")


async def test_a_plain_anthropic_request_holds_nothing_more() -> None:
    seen, _ = await sent("anthropic")
    assert seen.body == {"model": CLAUDE, "max_tokens": 16_384, "messages": USER}


@pytest.mark.parametrize(
    ("model", "params", "wanted", "refused"),
    [
        ("claude-fable-5", {"reasoning": "off"}, {}, ("reasoning",)),
        ("claude-opus-5", {"reasoning": "off"}, {"thinking": {"type": "disabled"}}, ()),
        (
            "claude-sonnet-4-6",
            {"reasoning": "off", "temperature": 0.0, "top_k": 3},
            {"thinking": {"type": "disabled"}, "temperature": 0.0, "top_k": 3},
            (),
        ),
        (
            "claude-sonnet-4-6",
            {"reasoning": "adaptive", "temperature": 0.0},
            {"thinking": {"type": "adaptive"}},
            ("temperature",),
        ),
        (
            "claude-haiku-4-5",
            {"temperature": 0.5, "top_p": 0.5, "effort": "high", "reasoning": "adaptive"},
            {"temperature": 0.5},
            ("top_p", "reasoning", "effort"),
        ),
    ],
)
async def test_model_families_differ_in_what_they_take(
    model: str, params: dict[str, Any], wanted: dict[str, Any], refused: tuple[str, ...]
) -> None:
    seen, completion = await sent("anthropic", model=model, params=params)
    plain = {"model": model, "max_tokens": 16_384, "messages": USER}
    assert seen.body == {**plain, **wanted}
    assert completion.params.not_supported == refused


async def test_web_search_bars_terms_in_the_prompt_and_domains_in_the_tool() -> None:
    params = {"web_search": True, "blocked_terms": ("FinQA", "finqa.example.org")}
    seen, completion = await sent("anthropic", system="Research.", params=params)
    assert seen.body["tools"] == [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "blocked_domains": ["finqa.example.org"],
        }
    ]
    system = seen.body["system"][0]["text"]
    assert system.startswith("Research.")
    assert "FinQA; finqa.example.org" in system
    assert completion.params.not_supported == ()
    _, completion = await sent("chat", params=params)
    assert completion.params.not_supported == ("web_search", "blocked_terms")


async def test_a_paused_turn_is_continued_with_its_blocks_unchanged() -> None:
    async with LlmServer([Rule("pause", nth=(1,))]) as server:
        first = ask("anthropic", params={"web_search": True})
        paused = await exchanged(server, "anthropic", first)
        assert paused.finish is Finish.PAUSE
        turns = (*first.messages, Message("assistant", paused.text, raw=paused.raw_turn))
        follow = ask("anthropic", messages=turns, params={"web_search": True})
        done = await exchanged(server, "anthropic", follow)
        body = server.last.body
    assert done.finish is Finish.STOP
    assert body["messages"][1] == {"role": "assistant", "content": paused.raw_turn}
    assert [block["type"] for block in body["messages"][1]["content"]] == [
        "thinking",
        "server_tool_use",
        "web_search_tool_result",
    ]
    assert body["cache_control"] == {"type": "ephemeral"}


async def test_results_of_tools_called_together_share_a_user_turn() -> None:
    turns = (
        Message("user", "Go."),
        Message("assistant", "", raw=[{"type": "tool_use", "id": "a", "name": "x", "input": {}}]),
        Message("tool", "one", tool_call_id="a"),
        Message("tool", "two", tool_call_id="b"),
        Message("user", "And?"),
    )
    tool = Tool("x", "X.", {"type": "object"})
    seen, _ = await sent("anthropic", messages=turns, tools=(tool,))
    assert [turn["role"] for turn in seen.body["messages"]] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert seen.body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "one"},
        {"type": "tool_result", "tool_use_id": "b", "content": "two"},
    ]
    assert seen.body["tools"][-1]["cache_control"] == {"type": "ephemeral"}


async def test_tokens_are_counted_with_the_fields_that_count() -> None:
    async with LlmServer() as server:
        provider: Any = provider_at(server.url, "anthropic")
        request = ask("anthropic", system="S.", params={"effort": "low", "max_tokens": 9})
        assert await provider.count_tokens(request, 5) == len("What is 2 + 2?") // 4 + 1
        await provider.aclose()
        assert server.last.path == "/v1/messages/count_tokens"
        assert server.last.body.keys() == {"model", "messages", "system", "output_config"}


@pytest.mark.parametrize("wire", ["chat", "anthropic"])
async def test_lone_surrogates_in_a_prompt_are_replaced_before_sending(wire: str) -> None:
    seen, _ = await sent(wire, text="cut \ud83d here", system="s\udc00")
    assert seen.body["messages"][-1]["content"] == "cut � here"


@pytest.mark.parametrize("dialect", ["vllm", "llama.cpp", "ollama"])
async def test_a_local_server_without_a_key_gets_no_authorization(dialect: str) -> None:
    seen, _ = await sent("chat", dialect=dialect)
    assert "authorization" not in seen.headers
