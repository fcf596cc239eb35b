"""The one widget: it paints the lines of the current page and sends only the cells that changed.

Bytes, not frames, are the budget over SSH. Textual's containers, scroll bars and tables repaint
whole panes; here a page is a function from size to lines, and a line is sent from its first to its
last changed cell. Frames are merged: three at once when a key is pressed now and then, ten a second
while one is held, none while the terminal does not read. What was read has an allowance of its own,
so that it never delays the answer to a key.
"""

from collections.abc import Callable
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from .glyphs import ascii_text
from .lines import Line, fit_line, merged
from .text import cell_width, clean_line
from .theme import Theme

if TYPE_CHECKING:
    from textual.events import MouseDown, MouseScrollDown, MouseScrollUp, Resize

FRAMES_PER_SECOND = 10
BURST = 3


class Pace:
    """How many frames may be sent: a burst, then so many a second."""

    def __init__(self) -> None:
        self._left, self._last = float(BURST), monotonic()

    def ready(self) -> bool:
        """Whether a frame may be sent now."""
        now = monotonic()
        self._left = min(BURST, self._left + (now - self._last) * FRAMES_PER_SECOND)
        self._last = now
        return self._left >= 1

    def spend(self) -> None:
        """A frame was sent."""
        self._left -= 1


class Canvas(Widget):
    """Shows frames: `frame` gives the lines for a width and a height."""

    DEFAULT_CSS = "Canvas { width: 100%; height: 100%; }"
    ALLOW_SELECT = False

    def __init__(
        self,
        frame: Callable[[int, int], list[Line]],
        theme: Theme,
        busy: Callable[[], bool],
        click: Callable[[int, int], None],
        wheel: Callable[[int], None],
        *,
        ascii_only: bool,
    ) -> None:
        super().__init__()
        self._make, self._busy, self._click, self._wheel = frame, busy, click, wheel
        self._theme, self._ascii = theme, ascii_only
        self._lines: list[Line] = []
        self._keys, self._news, self._waiting = Pace(), Pace(), False

    @property
    def lines(self) -> list[Line]:
        """The frame that stands on the screen."""
        return self._lines

    def wear(self, theme: Theme) -> None:
        """Take another theme."""
        self._theme = theme
        self.refresh()

    def paint(self, *, key: bool = False) -> None:
        """Show the current frame, the answer to a `key` or news: now, or merged within 0.1 s."""
        pace = self._keys if key else self._news
        if pace.ready() and not self._busy():
            if self._show():
                pace.spend()
        elif not self._waiting:
            self._waiting = True
            self.set_timer(1 / FRAMES_PER_SECOND, self._late)

    def _late(self) -> None:
        self._waiting = False
        self.paint(key=self._keys.ready())

    def _show(self) -> bool:
        width, height = self.size
        old, self._lines = self._lines, self._frame(width, height)
        if len(old) != len(self._lines):
            self.refresh()
            return True
        regions = [
            Region(start, y, end - start, 1)
            for y, (was, now) in enumerate(zip(old, self._lines, strict=True))
            if was != now
            for start, end in (changed_cells(was, now, width),)
            if end > start
        ]
        if regions:
            self.refresh(*regions)
        return bool(regions)

    def _frame(self, width: int, height: int) -> list[Line]:
        lines = self._make(width, height)[:height]
        lines += [()] * (height - len(lines))
        return [merged(fit_line(line, width)) for line in lines]

    def render_line(self, y: int) -> Strip:
        """One line of the frame, as Textual asks for it."""
        line = self._lines[y] if y < len(self._lines) else ()
        return _strip(line, self.size.width, self._theme, self._ascii)

    def on_resize(self, event: "Resize") -> None:
        """Make the frame anew for the new size."""
        self._lines = self._frame(*event.size)
        self.refresh()

    def on_mouse_down(self, event: "MouseDown") -> None:
        """Hand a press to the page."""
        self._click(event.x, event.y)

    def on_mouse_scroll_down(self, event: "MouseScrollDown") -> None:
        """The wheel, down."""
        self._wheel(3)

    def on_mouse_scroll_up(self, event: "MouseScrollUp") -> None:
        """The wheel, up."""
        self._wheel(-3)


@lru_cache(maxsize=512)
def _strip(line: Line, width: int, theme: Theme, ascii_only: bool) -> Strip:
    segments = [
        Segment(_shown(text, ascii_only), theme.style(style))
        for text, style in fit_line(line, width)
    ]
    return Strip(segments, width)


def _shown(text: str, ascii_only: bool) -> str:
    """The last guard: no view's slip can send a control byte."""
    safe = text if text.isprintable() else clean_line(text)
    if not ascii_only:
        return safe
    narrow = ascii_text(safe)
    return narrow + " " * max(cell_width(safe) - len(narrow), 0)


def changed_cells(old: Line, new: Line, width: int) -> tuple[int, int]:
    """From the first cell that differs up to the last one; (0, 0) if none does."""
    if old == new:
        return 0, 0
    left = _same(old, new, _common)
    right = _same(old[::-1], new[::-1], lambda one, two: _common(one[::-1], two[::-1])[::-1])
    return min(left, width), max(width - right, min(left, width))


def _same(old: Line, new: Line, common: Callable[[str, str], str]) -> int:
    at = 0
    for (text, style), (other, its) in zip(old, new, strict=False):
        if text == other and style == its:
            at += cell_width(text)
            continue
        if style == its:
            at += cell_width(common(text, other))
        break
    return at


def _common(text: str, other: str) -> str:
    """What both texts begin with; nothing where a cell may hold more than a character."""
    if not (text.isascii() and other.isascii()):
        return ""
    size = min(len(text), len(other))
    for place in range(size):
        if text[place] != other[place]:
            return text[:place]
    return text[:size]
