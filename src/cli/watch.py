"""`evoscope wait` and `evoscope follow`, and the plain progress of a run without the app.

Whoever watches only reads: leaving never touches the engine.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic

import click

from ..engine.store.listings import EVENTS, VERDICTS, Key, Listing, T
from ..engine.store.paging import page
from ..engine.store.reader import Reader
from ..engine.store.status import RunStatus, read_status, status_of
from ..engine.store.views import EventRow, VerdictRow
from ..tui.format import local_time, span
from ..tui.text import clean_line
from .as_json import event_json, verdict_json
from .event_text import event_text
from .output import narrate, print_json_lines, print_lines
from .runs import run_argument
from .status import cost_text, progress_text, status_lines

STOPPED = 3
EXIT = {"finished": 0, "failed": 1, "stopped": STOPPED, "lost": 1, "paused": STOPPED}
"""States in which nothing more comes by itself, with the exit code of whoever waits."""
_TICK_S = 0.5
_LINE_EVERY_S = 10.0
_LAST = 10


@click.command()
@run_argument
@click.option("--timeout", type=float, help="Give up after so many seconds, with exit code 3.")
def wait(run: Path, timeout: float | None) -> int:
    """Wait until RUN ends or pauses; exit with its code (0 finished, 1 failed or lost, 3 stopped
    or paused)."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while (status := read_status(run)).state not in EXIT:
        if deadline is not None and time.monotonic() >= deadline:
            narrate(f"{status.name} is still {status.state} after {timeout:g} s")
            return STOPPED
        time.sleep(_TICK_S)
    narrate(_end_line(status))
    return EXIT[status.state]


@click.command()
@run_argument
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line.")
@click.option("--from-start", is_flag=True, help="Print what there is already, too.")
def follow(run: Path, jsonl: bool, from_start: bool) -> int:
    """Print RUN's verdicts and events as they come, until it ends or pauses.

    Without --from-start the last ten of each are printed first.
    """
    with Reader(run) as reader:
        verdicts = _Tail(reader, VERDICTS, from_start)
        events = _Tail(reader, EVENTS, from_start)
        while True:
            status = status_of(reader)
            for verdict in verdicts.new():
                _print_verdict(verdict, jsonl)
            for event in events.new():
                _print_event(event, event_text(reader, event), jsonl)
            if status.state in EXIT:
                narrate(_end_line(status))
                return EXIT[status.state]
            time.sleep(_TICK_S)


def watch(run: Path) -> int:
    """Plain progress on standard error until the run ends or pauses; then its state in full.

    Ctrl-C leaves the run working. Returns the run's exit code.
    """
    try:
        status = _progress(run)
    except KeyboardInterrupt:
        name = read_status(run).name
        narrate(f"left; {name} goes on (evoscope status {name}, evoscope pause {name})")
        return STOPPED
    narrate(_end_line(status))
    print_lines(status_lines(status))
    return EXIT[status.state]


def _progress(run: Path) -> RunStatus:
    """Say how the run goes until nothing more comes by itself."""
    show = _rewriting_line() if sys.stderr.isatty() else _line_when_it_changes()
    with Reader(run) as reader:
        while True:
            status = status_of(reader)
            if status.state in EXIT:
                show("")
                return status
            show(_progress_line(status))
            time.sleep(_TICK_S)


def _rewriting_line() -> Callable[[str], None]:
    def show(line: str) -> None:
        click.echo(f"\r\x1b[K{clean_line(line)}", nl=False, err=True)

    return show


def _line_when_it_changes() -> Callable[[str], None]:
    last, due = "", 0.0

    def show(line: str) -> None:
        nonlocal last, due
        if line and line != last and time.monotonic() >= due:
            narrate(line)
            last, due = line, time.monotonic() + _LINE_EVERY_S

    return show


def _progress_line(status: RunStatus) -> str:
    beat = status.heartbeat
    working = f"{beat.in_flight} in flight" if beat else ""
    left = f"{span(*status.eta_s)} left" if status.eta_s else ""
    offline = "OFFLINE" if status.offline else ""
    unsafe = "NO SANDBOX" if status.unsafe else ""
    parts = (status.name, status.state, offline, unsafe, progress_text(status), working, left)
    return "  ".join(part for part in (*parts, cost_text(status)) if part)


def _end_line(status: RunStatus) -> str:
    reason = f": {status.reason}" if status.reason else ""
    hint = {
        "paused": f"; evoscope resume {status.name} goes on",
        "stopped": f"; evoscope resume {status.name} goes on",
        "lost": f"; evoscope resume {status.name} starts its engine again",
        "failed": f"; see {status.path}.d/engine.log, then evoscope resume {status.name}",
    }.get(status.state, "")
    return f"{status.name} {status.state}{reason}{hint}"


class _Tail(Generic[T]):
    """The rows of a table that have not been seen yet."""

    def __init__(self, reader: Reader, listing: Listing[T], from_start: bool) -> None:
        self._reader, self._listing = reader, listing
        self._after: Key = (0,)
        if not from_start:
            last = page(reader, listing, limit=_LAST + 1, newest_first=True)
            self._after = listing.key_of(last[-1]) if len(last) > _LAST else (0,)

    def new(self) -> Iterator[T]:
        """Rows that came since the last time."""
        while rows := page(self._reader, self._listing, after=self._after):
            yield from rows
            self._after = self._listing.key_of(rows[-1])


def _print_verdict(verdict: VerdictRow, jsonl: bool) -> None:
    if jsonl:
        print_json_lines([{"type": "verdict", **verdict_json(verdict)}])
    else:
        vote = "" if verdict.vote is None else f" vote {verdict.vote + 1}"
        line = f"{verdict.node} {verdict.gate}{vote} {verdict.outcome}: {verdict.reason}"
        print_lines([clean_line(f"{local_time(verdict.time)} {line}")])


def _print_event(event: EventRow, text: str, jsonl: bool) -> None:
    if jsonl:
        print_json_lines([{"type": "event", **event_json(event, text)}])
    else:
        print_lines([clean_line(f"{local_time(event.time)} {text}")])
