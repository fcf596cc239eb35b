"""The model that really answers: pinned at the first call that asks for it, watched ever after.

An alias may move to another model during a run of days. The run then pauses: its figures would
mix two models. Resuming accepts the new one.
"""

from collections.abc import Callable, Mapping

from .model.llm import Completion, Request
from .store.rows import clean, event_write, meta_write
from .store.writer import Writer

PREFIX = "served:"


class ServedModels:
    """Which model served each asked-for one so far; kept in the run's meta table."""

    def __init__(
        self, writer: Writer, meta: Mapping[str, str], hold: Callable[[str], None]
    ) -> None:
        self._writer, self._hold = writer, hold
        self._pins = {
            key.removeprefix(PREFIX): value for key, value in meta.items() if key.startswith(PREFIX)
        }

    def watch(self, request: Request, completion: Completion) -> None:
        """Pin the first served model; pause the run where it changes."""
        served = completion.served_model
        if served is None:
            return
        served = clean(served)
        key = f"{request.provider}:{request.model}"
        before = self._pins.get(key)
        if before == served:
            return
        self._pins[key] = served
        self._writer.later(*meta_write({PREFIX + key: served}))
        if before is not None:
            self._writer.later(event_write("served model changed", "meta", PREFIX + key))
            self._hold(
                f"{request.model} (for {request.role}) was served by {before}, now by {served}; "
                "resume to go on with the new one, or stop"
            )
