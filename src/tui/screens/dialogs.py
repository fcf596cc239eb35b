"""Dialogs: a line to type, a question to confirm, and the guard that keeps accidents out.

What destroys is confirmed with another key than the one that asked, Cancel has the focus, and a key
that comes in one burst with others (typed ahead, or pasted by a terminal that does not say so)
confirms nothing.
"""

from collections.abc import Callable, Sequence

from ..lines import Line, Span, fit_line, one, tidy
from ..page import Host, Page
from ..text import cut
from ..widgets.box import lay
from ..widgets.editor import Editor

QUIET_S = 0.25
"""A confirming key must come so long after the key before it."""


class Prompt(Page):
    """One line to type at the foot of the screen. `submit` returns what is wrong, or None."""

    modal = True

    def __init__(
        self,
        host: Host,
        title: str,
        submit: Callable[[str], str | None],
        text: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(host)
        self.title, self._submit, self._hint = title, submit, hint
        self.editor = Editor(text)

    def overlay(self, lines: list[Line], width: int, height: int) -> None:
        """Draw in place of the last line, a hint above it."""
        label = f"{self.title}: "
        lines[-1] = fit_line(((label, "key"), *self.editor.line(width - len(label))), width)
        if self._hint:
            lines[-2] = fit_line(((cut(self._hint, width), "dim"),), width)

    def key(self, key: str, character: str | None) -> bool:
        """Enter takes the line, Esc leaves it."""
        if key == "escape":
            self.host.pop()
        elif key == "enter":
            error = self._submit(self.editor.text.strip())
            if error is None:
                self.host.drop(self)
            else:
                self._hint = tidy(error)
        else:
            self.editor.key(key, character)
        return True

    def paste(self, text: str) -> None:
        """Into the line; never takes it."""
        self.editor.insert(text)


class Dialog(Page):
    """A box with Cancel and one deed. Cancel has the focus."""

    modal = True
    hint = "Tab chooses, Enter presses, Esc cancels"
    title = ""
    deed = ""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.focus = 0
        self._quiet_since = host.now()

    def body(self, width: int) -> list[Line]:
        """The lines of the box, without its buttons."""
        raise NotImplementedError

    def do(self) -> str | None:
        """The deed; what is wrong, or None if it is done and the dialog goes."""
        raise NotImplementedError

    def other_key(self, key: str, character: str | None) -> None:
        """Keys besides those of the buttons."""

    def overlay(self, lines: list[Line], width: int, height: int) -> None:
        """Draw the box."""
        inner = min(width - 4, 76)
        body = [*self.body(inner), one(""), self._buttons()]
        lay(lines, self.title, body[-(height - 2) :], width, height, self.host.glyphs)

    def _buttons(self) -> Line:
        spans: list[Span] = []
        for place, label in enumerate(("Cancel", self.deed)):
            spans.append((f"[ {label} ]", "cursor" if place == self.focus else "dim"))
            spans.append(("  ", ""))
        return (*spans, ("Tab, Enter", "dim"))

    def key(self, key: str, character: str | None) -> bool:
        """Tab and arrows choose, Enter presses, Esc cancels."""
        quiet, self._quiet_since = self.host.now() - self._quiet_since, self.host.now()
        if key == "escape" or (key == "enter" and self.focus == 0):
            self.host.pop()
        elif key == "enter":
            self._confirm(quiet)
        elif key in ("tab", "shift+tab"):
            self.focus = 1 - self.focus
        else:
            self.other_key(key, character)
        return True

    def _confirm(self, quiet: float) -> None:
        if quiet < QUIET_S:
            self.host.say("too quick to be sure: press Enter again", "warn")
            return
        error = self.do()
        if error is None:
            self.host.pop()
        else:
            self.host.say(error, "warn")


class Confirm(Dialog):
    """A question with one deed."""

    def __init__(
        self, host: Host, title: str, text: Sequence[str], deed: str, act: Callable[[], None]
    ) -> None:
        super().__init__(host)
        self.title, self.deed = title, deed
        self._text, self._act = text, act

    def body(self, width: int) -> list[Line]:
        """The question."""
        return [one(cut(tidy(line), width)) for line in self._text]

    def other_key(self, key: str, character: str | None) -> None:
        """Arrows choose as well."""
        if key in ("left", "right"):
            self.focus = 1 - self.focus

    def do(self) -> str | None:
        """Act."""
        self._act()
        return None
