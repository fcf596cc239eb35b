"""The veto dialog: what goes, and a reason that stays in the file."""

from collections.abc import Callable, Sequence

from ..lines import Line, one, tidy
from ..page import Host
from ..text import cut
from ..widgets.editor import Editor
from .dialogs import Dialog


class VetoDialog(Dialog):
    """Asks for a reason. `goes` says what the veto takes; `send` gets the reason; `recent` are
    reasons given before, newest first."""

    title = "Veto"
    deed = "Veto"

    def __init__(
        self,
        host: Host,
        node: str,
        line: str,
        goes: str,
        recent: Sequence[str],
        send: Callable[[str], None],
    ) -> None:
        super().__init__(host)
        self._node, self._line, self._goes = node, line, goes
        self._recent, self._send, self._place = list(dict.fromkeys(recent))[:9], send, -1
        self.editor = Editor()

    def body(self, width: int) -> list[Line]:
        """The node, what goes with it, the reason."""
        lines = [
            one(cut(tidy(self._node), width), "bold"),
            one(cut(tidy(self._line), width)),
            one(cut(tidy(self._goes), width), "warn"),
            one(""),
            (("reason  ", "dim"), *self.editor.line(max(width - 8, 1))),
        ]
        if self._recent:
            lines.append(one(cut(f"Up/Down: {len(self._recent)} recent reasons", width), "dim"))
        return lines

    def other_key(self, key: str, character: str | None) -> None:
        """Typing always goes to the reason; Up and Down offer recent ones."""
        if key in ("up", "down") and self._recent:
            self._place = (self._place + (1 if key == "up" else -1)) % len(self._recent)
            self.editor.replace(self._recent[self._place])
        else:
            self.editor.key(key, character)

    def paste(self, text: str) -> None:
        """Into the reason; never confirms."""
        self._quiet_since = self.host.now()
        self.editor.insert(text)

    def do(self) -> str | None:
        """Send it, if there is a reason."""
        reason = self.editor.text.strip()
        if not reason:
            return "a veto needs a reason"
        self._send(reason)
        return None
