"""What a provider's rate-limit headers say is left, and until when."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

MAX_WAIT_S = 120.0
DIALECTS = (
    ("anthropic-ratelimit-requests-{}", "requests"),
    ("anthropic-ratelimit-tokens-{}", "tokens"),
    ("anthropic-ratelimit-input-tokens-{}", "input"),
    ("anthropic-ratelimit-output-tokens-{}", "output"),
    ("x-ratelimit-{}-requests", "requests"),
    ("x-ratelimit-{}-tokens", "tokens"),
    ("x-ratelimit-{}", "requests"),
)
"""Header names by dialect (Anthropic; OpenAI; OpenRouter), with what each counts."""

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|[dhms])")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_EPOCH_FLOOR = 1e9
_MILLISECONDS_FLOOR = 1e11


@dataclass(frozen=True, slots=True)
class Need:
    """What one request takes out of budgets: one request, and its estimated tokens."""

    input: float
    output: float

    def of(self, unit: str) -> float:
        """Its share of a budget in requests, tokens, input or output."""
        if unit == "requests":
            return 1.0
        if unit == "tokens":
            return self.input + self.output
        return self.input if unit == "input" else self.output


NOTHING = Need(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Quota:
    """One header budget: `remaining` of `limit` units, full again in `reset_s` seconds."""

    name: str
    unit: str
    limit: float | None
    remaining: float
    reset_s: float


def read_quotas(headers: Mapping[str, str]) -> list[Quota]:
    """The budgets in a reply's headers (lower-case names); an unreadable one is left out.

    Absolute reset times are read against the server's own `date` header where it is there.
    """
    if not any("ratelimit" in name for name in headers):
        return []
    quotas = (_quota(headers, template, unit) for template, unit in DIALECTS)
    return [quota for quota in quotas if quota is not None]


def _quota(headers: Mapping[str, str], template: str, unit: str) -> Quota | None:
    remaining = _number(headers.get(template.format("remaining")))
    reset = headers.get(template.format("reset"))
    if remaining is None or reset is None:
        return None
    reset_s = reset_in(reset, headers.get("date"))
    if reset_s is None:
        return None
    limit = _number(headers.get(template.format("limit")))
    return Quota(template, unit, limit, max(0.0, remaining), min(reset_s, MAX_WAIT_S))


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def reset_in(text: str, date: str | None) -> float | None:
    """Seconds until a reset: from `12`, `6m0.5s`, an epoch (seconds or ms) or RFC 3339."""
    number = _number(text)
    if number is not None:
        if number < _EPOCH_FLOOR:
            return max(0.0, number)
        epoch = number / 1000 if number > _MILLISECONDS_FLOOR else number
        return max(0.0, epoch - _server_time(date))
    parts = _DURATION.findall(text)
    if parts and "".join(value + unit for value, unit in parts) == text:
        return float(sum(float(value) * _UNIT_S[unit] for value, unit in parts))
    try:
        return max(0.0, datetime.fromisoformat(text).timestamp() - _server_time(date))
    except ValueError:
        return None


def _server_time(date: str | None) -> float:
    try:
        return parsedate_to_datetime(date or "").timestamp()
    except ValueError:
        return time.time()


class HeaderBudgets:
    """The budgets a lane was last told, less what it has sent since."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[Quota, float, float]] = {}

    def learn(self, headers: Mapping[str, str], now: float) -> None:
        """Take over what a reply's headers say."""
        for quota in read_quotas(headers):
            self._told[quota.name] = (quota, quota.remaining, now)

    def take(self, need: Need) -> None:
        """A request leaves."""
        for name, (quota, left, at) in self._told.items():
            self._told[name] = (quota, left - need.of(quota.unit), at)

    def ready_at(self, need: Need, now: float) -> float:
        """When the request fits: `now`, or the time by which refilling makes room for it."""
        return max((self._fits_at(*told, need, now) for told in self._told.values()), default=now)

    @staticmethod
    def _fits_at(quota: Quota, left: float, told_at: float, need: Need, now: float) -> float:
        missing = need.of(quota.unit) - left
        if missing <= 0 or now >= told_at + quota.reset_s:
            return now
        if quota.limit is None or quota.limit <= quota.remaining:
            return told_at + quota.reset_s
        share = min(1.0, missing / (quota.limit - quota.remaining))
        return max(now, told_at + share * quota.reset_s)
