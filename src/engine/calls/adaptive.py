"""How many requests one lane keeps in flight: slow start, then additive increase, cuts on 429."""

MIN_START = 16
CUT = 0.7
CUT_COOLDOWN_S = 1.0
HOLD_S = 5.0


class AdaptiveLimit:
    """The lane's concurrency limit. All times are the loop's, in seconds.

    Slow start adds two per answer, from half the ceiling (at least 16); after the first
    cut the limit grows by one per limit's worth of answers. Only a rate limit cuts, at most once
    per cooldown of its own, and only for requests that left after the last cut: one burst of
    429s is one piece of news. Within the cooldown each further one takes away the one place that
    was too many. Server errors and timeouts hold growth for a while.
    """

    def __init__(self, ceiling: int, adaptive: bool = True) -> None:
        self.ceiling = ceiling
        self.adaptive = adaptive
        start = min(ceiling, max(MIN_START, ceiling // 2)) if adaptive else ceiling
        self._level = float(start)
        self._slow_start = True
        self._cut_at = float("-inf")
        self._held_until = float("-inf")

    @property
    def current(self) -> int:
        """Requests that may be in flight now."""
        return int(self._level)

    def answered(self, now: float, saturated: bool) -> None:
        """A request succeeded; the limit grows only where it was what held requests back."""
        if not self.adaptive or not saturated or now < self._held_until:
            return
        step = 2.0 if self._slow_start else 1.0 / self._level
        self._level = min(float(self.ceiling), self._level + step)

    def rate_limited(self, now: float, sent_at: float) -> bool:
        """A request got a 429. True where the limit would be cut but is at its floor already."""
        if not self.adaptive or sent_at < self._cut_at:
            return False
        at_floor = self.current == 1
        if at_floor or now - self._cut_at >= CUT_COOLDOWN_S:
            self._cut(now)
        else:
            self._level = max(1.0, self._level - 1.0)
        return at_floor

    def _cut(self, now: float) -> None:
        self._level = max(1.0, float(int(self._level * CUT)))
        self._slow_start = False
        self._cut_at = now
        self._held_until = max(self._held_until, now + CUT_COOLDOWN_S)

    def troubled(self, now: float) -> None:
        """A server error or a timeout: no growth for a while, and no cut."""
        self._held_until = max(self._held_until, now + HOLD_S)

    def retune(self, ceiling: int) -> None:
        """A person's new ceiling; a higher one is approached by slow start again."""
        if ceiling > self.ceiling:
            self._slow_start = True
        self.ceiling = ceiling
        self._level = min(self._level, float(ceiling)) if self.adaptive else float(ceiling)
