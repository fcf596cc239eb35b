"""How long a failed call waits, and what a failure means for the call."""

import hashlib
import random

from ..errors import ErrorClass, ProviderError

RETRY_AFTER_CAP_S = 120.0
BACKOFF_BASE_S = 0.5
BACKOFF_CAP_S = 30.0
SPREAD_S = 1.0
ROUTE_ATTEMPTS = 3

PERMANENT_REASONS = {404: "not_found", 413: "too_large", 422: "unprocessable"}
NEEDS_A_PERSON = (ErrorClass.AUTH, ErrorClass.SPEND_LIMIT)


def backoff_s(seed: int, slot: str, attempt: int, retry_after: float | None) -> float:
    """Seconds to wait after the `attempt`-th failed attempt (from 1) of a slot.

    A provider's Retry-After is honoured up to a cap of 120 s, plus a spread below one second so
    that calls told the same do not come back together. Without one: full jitter below an
    exponential ceiling (0.5 s doubling, at most 30 s). Seeded per slot and attempt.
    """
    ceiling = min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2.0 ** min(attempt - 1, 16))
    draw = _rng(seed, slot, attempt).random()
    if retry_after is None:
        return ceiling * draw
    return min(max(retry_after, 0.0), RETRY_AFTER_CAP_S) + min(SPREAD_S, ceiling) * draw


def permanent_reason(error: ProviderError) -> str:
    """The word that `CallFailed` carries."""
    return error.reason or PERMANENT_REASONS.get(error.status or 400, "bad_request")


def _rng(seed: int, slot: str, attempt: int) -> random.Random:
    path = f"{seed}\x1fretry\x1f{slot}\x1f{attempt}"
    return random.Random(hashlib.sha256(path.encode()).digest())
