"""Who owns a run file: an advisory lock that dies with its holder, and a note of who that is."""

import fcntl
import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from ..errors import Locked, StoreError


def side_folder(path: Path) -> Path:
    """`NAME.evo.d`, beside the run's file: lock, inbox, heartbeat, log."""
    return path.with_name(path.name + ".d")


def boot_id() -> str:
    """This boot of this machine, "" where the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def process_start(pid: int) -> str:
    """When a process started (clock ticks since boot), "" if it is gone or unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def own_identity() -> dict[str, Any]:
    """Host, boot, pid and start time of this process."""
    pid = os.getpid()
    return {
        "host": socket.gethostname(),
        "boot_id": boot_id(),
        "pid": pid,
        "start_time": process_start(pid),
    }


class RunLock:
    """Held for as long as this object is open; the operating system frees it if we die."""

    def __init__(self, handle: IO[str]) -> None:
        self._handle = handle

    @classmethod
    def take(cls, path: Path) -> "RunLock":
        """Lock a run. Raises Locked if another engine owns it, StoreError if it cannot be made."""
        folder = side_folder(path)
        try:
            (folder / "inbox").mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = (folder / "lock").open("a+")
        except OSError as error:
            raise StoreError(
                f"{folder} cannot be written ({error.strerror}); check the folder's rights and disk"
            ) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _read(handle)
            handle.close()
            raise Locked(
                f"{path.name} is run by process {owner.get('pid', '?')} on "
                f"{owner.get('host', '?')}; use `evoscope attach` or stop it first"
            ) from None
        try:
            handle.seek(0)
            handle.truncate()
            json.dump(own_identity(), handle)
            handle.flush()
        except OSError as error:
            raise StoreError(
                f"{folder} cannot be written ({error.strerror}); free space, then try again"
            ) from None
        return cls(handle)

    def release(self) -> None:
        """Give the run up."""
        self._handle.close()


def _read(handle: IO[str]) -> Mapping[str, Any]:
    handle.seek(0)
    try:
        owner: Mapping[str, Any] = json.load(handle)
    except ValueError:
        return {}
    return owner
