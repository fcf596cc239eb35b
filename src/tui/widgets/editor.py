"""A line editor without a blinking cursor: it sends bytes only when a key is pressed."""

from ..lines import Line
from ..text import cell_width, clean_line

LIMIT = 500


class Editor:
    """One line of text that a person types. `text` is what stands there, cleaned."""

    def __init__(self, text: str = "") -> None:
        self.text = clean_line(text)[:LIMIT]
        self.at = len(self.text)

    def key(self, key: str, character: str | None) -> bool:
        """Take a key; False if it is none of an editor's."""
        move = _MOVES.get(key)
        if move is not None:
            move(self)
        elif character and character.isprintable() and len(character) == 1:
            self.insert(character)
        else:
            return False
        return True

    def insert(self, text: str) -> None:
        """Insert a text at the cursor, line breaks as spaces, up to the limit of the line."""
        flat = clean_line(" ".join(text.split("\n")))[: LIMIT - len(self.text)]
        self.text = self.text[: self.at] + flat + self.text[self.at :]
        self.at += len(flat)

    def replace(self, text: str) -> None:
        """Put another text in its place."""
        self.__init__(text)  # type: ignore[misc]

    def line(self, width: int, *, active: bool = True) -> Line:
        """The text with its cursor in `width` cells; the part around the cursor if it is longer."""
        start = 0
        while cell_width(self.text[start : self.at]) > max(width - 1, 0):
            start += 1
        before, under = self.text[start : self.at], self.text[self.at : self.at + 1] or " "
        if not active:
            return ((self.text[start:], ""),)
        return ((before, ""), (under, "cursor"), (self.text[self.at + 1 :], ""))

    def _left(self) -> None:
        self.at = max(self.at - 1, 0)

    def _right(self) -> None:
        self.at = min(self.at + 1, len(self.text))

    def _home(self) -> None:
        self.at = 0

    def _end(self) -> None:
        self.at = len(self.text)

    def _backspace(self) -> None:
        if self.at:
            self.text = self.text[: self.at - 1] + self.text[self.at :]
            self.at -= 1

    def _delete(self) -> None:
        self.text = self.text[: self.at] + self.text[self.at + 1 :]

    def _clear(self) -> None:
        self.text, self.at = self.text[self.at :], 0

    def _word(self) -> None:
        kept = self.text[: self.at].rstrip()
        kept = kept[: kept.rfind(" ") + 1]
        self.text, self.at = kept + self.text[self.at :], len(kept)


_MOVES = {
    "left": Editor._left,
    "right": Editor._right,
    "home": Editor._home,
    "ctrl+a": Editor._home,
    "end": Editor._end,
    "ctrl+e": Editor._end,
    "backspace": Editor._backspace,
    "delete": Editor._delete,
    "ctrl+u": Editor._clear,
    "ctrl+w": Editor._word,
}
