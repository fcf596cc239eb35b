"""One run as the screens hold it: its file, its state, and a short history of rates."""

import json
import os
from collections import deque
from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

from ..engine.store.reader import Reader
from ..engine.store.status import RunStatus, status_of

KEPT = 240
"""Updates of the rates that are kept: four minutes at one a second."""


class RunModel:
    """The open file. `status` is None until the first reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reader = Reader(path)
        self.status: RunStatus | None = None
        self.unit: str | None = None
        """The case that was chosen last, shared by the tabs."""
        self.history: deque[tuple[float, int, Decimal | None]] = deque(maxlen=KEPT)

    def read(self) -> RunStatus:
        """The state now; for the reading thread."""
        return status_of(self.reader)

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

    def rates(self) -> list[float]:
        """Calls a second between the last updates, oldest first."""
        points = list(self.history)
        return [(now[1] - was[1]) / max(now[0] - was[0], 1e-3) for was, now in pairwise(points)]

    def own(self) -> bool:
        """Whether this person may command the run: its inbox is theirs."""
        inbox = self.path.with_name(f"{self.path.name}.d") / "inbox"
        place = inbox if inbox.exists() else self.path
        return place.stat().st_uid == os.getuid()

    def close(self) -> None:
        """Close the file."""
        self.reader.close()
