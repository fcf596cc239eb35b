"""Classification and redaction without a server: properties over all statuses and texts."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import ErrorClass
from evoscope.engine.providers.redaction import HIDDEN, redact, redact_bytes
from evoscope.engine.providers.wire_errors import (
    WireErrors,
    kept_headers,
    read_error,
    retry_after,
)

ERRORS = WireErrors("acme", ("planted-key-1234",))


IN_FLIGHT = {"limit_source": "openrouter_in_flight_budget"}


def body(**error: Any) -> bytes:
    return json.dumps({"error": error}).encode()


@given(st.integers(300, 599), st.binary(max_size=300))
def test_any_status_and_body_give_one_line_of_a_known_class(status: int, content: bytes) -> None:
    error = ERRORS.http(status, {}, content)
    assert error.kind in ErrorClass
    assert "\n" not in error.message
    assert bool(error.reason) == (error.kind is ErrorClass.PERMANENT)
    if status >= 500:
        assert error.kind is ErrorClass.TRANSIENT


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists))
def test_any_error_value_inside_a_200_is_maybe_paid(value: Any) -> None:
    assert ERRORS.inside_200(value, {}).maybe_paid


@pytest.mark.parametrize(
    ("status", "content", "kind", "reason"),
    [
        (429, body(code="enforced_spend_limit_reached"), ErrorClass.SPEND_LIMIT, ""),
        (429, body(code="insufficient_quota"), ErrorClass.SPEND_LIMIT, ""),
        (429, body(message="usage limits apply to your tier"), ErrorClass.RATE_LIMIT, ""),
        (429, body(details={"error_code": "ramp_limit_exceeded"}), ErrorClass.RATE_LIMIT, ""),
        (
            402,
            body(details={"error_code": "linked_organization_spend_limit_reached"}),
            ErrorClass.SPEND_LIMIT,
            "",
        ),
        (400, body(message="Your credit balance is too low"), ErrorClass.SPEND_LIMIT, ""),
        (400, body(details={"error_code": "organization_on_hold"}), ErrorClass.AUTH, ""),
        (400, body(type="overloaded_error", message="?"), ErrorClass.TRANSIENT, ""),
        (400, body(type="exceed_context_size_error"), ErrorClass.PERMANENT, "context_exceeded"),
        (401, body(type="invalid_request_error"), ErrorClass.AUTH, ""),
        (404, body(code="model_not_found"), ErrorClass.PERMANENT, "not_found"),
        (431, b"", ErrorClass.PERMANENT, "too_large"),
        (499, b"", ErrorClass.TRANSIENT, ""),
        (402, body(metadata=IN_FLIGHT), ErrorClass.SPEND_LIMIT, ""),
    ],
)  # fmt: skip
def test_types_and_codes_decide(status: int, content: bytes, kind: ErrorClass, reason: str) -> None:
    error = ERRORS.http(status, {}, content)
    assert (error.kind, error.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"error": {"message": "m"}}', "m"),
        (b'{"error": "model \'x\' not found"}', "model 'x' not found"),
        (b'{"object": "error", "message": "m", "code": 400}', "m"),
        (b'{"detail": "m"}', "m"),
        (b"<html><h1>502</h1>\n<p>Bad gateway</p></html>", "502 Bad gateway"),
        (b'event: error\ndata: {"error": {"message": "m"}}\n\n', "m"),
        (
            b'{"error": {"message": "m", "metadata": {"provider_name": "P", "raw": "r"}}}',
            "m [P: r]",
        ),
        (b"", ""),
        (b"\xff\xfe", "��"),
    ],
)
def test_every_shape_of_an_error_body_is_read(content: bytes, message: str) -> None:
    assert read_error(content).message == message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after-ms": "20", "retry-after": "9"}, 0.02),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT",
                "date": "Wed, 21 Oct 2026 07:29:00 GMT",
            },
            0.0,
        ),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_the_wait_that_a_provider_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_without_a_date_header_a_date_is_read_against_our_clock() -> None:
    year = datetime.now(UTC).year + 1
    wait = retry_after({"retry-after": f"Fri, 01 Jan {year} 00:00:00 GMT"})
    assert wait is not None
    assert 0 < wait < 400 * 86400


KEYS = st.text("abcdefABCDEF0123456789_+/=.-", min_size=4, max_size=60)


@given(KEYS, st.text(max_size=40), st.text(max_size=40))
def test_a_key_never_survives_redaction(key: str, before: str, after: str) -> None:
    from urllib.parse import quote

    assert key not in redact(f"{before}{key}{after}", [key]).replace(HIDDEN, "")
    assert quote(key, safe="") not in redact(quote(key, safe=""), [key]).replace(HIDDEN, "")
    assert key.encode() not in redact_bytes(f"{before}{key}".encode(), [key]).replace(
        HIDDEN.encode(), b""
    )


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abcd****wxyz.",
        "header authorization: Bearer abc.def-123",
        "proxy http://ann:secret@host refused",
    ],
)
def test_what_looks_like_a_key_is_hidden_though_nobody_planted_it(text: str) -> None:
    assert HIDDEN in redact(text, [])


def test_plain_messages_are_left_as_they_are() -> None:
    text = "the task-list is too long: 9 > 8, see https://host/docs/errors#basic and sk-1"
    assert redact(text, ["abc"]) == text


def test_a_long_message_is_cut_after_the_key_is_hidden() -> None:
    message = "x" * 390 + " planted-key-1234 " + "y" * 500
    error = ERRORS.http(400, {}, body(message=message))
    assert "planted" not in error.message
    assert len(error.message) < 520


def test_only_the_headers_that_the_engine_uses_are_kept() -> None:
    headers = {
        "Request-Id": "r",
        "Anthropic-RateLimit-Requests-Remaining": "3",
        "X-RateLimit-Reset": "1",
        "Retry-After": "2",
        "Set-Cookie": "secret",
        "Server": "x",
    }
    assert kept_headers(headers) == {
        "request-id": "r",
        "anthropic-ratelimit-requests-remaining": "3",
        "x-ratelimit-reset": "1",
        "retry-after": "2",
    }
