"""The command palette: type a few letters of what you want."""

from collections.abc import Callable
from functools import partial

from ..keymap import ACTIONS
from ..lines import Line, Span, fit_line, one
from ..page import Host, Page
from ..text import fit
from ..widgets.box import lay
from ..widgets.editor import Editor

ROWS = 10
Command = tuple[str, str, Callable[[], object]]


class PalettePage(Page):
    """Actions of the page below, themes, messages."""

    modal = True
    hint = "type to find, arrows choose, Enter runs, Esc leaves"

    def __init__(self, host: Host, below: Page) -> None:
        super().__init__(host)
        self.editor = Editor()
        self._commands = _commands(host, below)
        self._at = 0

    def found(self) -> list[Command]:
        """The commands whose text holds what is typed, letters in order; closest first."""
        typed = self.editor.text.casefold().replace(" ", "")
        ranked = [(rank, c) for c in self._commands if (rank := closeness(typed, c[1])) is not None]
        return [command for _, command in sorted(ranked, key=lambda pair: pair[0])]

    def overlay(self, lines: list[Line], width: int, height: int) -> None:
        """Draw the box."""
        inner = min(width - 4, 60)
        found = self.found()
        self._at = min(self._at, max(len(found) - 1, 0))
        rows = min(ROWS, height - 4)
        first = max(self._at - rows + 1, 0)
        body: list[Line] = [((": ", "key"), *self.editor.line(inner - 2))]
        for place in range(first, first + rows):
            body.append(self._row(found[place], place, inner) if place < len(found) else one(""))
        body = [fit_line(line, inner) for line in body]
        lay(lines, "Commands", body, width, height, self.host.glyphs)

    def _row(self, command: Command, place: int, width: int) -> Line:
        mark = " cursor" if place == self._at else ""
        spans: tuple[Span, ...] = (
            (fit(command[0], 7), f"key{mark}"),
            (fit(command[1], width - 7), f"{mark}".strip()),
        )
        return spans

    def key(self, key: str, character: str | None) -> bool:
        """Type, choose with the arrows, Enter runs, Esc leaves."""
        found = self.found()
        if key == "escape":
            self.host.pop()
        elif key == "enter":
            self.host.pop()
            if found:
                found[self._at][2]()
        elif key in ("up", "down", "ctrl+p", "ctrl+n"):
            step = -1 if key in ("up", "ctrl+p") else 1
            self._at = min(max(self._at + step, 0), max(len(found) - 1, 0))
        elif self.editor.key(key, character):
            self._at = 0
        return True

    def paste(self, text: str) -> None:
        """Into the line; runs nothing."""
        self.editor.insert(text)


def _commands(host: Host, below: Page) -> list[Command]:
    keys = host.settings.keys

    def run(name: str) -> Callable[[], object]:
        def act() -> None:
            if not below.act(name):
                host.do(name)

        return act

    skip = {"palette", "up", "down", "left", "right"}
    commands: list[Command] = [
        (keys.label(action.name), action.text, run(action.name))
        for action in ACTIONS
        if below.keys in action.pages and action.name not in skip
    ]
    for name in sorted(host.settings.themes):
        commands.append(("", f"theme: {name}", partial(host.next_theme, name)))
    return [*commands, ("", "messages so far", host.show_messages)]


def closeness(typed: str, text: str) -> int | None:
    """How far apart the letters of `typed` stand in `text`, in order; None if they do not."""
    at, gaps, low = -1, 0, text.casefold()
    for letter in typed:
        place = low.find(letter, at + 1)
        if place < 0:
            return None
        gaps += place - at - 1 if at >= 0 else 0
        at = place
    return gaps + (0 if typed and low.replace(" ", "").startswith(typed) else 1)
