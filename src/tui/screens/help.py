"""Help for the page one comes from, and the list of messages."""

from collections.abc import Iterable, Sequence

from ..keymap import ACTIONS, LABEL, TEXT
from ..lines import Line, fit_line, one
from ..page import Host, Page, Shown
from ..text import clean_line, fit
from ..widgets.text import TextPane
from .dialogs import Prompt
from .own import own_of

SIGNS = (
    ("promoted", "best of its case, finished"), ("parent", "parent of a generation"),
    ("survivor", "survivor"), ("scored", "scored"), ("discarded", "not selected"),
    ("rejected", "rejected by a gate"), ("raced_out", "stopped early, score is a lower bound"),
    ("collapsed", "no response right: rejected"), ("vetoed", "vetoed by a person"),
    ("abstained", "gate refused"), ("error", "no response could be had"),
    ("unimprovable", "cannot get harder, not searched"), ("proposed", "proposed, in the gates"),
)  # fmt: skip


class TextPage(Page):
    """A page of ready lines with search."""

    keys = TEXT
    title = ""

    def __init__(self, host: Host, lines: Sequence[Line]) -> None:
        super().__init__(host)
        self.pane = TextPane(lines)
        self._wanted = ""

    def lines(self, width: int, height: int) -> list[Line]:
        """A title, then the text."""
        head = fit_line(((f" {self.title}", "bar"),), width, "bar")
        return [head, *self.pane.view(width, height - 1)]

    def act(self, action: str) -> bool:
        """Scroll and search."""
        if action == "search":
            self.host.push(Prompt(self.host, "search", self._search))
        elif action in ("next", "last"):
            self._hit(1 if action == "next" else -1)
        else:
            return self.pane.act(action)
        return True

    def _search(self, text: str) -> str | None:
        self._wanted = text
        self._hit(1)
        return None

    def _hit(self, step: int) -> None:
        if self._wanted and not self.pane.search(self._wanted, step):
            self.host.say(f"no {self._wanted!r} here", "warn")

    def wheel(self, lines: int) -> None:
        """Scroll."""
        self.pane.move(lines)

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("back", "search", "next", "half_down", "copy", "pager")

    def shown(self) -> Shown | None:
        """The whole text."""
        return Shown(f"evoscope-{self.title.split()[0].lower()}.txt", self.pane.text())


class HelpPage(TextPage):
    """Keys of the page below and the signs of the nodes' states."""

    title = "Help"

    def __init__(self, host: Host, below: Page) -> None:
        keys = host.settings.keys
        lines: list[Line] = [one("Keys here", "accent")]
        for action in ACTIONS:
            own = keys.keys.get(action.name, ())
            if below.keys in action.pages and own and not action.name.startswith("tab"):
                names = "  ".join("^" + key[5:] if key.startswith("ctrl+") else key for key in own)
                lines.append(((fit(f"  {names}", 20), "key"), (action.text, "")))
        if any(f"tab{number}" in keys.keys for number in (1,)) and below.keys not in (TEXT, LABEL):
            lines.append(((fit("  1 - 8", 20), "key"), ("tabs", "")))
        lines += [one(""), one("Signs", "accent")]
        for state, text in signs_of(below):
            lines.append(((fit(f"  {host.glyphs.of(state)}", 20), "key"), (text, "")))
        lines += [one(""), *_NOTES]
        super().__init__(host, lines)


def signs_of(below: Page) -> Iterable[tuple[str, str]]:
    """What the signs mean on a page: its run's search says it, or harden's meaning stands."""
    status = getattr(getattr(below, "run", None), "status", None)
    own = own_of(status.search).signs if status is not None and status.search else {}
    return own.items() or SIGNS


_NOTES = (
    one("Closing this app never touches the engine.", "dim"),
    one("Keys and themes: tui.toml and themes/*.toml in the configuration folder.", "dim"),
)


class MessagesPage(TextPage):
    """Every message of the app so far, newest last."""

    title = "Messages"

    def __init__(self, host: Host, messages: Sequence[tuple[str, str]]) -> None:
        super().__init__(host, [one(clean_line(text), style) for text, style in messages])
        self.pane.top = len(messages)
