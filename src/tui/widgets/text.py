"""A scrolled text: any number of ready lines, with search."""

from collections.abc import Sequence

from ..lines import Line, overlay, plain


def lines_of(action: str, height: int, size: int) -> int | None:
    """How many lines a key moves by in a text of `size` lines; None if it is no movement."""
    half = max(height // 2, 1)
    steps = {"up": -1, "down": 1, "half_up": -half, "half_down": half, "top": -size, "bottom": size}
    return steps.get(action)


class TextPane:
    """Lines with a first one in view. Lines may be replaced at any time; the place stays."""

    def __init__(self, lines: Sequence[Line] = ()) -> None:
        self.content: Sequence[Line] = lines
        self.top = 0
        self._height = 1
        self._hit = -1

    def view(self, width: int, height: int) -> list[Line]:
        """The lines in view; the line of the last hit is marked."""
        self._height = max(height, 1)
        self.top = max(min(self.top, len(self.content) - self._height), 0)
        lines = list(self.content[self.top : self.top + height])
        if 0 <= self._hit - self.top < len(lines):
            lines[self._hit - self.top] = overlay(lines[self._hit - self.top], "pick")
        return lines

    def move(self, lines: int) -> None:
        """Scroll by so many lines."""
        self.top = max(min(self.top + lines, len(self.content) - self._height), 0)

    def act(self, action: str) -> bool:
        """Scroll as the key says; False if it is no scrolling."""
        lines = lines_of(action, self._height, len(self.content))
        if lines is not None:
            self.move(lines)
        return lines is not None

    def search(self, text: str, step: int = 1) -> bool:
        """Go to the next line (-1: the one before) that holds `text`; False if none does."""
        wanted, size = text.casefold(), len(self.content)
        start = self._hit if self._hit >= 0 else self.top - (step > 0)
        for offset in range(1, size + 1):
            place = (start + offset * step) % size
            if wanted in plain(self.content[place]).casefold():
                self._hit = place
                self.top = max(min(place - self._height // 3, size - self._height), 0)
                return True
        return False

    def text(self) -> str:
        """All lines as plain text."""
        return "\n".join(plain(line).rstrip() for line in self.content) + "\n"
