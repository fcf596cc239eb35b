"""What a tab of a run is: lines, keys, and a job that reads what it needs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..lines import Line
from ..page import Shown

if TYPE_CHECKING:
    from ..page import Host
    from ..run_model import RunModel

Apply = Callable[[], None]
Job = Callable[[], Apply]


class View:
    """One tab. `job(fresh)` gives what the reading thread shall do, or None if all is there.

    A job reads and returns the step that puts what was read into the view, in the app's thread.
    `fresh` is true once per update: then what may have changed is read again.
    """

    def __init__(self, host: "Host", run: "RunModel") -> None:
        self.host, self.run = host, run
        self.loading = False
        self.again = False

    def lines(self, width: int, height: int) -> list[Line]:
        """The body of the tab."""
        raise NotImplementedError

    def job(self, fresh: bool) -> Job | None:
        """What to read."""
        return None

    def act(self, action: str) -> bool:
        """Do what a key means; False if it means nothing here."""
        return False

    def close(self) -> None:
        """The app ends."""

    def click(self, x: int, y: int) -> None:
        """A press at a cell of the body."""

    def wheel(self, lines: int) -> None:
        """The wheel."""

    def node(self) -> str | None:
        """The node under the cursor."""
        return None

    def siblings(self) -> list[str]:
        """Node ids in the order of this tab, around the cursor: for next and previous."""
        node = self.node()
        return [node] if node else []

    def search(self, text: str, step: int) -> None:
        """Go to the next line that holds the text."""

    def filter(self, text: str) -> str | None:
        """Filter the list; what is wrong with the filter, or None."""
        return "this tab has nothing to filter"

    filter_hint = ""
    filter_text = ""

    def actions(self) -> tuple[str, ...]:
        """For the footer."""
        return ("inspect",)

    def shown(self) -> Shown | None:
        """What is shown, as text."""
        return None

    def request(self, fresh: bool = False) -> None:
        """Have read what is missing; one job of a view at a time."""
        if self.loading:
            self.again = True
            return
        job = self.job(fresh)
        if job is not None:
            self.loading = True
            self.run.load(self.host, job, self._loaded, always=self._arrived)

    def _arrived(self) -> None:
        self.loading = False

    def _loaded(self, apply: Apply) -> None:
        apply()
        if self.again:
            self.again = False
            self.request()
        elif self.job(False) is not None:
            self.request()
