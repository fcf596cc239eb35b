"""A run: header, tabs, the active tab's body."""

from ...engine.store.status import RunStatus
from ..keymap import RUN
from ..lines import Line, Span, one
from ..page import Host, Page, Shown
from ..run_model import RunModel
from .dialogs import Prompt
from .header import TABS, header, tab_bar
from .inspect import InspectPage
from .label import open_label
from .orders import Orders
from .own import own_of
from .tabs.calls import CallsView
from .tabs.ledger import LedgerView
from .tabs.log import LogView
from .tabs.overview import OverviewView
from .tabs.report import ReportView
from .view import View

HEAD = 3


class Waiting(View):
    """Stands for a tab of the search's own until the file has said which search it is."""

    def lines(self, width: int, height: int) -> list[Line]:
        """One line."""
        return [one(" reading ...", "dim")]


VIEWS: tuple[type[View], ...] = (
    OverviewView, Waiting, Waiting, Waiting, LedgerView, CallsView, ReportView, LogView,
)  # fmt: skip
OWN = slice(1, 4)
"""Tree, axes and archive, of which each search has its own."""


class RunPage(Page):
    """One run on the screen."""

    keys = RUN

    def __init__(self, host: Host, run: RunModel) -> None:
        super().__init__(host)
        self.run = run
        self.orders = Orders(host, run)
        self.views: list[View] = [make(host, run) for make in VIEWS]
        self._search_shown = ""
        self.tab = 0
        self._reading = False
        self._wanted = ""

    @property
    def view(self) -> View:
        """The active tab."""
        return self.views[self.tab]

    def tick(self) -> None:
        """Read the run's state, then what the active tab shows."""
        if not self.run.changed():
            return
        if not self._reading:
            self._reading = True
            self.run.load(self.host, self.run.read, self._take, always=self._arrived)
        self.view.request(fresh=True)

    def close(self) -> None:
        """Close what the tabs hold, and the file."""
        for view in self.views:
            view.close()
        self.run.close(self.host)

    def _arrived(self) -> None:
        self._reading = False

    def _take(self, status: RunStatus) -> None:
        self.run.take(status)
        if status.search != self._search_shown:
            self._search_shown = status.search
            self.views[OWN] = [make(self.host, self.run) for make in own_of(status.search).views]
            self.view.request(fresh=True)

    def lines(self, width: int, height: int) -> list[Line]:
        """Header, tab bar, body."""
        head = header(self.run.status, self.run.rates(), width, self.host.glyphs)
        return [*head, tab_bar(self.tab, width), *self.view.lines(width, height - HEAD)]

    def act(self, action: str) -> bool:
        """Tabs first, then the view, then orders."""
        if action.startswith("tab") and action[3:].isdigit():
            self._show(int(action[3:]) - 1)
        elif self.view.act(action):
            pass
        elif action in ("next_pane", "right", "last_pane", "left"):
            step = 1 if action in ("next_pane", "right") else -1
            self._show((self.tab + step) % len(TABS))
        elif action in ("inspect", "open"):
            self._inspect()
        elif action in ("veto", "unveto"):
            getattr(self.orders, action)(self.view.node())
        elif action == "label":
            open_label(self.host, self.run)
        elif action == "skip":
            self.orders.skip(self.run.unit if self.tab == 1 else None)
        elif action == "search":
            self.host.push(Prompt(self.host, "search", self._search, self._wanted))
        elif action in ("next", "last"):
            self._hit(1 if action == "next" else -1)
        elif action == "filter":
            view = self.view
            hint = view.filter_hint or "this tab has nothing to filter"
            self.host.push(Prompt(self.host, "filter", view.filter, view.filter_text, hint))
        else:
            return self.orders.act(action)
        return True

    def _show(self, tab: int) -> None:
        if 0 <= tab < len(self.views):
            self.tab = tab
            self.view.request(fresh=True)

    def _inspect(self) -> None:
        node = self.view.node()
        if node:
            self.host.push(InspectPage(self.host, self.run, node, self.view.siblings()))
        else:
            self.host.say("no node here to inspect", "warn")

    def _search(self, text: str) -> str | None:
        self._wanted = text
        self._hit(1)
        return None

    def _hit(self, step: int) -> None:
        if self._wanted:
            self.view.search(self._wanted, step)

    def click(self, x: int, y: int) -> None:
        """The tab bar, or the body."""
        if y == HEAD - 1:
            self._show(_tab_at(tab_bar(self.tab, 200), x))
        elif y >= HEAD:
            self.view.click(x, y - HEAD)

    def wheel(self, lines: int) -> None:
        """To the body."""
        self.view.wheel(lines)

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        lost = self.run.status is not None and self.run.status.state == "lost"
        return (*(("restart",) if lost else ()), *self.view.actions(), "palette")

    def shown(self) -> Shown | None:
        """What the tab shows."""
        return self.view.shown()


def _tab_at(line: Line, x: int) -> int:
    at = 0
    spans: list[Span] = [span for span in line if span[0].strip()]
    for place, (text, _) in enumerate(spans):
        at += len(text)
        if x <= at:
            return place
    return len(TABS)
