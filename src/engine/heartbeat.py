"""Whether a run's engine lives: its heartbeat file, and the process that the file names."""

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .run_files import heartbeat_file
from .store.lock import boot_id, process_start

SILENCE_S = 60.0
"""An engine on another host counts as gone after so long without a heartbeat."""
SILENT_S = 10.0
"""An engine that lives and says nothing for so long cannot write, or hangs."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What an engine last said about itself.

    `start_time` is the process's, in clock ticks since boot, "" if unknown. `trouble` says why the
    run's file cannot be written, "" if it can. `lanes` describes the queues, one mapping each;
    `saved` counts the calls that were not needed, by reason; `extra` holds what else the file says.
    """

    pid: int
    host: str
    boot_id: str
    start_time: str
    time: str
    trouble: str = ""
    in_flight: int = 0
    waiting: int = 0
    retries: int = 0
    lanes: tuple[Mapping[str, Any], ...] = ()
    saved: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def age_s(self) -> float:
        """Seconds since it was written, never negative."""
        written = datetime.fromisoformat(self.time)
        return max((datetime.now(UTC) - written).total_seconds(), 0.0)

    def alive(self) -> bool:
        """Whether the process that wrote it still runs.

        On this host the process is looked up; of another host only the silence can be judged.
        """
        if self.host != socket.gethostname():
            return self.age_s() <= SILENCE_S
        return self.boot_id == boot_id() and process_runs(self.pid, str(self.start_time))


def read_heartbeat(run: Path) -> Heartbeat | None:
    """The run's last heartbeat; None where there is none that can be read."""
    names = [f.name for f in fields(Heartbeat) if f.name != "extra"]
    try:
        raw = json.loads(heartbeat_file(run).read_text(encoding="utf-8"))
        known = {name: raw.pop(name) for name in names if name in raw}
        beat = Heartbeat(**known, extra=raw)
        beat.age_s()
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return beat


def process_runs(pid: int, started: str) -> bool:
    """Whether the process runs and is the same one: pids are used again, start times are not."""
    if started:
        return process_start(pid) == started and not _is_zombie(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[:1] == ["Z"]
