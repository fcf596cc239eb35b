"""The members of a signature class, as a page of its own: a target or a blind spot is no node."""

from collections.abc import Callable

from ....engine.store.reader import Reader
from ...lines import Line
from ...page import Host
from ...run_model import RunModel
from ...searches.cegar_class import Members, members_lines
from ..help import TextPage


class ClassPage(TextPage):
    """A class. Its lines are laid out anew where the width changes."""

    def __init__(self, host: Host, title: str, found: Members | None) -> None:
        super().__init__(host, ())
        self.title, self._found, self._width = title, found, 0

    def lines(self, width: int, height: int) -> list[Line]:
        """A title, then the members."""
        if width != self._width:
            self._width = width
            self.pane.content = members_lines(self._found, width, self.host.glyphs)
        return super().lines(width, height)


def open_class(
    host: Host, run: RunModel, title: str, read: Callable[[Reader], Members | None]
) -> None:
    """Read a class and show it."""
    reader = run.reader
    run.load(host, lambda: read(reader), lambda found: host.push(ClassPage(host, title, found)))
