"""The user's stated limits per minute, as buckets that never let more through in any minute."""

WINDOW_S = 60.0
BURST_SHARE = 20


class Bucket:
    """So many units per minute (requests or tokens), as a token bucket.

    Its burst is a twentieth of the limit and its refill makes up the rest, so that no window of
    60 seconds, wherever it starts, sees more than the limit. A request larger than the burst
    waits for a full bucket and leaves it in debt: only such a one can overrun a window, by itself.
    """

    def __init__(self, per_minute: int, now: float) -> None:
        self._burst = float(max(1, per_minute // BURST_SHARE))
        self._rate = (per_minute - self._burst + 1) / WINDOW_S
        self._level = self._burst
        self._at = now

    def ready_at(self, units: float, now: float) -> float:
        """When that many units may leave: `now`, or a later time."""
        self._refill(now)
        missing = min(units, self._burst) - self._level
        return now + missing / self._rate if missing > 1e-9 else now

    def take(self, units: float, now: float) -> None:
        """Let them leave; negative units give back what an estimate took too much."""
        self._refill(now)
        self._level = min(self._burst, self._level - units)

    def _refill(self, now: float) -> None:
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
