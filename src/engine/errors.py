"""Every error that Evoscope raises on purpose.

EvoscopeError                 what, where, and what to do next, in one line
├── UsageError                wrong words on the command line (exit 2)
├── ConfigError               a configuration that cannot be run (exit 2)
├── DataError                 a case, sample or axis file that cannot be read (exit 2)
├── StoreError                the run's file cannot be used
│   ├── NewerFile             written by a later version
│   ├── Locked                another engine owns it
│   ├── TakenOver             another engine took it over while we ran
│   └── StorageFull           the disk is full or has become read-only: the run pauses
├── ReplayDiverged            a recomputed fact differs from its row
├── CallFailed                a permanent failure of one call: a recorded fact, served on replay
├── CallOpen                  deadline, outage or spend limit: never a fact; parks the unit
├── RunPaused                 the run cannot go on until a person acts
├── SandboxUnavailable        no level of the sandbox that was asked for works on this machine
├── ProviderError             one attempt at a provider failed (see `ErrorClass`)
└── MalformedReply            a reply that its role's schema refuses
"""

from enum import Enum


class EvoscopeError(Exception):
    """What went wrong, where, and what to do next, in one line."""

    exit_code = 1


class UsageError(EvoscopeError):
    """Wrong words on the command line."""

    exit_code = 2


class ConfigError(EvoscopeError):
    """A configuration that cannot be run; names the key, the value and the file's line."""

    exit_code = 2


class DataError(EvoscopeError):
    """A case, sample, axis or rubric file that cannot be read; names the file and the line."""

    exit_code = 2


class StoreError(EvoscopeError):
    """The run's file cannot be used."""


class NewerFile(StoreError):
    """The run's file was written by a later version of Evoscope."""


class Locked(StoreError):
    """Another engine owns the run's file."""


class TakenOver(StoreError):
    """Another engine took the run's file over; this one stops at once."""


class StorageFull(StoreError):
    """The disk is full or has become read-only; nothing is lost, the run pauses."""


class ReplayDiverged(EvoscopeError):
    """A recomputed request, verdict or decision differs from its recorded row."""


class CallFailed(EvoscopeError):
    """A permanent failure of one call: recorded, and raised again on replay.

    `reason` is one of bad_request, not_found, too_large, unprocessable, refusal,
    content_filter, context_exceeded.
    """

    def __init__(self, slot: str, reason: str, message: str) -> None:
        super().__init__(f"call {slot} failed for good ({reason}): {message}")
        self.slot, self.reason, self.message = slot, reason, message


class CallOpen(EvoscopeError):
    """A call that could not be had yet: its unit is parked and can be retried."""


class RunPaused(EvoscopeError):
    """The run cannot go on until a person acts (budget, spend limit, key, disk)."""

    exit_code = 3


class SandboxUnavailable(EvoscopeError):
    """No level of the sandbox that was asked for works on this machine; nothing was run."""


class ErrorClass(Enum):
    """How one failed attempt is answered by the one retry owner."""

    RATE_LIMIT = "rate_limit"
    TRANSIENT = "transient"
    PERMANENT = "permanent"
    AUTH = "auth"
    SPEND_LIMIT = "spend_limit"
    ROUTE_MISMATCH = "route_mismatch"


class ProviderError(EvoscopeError):
    """One attempt at a provider failed.

    `maybe_paid` is true where the request left and no whole answer came back: such an attempt is
    counted in the budget at its estimate. `retry_after` is in seconds. `reason` is the word that
    `CallFailed` carries when the class is PERMANENT.
    """

    def __init__(
        self,
        kind: ErrorClass,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        maybe_paid: bool = False,
        reason: str = "",
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.status = kind, message, status
        self.retry_after, self.maybe_paid, self.reason = retry_after, maybe_paid, reason
        self.request_id = request_id


class MalformedReply(EvoscopeError):
    """A reply that its role's schema refuses; the text says which part."""
