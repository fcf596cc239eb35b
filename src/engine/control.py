"""Sending people's commands to a run: small files dropped into its inbox by atomic rename.

The engine takes them within half a second, writes them into its `command` table with what became
of them, and that row is the reply. A command to a run whose engine is gone waits in the inbox,
unless waiting makes no sense.
"""

import getpass
import json
import socket
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from .clock import utc_now
from .errors import StoreError, UsageError
from .run_files import inbox, run_name, write_atomically
from .store.listings import COMMANDS
from .store.paging import page
from .store.reader import Reader
from .store.views import CommandRow

Kind = Literal["pause", "resume", "stop", "veto", "unveto", "set", "skip", "retry", "label"]
NEEDS_ENGINE = frozenset(("pause", "stop"))
"""Commands that mean nothing to a run whose engine is gone."""
_POLL_S = 0.05


def send_command(
    run: Path,
    kind: Kind,
    args: Mapping[str, Any] | None = None,
    reason: str = "",
    author: str | None = None,
) -> str:
    """Drop a command into the run's inbox; gives its id, by which the reply is found.

    The caller has looked whether an engine is there (`refuse_if_dead`). Raises StoreError if the
    inbox cannot be written: the run belongs to somebody else, or the disk is full.
    """
    command = {
        "id": uuid.uuid4().hex,
        "author": author or person(),
        "time": utc_now(),
        "kind": kind,
        "args": dict(args or {}),
        "reason": reason,
    }
    folder = inbox(run)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(folder / f"{command['id']}.json", json.dumps(command))
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be written ({error.strerror}); only the run's owner may command it, "
            "and only while the disk has space"
        ) from error
    return str(command["id"])


def refuse_if_dead(run: Path, kind: Kind, alive: bool) -> None:
    """Raise UsageError for a command that only a living engine can carry out."""
    if kind in NEEDS_ENGINE and not alive:
        name = run_name(run)
        raise UsageError(f"{name} has no engine to {kind}; `evoscope status {name}` says why")


def wait_reply(run: Path, command: str, timeout_s: float) -> CommandRow | None:
    """What became of a command; None if the engine has not answered within the time."""
    deadline = time.monotonic() + timeout_s
    with Reader(run) as reader:
        while True:
            rows = page(reader, COMMANDS, where={"id": command}, limit=1)
            if rows or time.monotonic() >= deadline:
                return rows[0] if rows else None
            time.sleep(_POLL_S)


def waiting_commands(run: Path) -> list[Mapping[str, Any]]:
    """Commands in the inbox that no engine has taken yet, oldest first."""
    found: list[Mapping[str, Any]] = []
    for path in inbox(run).glob("*.json"):
        try:
            found.append(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            continue  # taken or removed while we looked
    return sorted(found, key=lambda command: str(command.get("time", "")))


def person() -> str:
    """Who commands: `user@host`."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
