"""A list of entries, each a head line that opens to a body."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..lines import Line, fit_line, overlay, plain
from .text import lines_of

Body = Callable[[int], list[Line]]


@dataclass(frozen=True, slots=True)
class Entry:
    """`key` keeps the cursor and what is open; `body` gives the lines at a width, None: no body.

    `level` indents it below a head line.
    """

    key: str
    head: Line
    body: Body | None = None
    level: int = 0


class FoldPane:
    """Entries, the open ones with their bodies, and a cursor over all lines."""

    def __init__(self) -> None:
        self.entries: Sequence[Entry] = ()
        self.open: set[str] = set()
        self.at = 0
        self.top = 0
        self._height = 1
        self._flat: list[tuple[Line, str | None]] = []

    def view(self, width: int, height: int, opened: str, closed: str) -> list[Line]:
        """The lines in view; heads carry the signs for open and closed."""
        self._height = max(height, 1)
        self._flat = [
            pair for entry in self.entries for pair in self._lines(entry, width, opened, closed)
        ]
        self.at = max(min(self.at, len(self._flat) - 1), 0)
        last = max(len(self._flat) - self._height, 0)
        self.top = max(min(max(self.top, self.at - self._height + 1), self.at, last), 0)
        lines: list[Line] = []
        for place, (line, _) in enumerate(self._flat[self.top : self.top + height], self.top):
            whole = fit_line(line, width)
            lines.append(overlay(whole, "cursor") if place == self.at else whole)
        return lines

    def _lines(
        self, entry: Entry, width: int, opened: str, closed: str
    ) -> list[tuple[Line, str | None]]:
        pad = "  " * entry.level
        if entry.body is None:
            return [(((pad, ""), *entry.head), None)]
        is_open = entry.key in self.open
        sign = opened if is_open else closed
        lines: list[tuple[Line, str | None]] = [
            (((f"{pad}{sign} ", "dim"), *entry.head), entry.key)
        ]
        if is_open:
            room = max(width - len(pad) - 4, 8)
            lines += [(((f"{pad}    ", ""), *line), None) for line in entry.body(room)]
        return lines

    def current(self) -> str | None:
        """The entry whose head or body the cursor is on."""
        for _, key in reversed(self._flat[: self.at + 1]):
            if key is not None:
                return key
        return None

    def toggle(self) -> str | None:
        """Open or close the entry at the cursor; its key if it is open now."""
        key = self.current()
        if key is None:
            return None
        self.at = next(place for place, (_, own) in enumerate(self._flat) if own == key)
        self.open ^= {key}
        return key if key in self.open else None

    def move(self, lines: int) -> None:
        """Move the cursor."""
        self.at = max(min(self.at + lines, len(self._flat) - 1), 0)

    def act(self, action: str) -> bool:
        """Move as the key says; False if it is no movement."""
        lines = lines_of(action, self._height, len(self._flat))
        if lines is not None:
            self.move(lines)
        return lines is not None

    def search(self, text: str, step: int = 1) -> bool:
        """Go to the next line that holds the text."""
        wanted, size = text.casefold(), len(self._flat)
        for offset in range(1, size + 1):
            place = (self.at + offset * step) % size
            if wanted in plain(self._flat[place][0]).casefold():
                self.at = place
                return True
        return False

    def text(self) -> str:
        """All lines that are open, as plain text."""
        return "\n".join(plain(line).rstrip() for line, _ in self._flat) + "\n"
