"""Running the app on a small generated file, waiting until it has settled, reading its screen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from evoscope.tui.app import EvoscopeApp
from evoscope.tui.lines import plain
from evoscope.tui.page import Page
from evoscope.tui.run_model import RunModel
from evoscope.tui.screens.run import RunPage
from evoscope.tui.screens.runs import RunsPage
from evoscope.tui.settings import Settings, load

NOWHERE = Path("/nonexistent/evoscope")
"""A configuration folder that is not there: shipped themes, default keys."""


@dataclass
class Driven:
    """A running app. `sent` holds the commands that it would have sent."""

    app: EvoscopeApp
    pilot: Pilot[int]
    sent: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)

    @property
    def screen(self) -> list[str]:
        """The lines on the screen."""
        return [plain(line) for line in self.app.canvas.lines]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.screen)

    @property
    def top(self) -> Any:
        """The page in front."""
        return self.app.stack[-1]

    async def press(self, *keys: str) -> None:
        """Press keys one after another, each seen through to its end."""
        for key in keys:
            character = {"space": " ", "enter": "\r", "escape": "\x1b", "tab": "\t"}.get(key)
            self.app.take_key(key, character or (key if len(key) == 1 else None))
            await self.settle()

    async def type(self, text: str) -> None:
        """Type a text."""
        for character in text:
            self.app.take_key("space" if character == " " else character, character)
        await self.settle()

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        await self.pilot.resize_terminal(width, height)
        while self.app.canvas.size != (width, height):
            await self.pilot.pause()
        await self.settle()

    async def settle(self) -> None:
        """Wait until nothing is being read and the screen shows the newest frame."""
        for _ in range(4000):
            await asyncio.sleep(0)
            if self.app.feed.idle:
                self.app.canvas._show()
                if self.app.feed.idle:
                    break
            await asyncio.sleep(0.003)

    def check(self) -> None:
        """No page failed."""
        assert not self.app.failures, self.app.failures[0]


class Letterbox:
    """A sender that keeps what it is told to send."""

    def __init__(self, kept: list[tuple[str, dict[str, Any], str]]) -> None:
        self.kept = kept

    def send(self, run: Path, kind: str, args: Any, reason: str) -> None:
        self.kept.append((kind, dict(args), reason))

    def close(self) -> None:
        """Nothing is open."""


def run_pages(path: Path) -> Callable[[EvoscopeApp], list[Page]]:
    """The pages that `attach RUN` opens."""
    return lambda app: [RunsPage(app, path.parent), RunPage(app, RunModel(path))]


@asynccontextmanager
async def driven(
    path: Path,
    size: tuple[int, int] = (80, 24),
    settings: Settings | None = None,
    **options: bool,
) -> AsyncIterator[Driven]:
    """The app on a run file, settled; at the end no page may have failed."""
    app = EvoscopeApp(run_pages(path), settings or load(NOWHERE), **options)
    async with app.run_test(size=size) as pilot:
        found = Driven(app, pilot)
        app.sender = Letterbox(found.sent)  # type: ignore[assignment]
        await pilot.pause()
        await found.settle()
        yield found
        found.check()
