"""A list of any length: keys in order, rows fetched by page, a cursor that keeps to its entity.

The whole list is never in memory: `keys` is a range, an array of ids or a short list of names;
rows come by key, the last few hundred are kept. The cursor is a key, so nothing jumps when rows
arrive above it.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from ..lines import Line, fit_line, overlay

K = TypeVar("K", int, str)
R = TypeVar("R")
KEPT = 600
MARGIN = 20


class Listing(Generic[K, R]):
    """Keys, some of their rows, and a cursor. `ordered` says that the keys rise (then bisect)."""

    def __init__(self, *, ordered: bool = False) -> None:
        self.keys: Sequence[K] = ()
        self.cursor: K | None = None
        self.follow = False
        self.top = 0
        self._ordered = ordered
        self._height = 1
        self._at = 0
        self._rows: OrderedDict[K, R] = OrderedDict()

    def set_keys(self, keys: Sequence[K]) -> None:
        """Take other keys; the cursor stays on its entity, or near where it was if that is gone."""
        offset = self._at - self.top
        self.keys = keys
        if not keys:
            self.cursor, self._at, self.top = None, 0, 0
            return
        place = len(keys) - 1 if self.follow else self._place()
        self._at = min(self._at, len(keys) - 1) if place is None else place
        self.cursor = keys[self._at]
        self.top = max(self._at - offset, 0)
        self._keep_in_view()

    def _place(self) -> int | None:
        if self.cursor is None:
            return 0
        if self._ordered and not isinstance(self.keys, range):
            place = bisect_left(self.keys, self.cursor)
            return place if place < len(self.keys) and self.keys[place] == self.cursor else None
        try:
            return self.keys.index(self.cursor)
        except ValueError:
            return None

    @property
    def height(self) -> int:
        """Lines of the list on the screen."""
        return self._height

    @property
    def at(self) -> int:
        """The cursor's place."""
        return self._at

    def row(self) -> R | None:
        """The row under the cursor, None if there is none or it is still on its way."""
        return None if self.cursor is None else self._rows.get(self.cursor)

    def known(self, key: K) -> R | None:
        """A row, if it is here."""
        return self._rows.get(key)

    def put(self, rows: Iterable[tuple[K, R]]) -> None:
        """Take rows that were fetched; the oldest ones are dropped."""
        for key, row in rows:
            self._rows[key] = row
            self._rows.move_to_end(key)
        while len(self._rows) > max(KEPT, self._height + 2 * MARGIN):
            self._rows.popitem(last=False)

    def forget(self) -> None:
        """Drop all rows, so that they are fetched again."""
        self._rows.clear()

    def in_view(self) -> list[K]:
        """The keys on the screen."""
        return list(self.keys[self.top : self.top + self._height])

    def missing(self) -> list[K]:
        """Keys on the screen whose rows are not here, with a margin around if any is missing."""
        if all(key in self._rows for key in self.in_view()):
            return []
        low, high = max(self.top - MARGIN, 0), self.top + self._height + MARGIN
        return [key for key in self.keys[low:high] if key not in self._rows]

    def move(self, lines: int) -> None:
        """Move the cursor; following ends when it leaves the last line."""
        self.go(self._at + lines)

    def go(self, place: int) -> None:
        """Put the cursor at a place."""
        if not self.keys:
            return
        self._at = min(max(place, 0), len(self.keys) - 1)
        self.cursor = self.keys[self._at]
        if self._at < len(self.keys) - 1:
            self.follow = False
        self._keep_in_view()

    def go_to(self, key: K) -> bool:
        """Put the cursor on an entity; False if it is not in the list."""
        before, self.cursor = self.cursor, key
        place = self._place()
        if place is None:
            self.cursor = before
            return False
        self.go(place)
        return True

    def act(self, action: str) -> bool:
        """Move as the key says; False if it is no movement."""
        half = max(self._height // 2, 1)
        steps = {"up": -1, "down": 1, "half_up": -half, "half_down": half}
        if action in steps:
            self.move(steps[action])
        elif action == "top":
            self.go(0)
        elif action == "bottom":
            self.go(len(self.keys) - 1)
        else:
            return False
        return True

    def resize(self, height: int) -> None:
        """Take another height in lines."""
        self._height = max(height, 1)
        self._keep_in_view()

    def view(
        self, width: int, height: int, line: Callable[[R, int], Line], *, active: bool = True
    ) -> list[Line]:
        """The lines in view, the cursor's one marked; rows on their way are empty lines."""
        self.resize(height)
        lines: list[Line] = []
        for key in self.in_view()[: max(height, 0)]:
            row = self._rows.get(key)
            text = fit_line(line(row, width) if row is not None else (), width)
            mark = "cursor" if active else "pick"
            lines.append(overlay(text, mark) if key == self.cursor else text)
        return lines

    def place_text(self) -> str:
        """Where the cursor is: `12 of 1,000`."""
        return f"{self._at + 1:,} of {len(self.keys):,}" if self.keys else "none"

    def click(self, y: int) -> bool:
        """Put the cursor on the line `y` of the view; True if it was there already."""
        place = self.top + y
        if not 0 <= place < len(self.keys):
            return False
        again = place == self._at
        self.go(place)
        return again

    def _keep_in_view(self) -> None:
        last = max(len(self.keys) - self._height, 0)
        self.top = min(max(self.top, self._at - self._height + 1), self._at, last)
        self.top = max(self.top, 0)
