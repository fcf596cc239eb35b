"""Whether the run may go on: one switch that calls and decision points wait for."""

import asyncio
from collections.abc import Callable


class Pause:
    """Held or lifted. `on_change` is told the reason when it is held, "" when it is lifted."""

    def __init__(self, on_change: Callable[[str], None]) -> None:
        self._on_change = on_change
        self._lifted = asyncio.Event()
        self._lifted.set()
        self.reason = ""

    @property
    def held(self) -> bool:
        """Whether the run is paused or pausing."""
        return not self._lifted.is_set()

    def hold(self, reason: str) -> None:
        """Pause; a second reason does not replace the first."""
        if not self.held:
            self.reason = reason
            self._lifted.clear()
            self._on_change(reason)

    def lift(self) -> None:
        """Go on."""
        if self.held:
            self.reason = ""
            self._lifted.set()
            self._on_change("")

    def must_hold(self) -> None:
        """Called where a call came back because the run is paused: hold if nobody did."""
        self.hold("a call needs a person: see the engine's log")

    async def lifted(self) -> None:
        """Return once the run may go on."""
        await self._lifted.wait()
