"""When a provider's failures are an outage: rounds without a success, and a slower pace in them.

A *round* begins with a failure of a request that left after the last round began to fail: sixty
requests that fail together are one round, so one blink of a server is not sixty failures.
"""

FREE_ROUNDS = 3
PACE_BASE_S = 0.5
PACE_CAP_S = 8.0


class Rounds:
    """Consecutive failed rounds since the last success."""

    def __init__(self) -> None:
        self.failed = 0
        self._at = float("-inf")

    def fail(self, now: float, sent_at: float) -> bool:
        """A request that left at `sent_at` failed; true where that makes a new round."""
        if sent_at < self._at:
            return False
        self._at = now
        self.failed += 1
        return True

    def reset(self) -> None:
        """A success, or a person who lifted a pause."""
        self.failed = 0


class Pace:
    """The lane's spacing in an outage: one request at a time, further and further apart.

    It starts at the third failed round, or with a rate limit that the concurrency limit can no
    longer answer because it is down to one. A success ends it.
    """

    def __init__(self) -> None:
        self._rounds = Rounds()
        self._level = 0
        self.not_before = float("-inf")

    @property
    def probing(self) -> bool:
        """Whether only one request may be in flight."""
        return self._level > 0

    def failed(self, now: float, sent_at: float) -> None:
        """A server error, a timeout, a connection that broke."""
        if self._rounds.fail(now, sent_at) and self._rounds.failed >= FREE_ROUNDS:
            self.slow_down(now)

    def slow_down(self, now: float) -> None:
        """Wait twice as long as before the next request."""
        self.not_before = now + min(PACE_CAP_S, PACE_BASE_S * 2.0**self._level)
        self._level += 1

    def answered(self) -> None:
        """The provider is back."""
        self._rounds.reset()
        self._level = 0
        self.not_before = float("-inf")
