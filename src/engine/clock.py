"""Wall-clock times, in one form everywhere: UTC, ISO 8601, milliseconds, Z."""

from datetime import UTC, datetime


def utc_now() -> str:
    """Now, as `2026-11-29T21:48:55.123Z`. For people only: no decision may read it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
