"""Every fault of a provider, over real connections, on both wires."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from evoscope.engine.errors import ErrorClass, MalformedReply, ProviderError
from evoscope.engine.gates.structured import read_strict
from evoscope.engine.model.llm import Finish, Route
from tests.engine.providers.wires import KEY, WIRES, ask, exchanged, failed, provider_at
from tests.servers.llm_faults import Rule
from tests.servers.llm_server import LlmServer

R, T, P = ErrorClass.RATE_LIMIT, ErrorClass.TRANSIENT, ErrorClass.PERMANENT
A, S, M = ErrorClass.AUTH, ErrorClass.SPEND_LIMIT, ErrorClass.ROUTE_MISMATCH

# fault, its arguments, class, reason, maybe paid
FAULTS: list[tuple[str, dict[str, Any], ErrorClass, str, bool]] = [
    ("rate_limit", {}, R, "", False),
    ("overloaded", {}, T, "", False),
    ("server_error", {}, T, "", False),
    ("status", {"status": 408}, T, "", True),
    ("status", {"status": 409}, T, "", False),
    ("status", {"status": 503}, T, "", False),
    ("status", {"status": 504}, T, "", True),
    ("auth", {}, A, "", False),
    ("forbidden", {}, A, "", False),
    ("payment", {}, S, "", False),
    ("spend_limit_429", {}, S, "", False),
    ("spend_limit_400", {}, S, "", False),
    ("bad_request", {}, P, "bad_request", False),
    ("not_found", {}, P, "not_found", False),
    ("too_large", {}, P, "too_large", False),
    ("unprocessable", {}, P, "unprocessable", False),
    (
        "bad_request",
        {"message": "prompt is too long: 9 tokens > 8 maximum"},
        P,
        "context_exceeded",
        False,
    ),
    ("error_in_200", {"place": "top", "code": 529}, T, "", True),
    (
        "error_in_200",
        {"place": "top", "code": 429, "kind": "rate_limit_error"},
        R,
        "",
        True,
    ),
    ("error_in_200", {"place": "sse", "code": 503}, T, "", True),
    ("choices_null", {}, T, "", True),
    ("cut_json", {}, T, "", True),
    ("not_json", {}, T, "", True),
    ("not_json", {"status": 502}, T, "", False),
    ("truncate", {}, T, "", True),
    ("drop", {}, T, "", True),
    ("wrong_model", {}, M, "", True),
]
CHAT_FAULTS: list[tuple[str, dict[str, Any], ErrorClass, str, bool]] = [
    ("error_in_200", {"place": "choice", "code": 502}, T, "", True),
    ("error_in_200", {"place": "choice", "code": 400}, P, "bad_request", True),
    ("choices_empty", {}, T, "", True),
    ("payment", {"in_flight": True}, R, "", False),
    ("bad_request", {"code": "context_length_exceeded"}, P, "context_exceeded", False),
    ("bad_request", {"code": "content_policy_violation"}, P, "content_filter", False),
    (
        "forbidden",
        {"metadata": {"reasons": ["x"], "flagged_input": "y"}},
        P,
        "content_filter",
        False,
    ),
    ("wrong_provider", {}, M, "", True),
    ("no_provider", {}, M, "", True),
]
CASES = [(wire, *fault) for wire in WIRES for fault in FAULTS]
CASES += [("chat", *fault) for fault in CHAT_FAULTS]


def pinned(wire: str) -> Route:
    return Route(("anthropic",) if wire == "anthropic" else ("parasail",))


@pytest.mark.parametrize(("wire", "fault", "args", "kind", "reason", "paid"), CASES)
async def test_a_fault_becomes_one_classified_error(
    wire: str, fault: str, args: dict[str, Any], kind: ErrorClass, reason: str, paid: bool
) -> None:
    async with LlmServer([Rule(fault, args=args)]) as server:
        error = await failed(server, wire, ask(wire, route=pinned(wire)))
    assert (error.kind, error.reason, error.maybe_paid) == (kind, reason, paid)
    assert "\n" not in error.message
    assert error.message.startswith(f"{wire}: ")
    assert KEY not in error.message


@pytest.mark.parametrize("wire", WIRES)
async def test_a_model_that_never_answers_times_out_and_is_maybe_paid(wire: str) -> None:
    async with LlmServer([Rule("hang")]) as server:
        error = await failed(server, wire, ask(wire), timeout_s=0.2)
    assert error.kind is ErrorClass.TRANSIENT
    assert error.maybe_paid
    assert "0.2 s" in error.message


@pytest.mark.parametrize("wire", WIRES)
async def test_a_host_that_is_not_there_is_transient_and_not_paid(wire: str) -> None:
    async with LlmServer() as server:
        gone = server.url
    provider = provider_at(gone, wire)
    with pytest.raises(ProviderError, match="cannot connect") as caught:
        await provider.send(ask(wire), 5)
    assert caught.value.kind is ErrorClass.TRANSIENT
    assert not caught.value.maybe_paid
    await provider.aclose()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("args", "low", "high"),
    [
        ({}, None, None),
        ({"retry_after": 0}, 0, 0),
        ({"retry_after": 89}, 89, 89),
        ({"retry_after": "date"}, 87, 90),
        ({"retry_after_ms": 250, "retry_after": 89}, 0.25, 0.25),
        ({"retry_after": "soon"}, None, None),
    ],
)
async def test_a_rate_limit_says_how_long_to_wait(
    wire: str, args: dict[str, Any], low: float | None, high: float | None
) -> None:
    async with LlmServer([Rule("rate_limit", args=args)]) as server:
        error = await failed(server, wire, ask(wire))
    assert error.kind is ErrorClass.RATE_LIMIT
    if low is None or high is None:
        assert error.retry_after is None
    else:
        assert error.retry_after is not None
        assert low <= error.retry_after <= high


@pytest.mark.parametrize("wire", WIRES)
async def test_a_key_that_the_server_echoes_never_shows(wire: str) -> None:
    async with LlmServer([Rule("echo_key")]) as server:
        error = await failed(server, wire, ask(wire))
        assert KEY in str(server.last.headers)
    assert KEY not in str(error)
    assert "[redacted]" in error.message
    assert error.__cause__ is None


@pytest.mark.parametrize("wire", WIRES)
async def test_a_key_in_a_whole_answer_never_reaches_the_store(wire: str) -> None:
    rule = Rule("text", args={"text": f"your key is {KEY}"})
    async with LlmServer([rule]) as server:
        provider = provider_at(server.url, wire)
        reply = await provider.send(ask(wire), 5)
        await provider.aclose()
    assert KEY.encode() not in reply.body
    assert "your key is [redacted]" in provider.parse(reply, ask(wire)).text


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("fault", "finish"),
    [
        ("length", Finish.LENGTH),
        ("refusal", Finish.REFUSAL),
        ("context_exceeded", Finish.CONTEXT_EXCEEDED),
        ("tool_call", Finish.TOOL_CALLS),
    ],
)
async def test_an_unusual_end_is_a_completion_in_our_words(
    wire: str, fault: str, finish: Finish
) -> None:
    async with LlmServer([Rule(fault)]) as server:
        completion = await exchanged(server, wire, ask(wire))
    assert completion.finish is finish


async def test_a_refusal_keeps_its_category() -> None:
    async with LlmServer([Rule("refusal")]) as server:
        completion = await exchanged(server, "anthropic", ask("anthropic"))
    assert completion.native_finish == "refusal:frontier_llm"


@pytest.mark.parametrize("wire", WIRES)
async def test_lone_surrogates_become_replacement_characters(wire: str) -> None:
    async with LlmServer([Rule("surrogate")]) as server:
        completion = await exchanged(server, wire, ask(wire))
    assert completion.text.endswith("� cut �")
    assert completion.text.encode("utf-8")


@pytest.mark.parametrize("wire", WIRES)
async def test_an_answer_of_five_megabytes_is_read_whole(wire: str) -> None:
    async with LlmServer([Rule("big", args={"bytes": 5_000_000})]) as server:
        completion = await exchanged(server, wire, ask(wire))
    assert len(completion.text) == 5_000_000


async def test_one_failed_attempt_is_one_request_since_retries_belong_to_calls() -> None:
    for wire in WIRES:
        async with LlmServer([Rule("overloaded")]) as server:
            await failed(server, wire, ask(wire))
            assert server.stats.seen == 1


@pytest.mark.parametrize("wire", WIRES)
async def test_what_send_has_parsed_is_what_a_replay_parses(wire: str) -> None:
    request = ask(wire, params={"logprobs": True} if wire == "chat" else {})
    async with LlmServer() as server:
        provider = provider_at(server.url, wire)
        reply = await provider.send(request, 5)
        await provider.aclose()
    live, stored = provider.parse(reply, request), replace(reply, parsed=None)
    assert provider.parse(stored, request) == live
    assert provider.parse(stored, request) == provider.parse(stored, request)


async def test_log_probs_that_a_provider_leaves_out_are_reported_as_dropped() -> None:
    request = ask("chat", params={"logprobs": True, "temperature": 1.0})
    async with LlmServer([Rule("no_logprobs")]) as server:
        completion = await exchanged(server, "chat", request)
    assert completion.logprobs is None
    assert completion.params.sent == ("temperature",)
    assert completion.params.dropped == ("logprobs",)


class Answer(BaseModel):
    answer: str


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("fault", "good"), [("fenced_json", True), ("malformed_json", False)])
async def test_fenced_json_is_a_vote_and_malformed_json_is_none(
    wire: str, fault: str, good: bool
) -> None:
    schema = ("answer", Answer.model_json_schema())
    async with LlmServer([Rule(fault)]) as server:
        completion = await exchanged(server, wire, ask(wire, params={"schema": schema}))
    if good:
        assert read_strict(completion.text, Answer, "audit").value.answer
    else:
        with pytest.raises(MalformedReply, match=r"^audit"):
            read_strict(completion.text, Answer, "audit")


@pytest.mark.parametrize("wire", WIRES)
async def test_a_slow_answer_within_the_time_limit_is_an_answer(wire: str) -> None:
    rules = [
        Rule("delay", args={"seconds": 0.05}),
        Rule("latency", args={"low": 0.01, "high": 0.05}),
    ]
    async with LlmServer(rules) as server:
        provider = provider_at(server.url, wire)
        reply = await provider.send(ask(wire), 5)
        await provider.aclose()
    assert 0.06 <= reply.latency_s < 2
    assert reply.request_id
    assert reply.request_id.startswith("req_")


@pytest.mark.parametrize("wire", WIRES)
async def test_no_log_at_any_level_holds_the_key(
    wire: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpx2", "anthropic", "httpcore", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    async with LlmServer([Rule("echo_key", nth=(2,))]) as server:
        await exchanged(server, wire, ask(wire))
        await failed(server, wire, ask(wire))
    assert "POST" in caplog.text
    assert KEY not in caplog.text
