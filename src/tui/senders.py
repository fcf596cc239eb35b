"""Sends people's commands and says what the engine answered."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..engine import control
from ..engine.store.views import CommandRow
from .feed import Feed

if TYPE_CHECKING:
    from .app import EvoscopeApp

ANSWER_S = 5.0
QUIET = ("label",)
"""Orders that come by the dozen: nobody waits for each answer, a page reads what became of them."""


class Sender:
    """Drops a command, waits for its answer, shows it at the foot.

    In threads of its own: an order goes out at once, whatever is being read or answered.
    """

    def __init__(self, app: "EvoscopeApp", failed: Callable[[BaseException], None]) -> None:
        self._app, self._feed = app, Feed(failed)

    def send(self, run: Path, kind: str, args: Mapping[str, Any], reason: str) -> None:
        """Send one command."""

        def drop() -> str:
            return control.send_command(run, cast(control.Kind, kind), args, reason)

        def dropped(command: str) -> None:
            if kind in QUIET:
                return
            self._app.say(f"{kind} sent")
            self._feed.run(
                lambda: control.wait_reply(run, command, ANSWER_S),
                lambda reply: self._answered(kind, reply),
                slow=True,
            )

        self._feed.run(drop, dropped)

    def close(self) -> None:
        """Wait for no more answers."""
        self._feed.close()

    def _answered(self, kind: str, reply: CommandRow | None) -> None:
        if reply is None:
            self._app.say(f"{kind}: no answer yet; it waits in the run's inbox", "warn")
        else:
            style = "ok" if reply.outcome == "done" else "bad"
            self._app.say(f"{kind} {reply.outcome}: {reply.result}", style)
