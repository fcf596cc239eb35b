"""Sends people's commands and says what the engine answered."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..engine import control
from ..engine.store.views import CommandRow

if TYPE_CHECKING:
    from .app import EvoscopeApp

ANSWER_S = 5.0


class Sender:
    """Drops a command, waits for its answer in a reading thread, shows it at the foot."""

    def __init__(self, app: "EvoscopeApp") -> None:
        self._app = app

    def send(self, run: Path, kind: str, args: Mapping[str, Any], reason: str) -> None:
        """Send one command."""

        def job() -> CommandRow | None:
            command = control.send_command(run, cast(control.Kind, kind), args, reason)
            return control.wait_reply(run, command, ANSWER_S)

        self._app.say(f"{kind} sent")
        self._app.load(job, lambda reply: self._answered(kind, reply), slow=True)

    def _answered(self, kind: str, reply: CommandRow | None) -> None:
        if reply is None:
            self._app.say(f"{kind}: no answer yet; it waits in the run's inbox", "warn")
        else:
            style = "ok" if reply.outcome == "done" else "bad"
            self._app.say(f"{kind} {reply.outcome}: {reply.result}", style)
