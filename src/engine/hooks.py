"""Telling someone: the user's own command, run with one JSON line on its standard input."""

import asyncio
import json
import logging
import os
import signal
import tempfile
from typing import IO

from .clock import utc_now

log = logging.getLogger(__name__)
EVENTS = {
    "finished": "finished",
    "paused": "paused",
    "stopped": "stopped",
    "failed": "error",
    "budget_80": "budget_80",
}
"""What a person is told about, by the state or trouble that it comes from."""

PATIENCE_S = 60.0
LAST_WORDS_S = 10.0
SHOWN = 500


class Hooks:
    """Runs `on_event` of a configuration; a run neither waits for it nor minds its failures."""

    def __init__(self, command: str | None, run: str) -> None:
        self._command, self._run = command, run
        self._last = ("", "")
        self._tasks: set[asyncio.Task[None]] = set()

    def state(self, state: str, reason: str) -> None:
        """Tell of a new state or trouble, if it is one that a person is told about."""
        if self._command is None or state not in EVENTS or self._last == (state, reason):
            return
        self._last = (state, reason)
        fields = {"event": EVENTS[state], "run": self._run, "reason": reason, "time": utc_now()}
        line = json.dumps(fields, ensure_ascii=False)
        task = asyncio.get_running_loop().create_task(self._tell(self._command, line))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give commands that still run a moment to end, then end them."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=LAST_WORDS_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _tell(self, command: str, line: str) -> None:
        try:
            with tempfile.TemporaryFile() as said:
                code = await _run(command, line, said)
                if code:
                    log.warning("on_event ended with %d: %s", code, _tail(said))
        except TimeoutError:
            log.warning("on_event took more than %g s and was ended", PATIENCE_S)
        except OSError as error:
            log.warning("on_event could not be started: %s", error)


async def _run(command: str, line: str, said: IO[bytes]) -> int | None:
    """The command's exit code; its process group is killed where it overstays or we must go."""
    process = await asyncio.create_subprocess_shell(
        command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=said,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.communicate(f"{line}\n".encode())
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode


def _tail(said: IO[bytes]) -> str:
    said.seek(0)
    return said.read().decode(errors="replace").strip()[-SHOWN:]
