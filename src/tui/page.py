"""What a page is, and what it may ask of the app that shows it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from .glyphs import Glyphs
from .keymap import RUN, Keymap
from .lines import Line
from .settings import Settings

T = TypeVar("T")


class Host(Protocol):
    """The app, as pages see it."""

    glyphs: Glyphs
    settings: Settings
    read_only: bool

    def push(self, page: "Page") -> None:
        """Show a page over this one."""
        ...

    def pop(self) -> None:
        """Leave the top page."""
        ...

    def drop(self, page: "Page") -> None:
        """Take one page away, wherever it stands."""
        ...

    def do(self, action: str) -> None:
        """Do what an action means on every page: copy, theme, help, leave."""
        ...

    def next_theme(self, name: str | None = None) -> None:
        """Wear the theme of that name, or the next one."""
        ...

    def show_messages(self) -> None:
        """Show all messages so far."""
        ...

    def say(self, text: str, style: str = "") -> None:
        """One line at the foot of the screen, kept in the list of messages."""
        ...

    def paint(self) -> None:
        """Draw again what changed."""
        ...

    def load(self, job: Callable[[], T], then: Callable[[T], None], *, slow: bool = False) -> None:
        """Run `job` in the reading thread, `slow` ones in another; give its result to `then`."""
        ...

    def send(self, run: Path, kind: str, args: Mapping[str, Any], reason: str = "") -> None:
        """Send a command to a run's engine, say what it answers."""
        ...

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows, for copying, exporting and the pager: a file name and its text.

    A text that takes time is given as what makes it, part by part, in a reading thread.
    """

    name: str
    text: str | Callable[[], Iterator[str]]

    def parts(self) -> Iterator[str]:
        """The text, part by part."""
        yield from (self.text,) if isinstance(self.text, str) else self.text()


class Page:
    """One page. The app calls `lines` to draw it, `act` for keys that mean something on it.

    `keys` names the page in the keymap. A modal page is drawn over the page below it and takes
    every key itself (`key`).
    """

    keys = RUN
    modal = False
    hint = ""
    """Modal pages: what their keys do, for the foot of the screen."""

    def __init__(self, host: Host) -> None:
        self.host = host

    @property
    def keymap(self) -> Keymap:
        """The person's keys."""
        return self.host.settings.keys

    def lines(self, width: int, height: int) -> list[Line]:
        """The page at this size: `height` lines at most."""
        raise NotImplementedError

    def overlay(self, lines: list[Line], width: int, height: int) -> None:
        """Modal pages: draw into the lines of the page below."""

    def act(self, action: str) -> bool:
        """Do what a key means; False if it means nothing here."""
        return False

    def key(self, key: str, character: str | None) -> bool:
        """Modal pages: take a key as it is; False lets it go on as an action."""
        return False

    def paste(self, text: str) -> None:
        """Take a pasted text: into a line editor, else nowhere."""

    def click(self, x: int, y: int) -> None:
        """A press of the mouse at a cell."""

    def wheel(self, lines: int) -> None:
        """The mouse wheel."""

    def tick(self) -> None:
        """Once per update: ask for what may have changed."""

    def close(self) -> None:
        """The app ends: let go of what would keep it."""

    def actions(self) -> tuple[str, ...]:
        """What the footer names, the most useful first."""
        return ()

    def shown(self) -> Shown | None:
        """What is shown, as text."""
        return None
