"""What a failed attempt means: every failure of the wire becomes one ProviderError.

Status, error type and error code decide. Wording is read only where the provider gives no type for
the case (Anthropic's spend limits at status 400, context overflow of local servers).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from ..errors import ErrorClass, ProviderError
from .redaction import redact
from .wire_json import decode, event_errors, mapping, well_formed

KEPT_HEADERS = ("retry-after", "retry-after-ms", "request-id", "x-request-id", "date")
KEPT_PREFIXES = ("anthropic-ratelimit-", "x-ratelimit-")
LONGEST_MESSAGE = 400

# Types that say more than the status beside them, or that stand where there is no status.
TYPE_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "timeout_error": 504,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 529,
}
TYPES_OVER_STATUS = {"billing_error", "rate_limit_error", "overloaded_error"}

PERMANENT_REASONS = {
    400: "bad_request",
    404: "not_found",
    405: "bad_request",
    410: "not_found",
    412: "bad_request",
    413: "too_large",
    414: "too_large",
    415: "bad_request",
    422: "unprocessable",
    431: "too_large",
}
_SPEND, _AUTH = (ErrorClass.SPEND_LIMIT, ""), (ErrorClass.AUTH, "")
CODES: dict[str, tuple[ErrorClass, str]] = {
    "contract_spend_limit_reached": _SPEND,
    "enforced_spend_limit_reached": _SPEND,
    "linked_organization_spend_limit_reached": _SPEND,
    "linked_organization_billing_unavailable": _SPEND,
    "insufficient_quota": _SPEND,
    "billing_hard_limit_reached": _SPEND,
    "billing_not_active": _SPEND,
    "ramp_limit_exceeded": (ErrorClass.RATE_LIMIT, ""),
    "rate_limit_exceeded": (ErrorClass.RATE_LIMIT, ""),
    "invalid_api_key": _AUTH,
    "organization_on_hold": _AUTH,
    "organization_type_not_supported": _AUTH,
    "model_not_found": (ErrorClass.PERMANENT, "not_found"),
    "context_length_exceeded": (ErrorClass.PERMANENT, "context_exceeded"),
    "exceed_context_size_error": (ErrorClass.PERMANENT, "context_exceeded"),
    "content_filter": (ErrorClass.PERMANENT, "content_filter"),
    "content_policy_violation": (ErrorClass.PERMANENT, "content_filter"),
}
_MAYBE_PAID_STATUSES = {408, 504, 524}  # something upstream gave up waiting for the model
_SPEND_WORDS = {
    400: re.compile(r"spend(ing)? limit|usage limits?\b|credit balance is too low", re.I),
    429: re.compile(r"spend(ing)? limit", re.I),
}
_CONTEXT_WORDS = re.compile(r"context (length|window|size)|prompt is too long", re.I)
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "WriteError"} | {
    "WriteTimeout", "UnsupportedProtocol", "InvalidURL", "LocalProtocolError",
}  # fmt: skip

CHECK_ROUTE = "; check the model's route in the configuration"


@dataclass(frozen=True, slots=True)
class Told:
    """What a provider said about a failure."""

    message: str
    type: str = ""
    codes: frozenset[str] = frozenset()
    status: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WireErrors:
    """Makes the errors of one provider; `secrets` are hidden in every message.

    A message says what happened and where; what to do next is added by `engine.calls`, which alone
    knows whether the call is tried again.
    """

    name: str
    secrets: Sequence[str] = ()

    def http(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """A reply whose HTTP status is no success; header names in lower case."""
        told = read_error(body)
        if told.type in TYPES_OVER_STATUS:
            status = TYPE_STATUS[told.type]
        return self._classified(status, headers, told, status in _MAYBE_PAID_STATUSES)

    def inside_200(self, error: Any, headers: Mapping[str, str]) -> ProviderError:
        """An error object found in a reply of status 200: treated as the status that it names.

        The model may have run by then, so that it is maybe paid.
        """
        told = _told({"error": error})
        status = told.status or TYPE_STATUS.get(told.type, 502)
        return self._classified(status, headers, told, True)

    def unusable(self, what: str, headers: Mapping[str, str]) -> ProviderError:
        """A whole reply that holds no result: empty choices, cut JSON."""
        return self._made(ErrorClass.TRANSIENT, what, headers=headers, maybe_paid=True)

    def route_mismatch(self, what: str, headers: Mapping[str, str]) -> ProviderError:
        """A reply from another model or provider than the pinned route names; it is paid."""
        what += CHECK_ROUTE
        return self._made(ErrorClass.ROUTE_MISMATCH, what, headers=headers, maybe_paid=True)

    def timeout(self, timeout_s: float) -> ProviderError:
        """No whole answer within the attempt's time."""
        return self._made(
            ErrorClass.TRANSIENT, f"no whole answer in {timeout_s:g} s", maybe_paid=True
        )

    def connection(self, error: Exception) -> ProviderError:
        """A connection that failed; maybe paid unless the request cannot have left."""
        kinds = {each.__name__ for each in type(error).__mro__}
        sent = not (kinds & _NOT_SENT)
        where = "the connection broke before a whole answer came" if sent else "cannot connect"
        detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return self._made(ErrorClass.TRANSIENT, f"{where} ({detail})", maybe_paid=sent)

    def _classified(
        self, status: int, headers: Mapping[str, str], told: Told, maybe_paid: bool
    ) -> ProviderError:
        kind, reason = classify(status, told, "retry-after" in headers)
        what = f"HTTP {status}, {told.message or 'no message'}"
        return self._made(
            kind, what, status=status, headers=headers, maybe_paid=maybe_paid, reason=reason
        )

    def _made(
        self,
        kind: ErrorClass,
        what: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        maybe_paid: bool = False,
        reason: str = "",
    ) -> ProviderError:
        headers = headers or {}
        line = " ".join(redact(well_formed(what), self.secrets).split())
        if len(line) > LONGEST_MESSAGE:
            line = line[:LONGEST_MESSAGE] + "…"
        return ProviderError(
            kind,
            f"{self.name}: {line}",
            status=status,
            retry_after=retry_after(headers),
            maybe_paid=maybe_paid,
            reason=reason,
            request_id=request_id(headers),
        )


def classify(status: int, told: Told, has_retry_after: bool) -> tuple[ErrorClass, str]:
    """(class, reason) of a failure; the reason is set where the class is PERMANENT."""
    for code in sorted(told.codes & CODES.keys()):
        return CODES[code]
    if status == 402:
        in_flight = told.metadata.get("limit_source") == "openrouter_in_flight_budget"
        wait = in_flight and has_retry_after
        return (ErrorClass.RATE_LIMIT if wait else ErrorClass.SPEND_LIMIT), ""
    if status == 403 and ("flagged_input" in told.metadata or "reasons" in told.metadata):
        return ErrorClass.PERMANENT, "content_filter"
    if status in (401, 403):
        return _AUTH
    if status in _SPEND_WORDS and _SPEND_WORDS[status].search(told.message):
        return _SPEND
    if status == 429:
        return ErrorClass.RATE_LIMIT, ""
    if status in (408, 409, 425, 499) or status >= 500:
        return ErrorClass.TRANSIENT, ""
    if status in (400, 413, 422) and _CONTEXT_WORDS.search(told.message):
        return ErrorClass.PERMANENT, "context_exceeded"
    return ErrorClass.PERMANENT, PERMANENT_REASONS.get(status, "bad_request")


def read_error(body: bytes) -> Told:
    """What an error body says, in any of the shapes that providers use."""
    try:
        return _told(decode(body))
    except ValueError:
        if error := event_errors(body):
            return _told({"error": error})
        return Told(_plain(body))


def _told(value: Any) -> Told:
    outer = mapping(value)
    error = outer.get("error", outer)
    if isinstance(error, str):
        return Told(error, codes=frozenset(_texts(outer.get("code"))))
    inner = mapping(error)
    details, metadata = mapping(inner.get("details")), mapping(inner.get("metadata"))
    kind = inner.get("type") if isinstance(inner.get("type"), str) else ""
    codes = _texts(inner.get("code"), details.get("error_code"), kind)
    return Told(
        _message(inner, metadata),
        kind or "",
        frozenset(codes),
        _status(inner.get("code")),
        metadata,
    )


def _message(error: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    message = error.get("message") or error.get("detail") or ""
    upstream = metadata.get("raw")
    name = metadata.get("provider_name")
    parts = [message if isinstance(message, str) else str(message)]
    if isinstance(upstream, str) and upstream:
        parts.append(f"[{name or 'upstream'}: {upstream}]")
    return " ".join(part for part in parts if part)


def _texts(*values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str) and value]


def _status(code: Any) -> int | None:
    if isinstance(code, str) and code.isdigit() and len(code) == 3:
        code = int(code)
    valid = isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599
    return code if valid else None


def _plain(body: bytes) -> str:
    text = re.sub(r"<[^>]*>", " ", body[:2000].decode("utf-8", "replace"))
    return " ".join(text.split())[:200]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the provider asks: retry-after-ms, or retry-after in seconds or as a date.

    Uncapped: the cap belongs to the caller. A date is read against the server's own `date` header
    where there is one, since clocks differ; one in the past is 0.
    """
    if (millis := _number(headers.get("retry-after-ms"))) is not None:
        return millis / 1000
    value = headers.get("retry-after")
    if (seconds := _number(value)) is not None:
        return seconds
    moment = _moment(value)
    now = _moment(headers.get("date")) or datetime.now(UTC)
    return max((moment - now).total_seconds(), 0.0) if moment else None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(number, 0.0) if isfinite(number) else None


def _moment(date: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def request_id(headers: Mapping[str, str]) -> str | None:
    """The provider's own number of the request, to quote to its support."""
    return headers.get("request-id") or headers.get("x-request-id")


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that the engine uses, in lower case: rate limits, waits, request ids."""
    lower = ((name.lower(), value) for name, value in headers.items())
    return {
        name: value
        for name, value in lower
        if name in KEPT_HEADERS or name.startswith(KEPT_PREFIXES)
    }
