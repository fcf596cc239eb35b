"""One run as the screens hold it: its file, its state, and a short history of rates."""

import json
import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ..engine.store.reader import Reader
from ..engine.store.status import RunStatus, status_of

if TYPE_CHECKING:
    from .page import Host

T = TypeVar("T")
KEPT = 240
"""Updates of the rates that are kept: four minutes at one a second."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


class RunModel:
    """The open file. `status` is None until the first reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reader = Reader(path)
        self.status: RunStatus | None = None
        self.unit: str | None = None
        """The case that was chosen last, shared by the tabs."""
        self.closed = False
        self._seen: tuple[float, ...] = ()
        self.history: deque[tuple[float, int, Decimal | None]] = deque(maxlen=KEPT)

    def read(self) -> RunStatus:
        """The state now; for the reading thread."""
        return status_of(self.reader)

    def load(
        self,
        host: "Host",
        job: Callable[[], T],
        then: Callable[[T], None],
        *,
        slow: bool = False,
        always: Callable[[], None] | None = None,
    ) -> None:
        """Read from this run in the background; what comes after it was closed is dropped.

        `always` is called first, in the app's thread, whether the job failed or not.
        """

        def guarded() -> "T | _Failure":
            try:
                return job()
            except Exception as error:
                return _Failure(error)

        def take(result: "T | _Failure") -> None:
            if always is not None:
                always()
            if self.closed:
                return
            if isinstance(result, _Failure):
                raise result.error
            then(result)

        host.load(guarded, take, slow=slow)

    def changed(self) -> bool:
        """Whether anything may have changed since this was last asked."""
        before, self._seen = self._seen, self._signature()
        return self.status is None or self.status.alive or self._seen != before

    def _signature(self) -> tuple[float, ...]:
        side = self.path.with_name(f"{self.path.name}.d")
        files = (
            self.path, self.path.with_name(f"{self.path.name}-wal"),
            side / "heartbeat.json", side / "engine.log",
        )  # fmt: skip
        return tuple(part for file in files for part in stamp_of(file))

    def take(self, status: RunStatus) -> None:
        """Take a state that was read."""
        last = self.history[-1][1] if self.history else -1
        self.status = status
        if status.alive or status.calls.completed != last:
            self.history.append((monotonic(), status.calls.completed, status.calls.cost))

    @property
    def config(self) -> Mapping[str, Any]:
        """The run's configuration; empty until the first reading."""
        if self.status is None:
            return {}
        config: Mapping[str, Any] = json.loads(self.status.meta.get("config", "{}"))
        return config

    @property
    def rollouts(self) -> int:
        """T: how many rollouts a node's score comes from."""
        return int((self.config.get("harden") or {}).get("rollouts", 10))

    def rates(self) -> list[float]:
        """Calls a second between the last updates, oldest first."""
        points = list(self.history)
        return [(now[1] - was[1]) / max(now[0] - was[0], 1e-3) for was, now in pairwise(points)]

    def own(self) -> bool:
        """Whether this person may command the run: its inbox is theirs."""
        inbox = self.path.with_name(f"{self.path.name}.d") / "inbox"
        place = inbox if inbox.exists() else self.path
        return place.stat().st_uid == os.getuid()

    def close(self, host: "Host") -> None:
        """Close the file, in a reading thread: a query may still run."""
        self.closed = True
        host.load(self.reader.close, lambda _: None, slow=True)


def stamp_of(file: Path) -> tuple[float, float]:
    """Time of change and size of a file; zeros if it is not there."""
    try:
        stat = file.stat()
    except OSError:
        return 0.0, 0.0
    return stat.st_mtime, float(stat.st_size)
