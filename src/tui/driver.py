"""The terminal below Textual: patient where the other side is slow, gone or sends rubbish.

Three faults of the stock driver are cured here. An invalid byte on standard input ended its
keyboard thread; a terminal that stops reading blocked the whole app once thirty writes waited; a
terminal that hung up left it spinning.
"""

import os
import selectors
import sys
import threading
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable
from typing import Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

LAST_WORDS_S = 0.5
"""How long leaving waits for a terminal that does not read."""
MUCH = 8_192
"""Characters waiting from which on no new frame is begun."""


class Writer(threading.Thread):
    """Writes to the terminal in its own thread; nobody ever waits for it."""

    def __init__(self, fileno: int) -> None:
        super().__init__(name="evoscope-output", daemon=True)
        self._fileno, self._texts, self._more = fileno, deque[str | None](), threading.Event()
        self._queued = self._written = 0
        self.gone = False

    @property
    def waiting(self) -> int:
        """Characters that the terminal has not taken yet; each count has one thread that adds."""
        return self._queued - self._written

    def put(self, text: str) -> None:
        """Queue a text."""
        if not self.gone:
            self._queued += len(text)
            self._texts.append(text)
            self._more.set()

    def run(self) -> None:
        """Write what is queued until told to end or the terminal is gone."""
        while True:
            self._more.wait()
            self._more.clear()
            while self._texts:
                text = self._texts.popleft()
                if text is None:
                    return
                self._write(text.encode("utf-8", "replace"))
                self._written += len(text)

    def _write(self, data: bytes) -> None:
        while data and not self.gone:
            try:
                data = data[os.write(self._fileno, data) :]
            except BlockingIOError:
                _until_writable(self._fileno)
            except OSError:
                self.gone = True

    def end(self) -> None:
        """Write the rest, but wait no longer than a moment for it."""
        self._texts.append(None)
        self._more.set()
        if self.is_alive():
            self.join(LAST_WORDS_S)


def _until_writable(fileno: int) -> None:
    with selectors.SelectSelector() as selector:
        selector.register(fileno, selectors.EVENT_WRITE)
        selector.select(1.0)


def _writer() -> Writer:
    return Writer(1 if os.isatty(1) else sys.__stderr__.fileno())  # type: ignore[union-attr]


class PatientDriver(LinuxDriver):
    """Textual's driver for Linux and macOS, with its own reader and writer."""

    on_hangup: Callable[[], object] | None = None
    """Called (in the reader's thread) when standard input ends."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._out = _writer()

    @property
    def busy(self) -> bool:
        """Whether the terminal still has to read what was sent."""
        return self._out.waiting > MUCH

    def write(self, data: str) -> None:
        """Queue what goes to the terminal."""
        if not self._out.is_alive() and not self._out.gone:
            self._out.start()
        self._out.put(data)

    def close(self) -> None:
        """End the writer; whoever comes back from a pager writes by a new one."""
        self._out.end()
        if not self._out.gone:
            self._out = _writer()
        super().close()

    def _enable_mouse_support(self) -> None:
        """Presses, drags and the wheel only: no report for every movement over a slow line."""
        if self._mouse:
            self.write("\x1b[?1000h\x1b[?1006h")

    def _disable_mouse_support(self) -> None:
        if self._mouse:
            self.write("\x1b[?1000l\x1b[?1006l")

    def run_input_thread(self) -> None:
        """Read keys until the app ends; bytes that are no UTF-8 become replacement characters."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    try:
                        data = os.read(self.fileno, 4096)
                    except OSError:
                        data = b""
                    if not data:
                        self._hang_up()
                        return
                    for message in parser.feed(decode(data)):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _hang_up(self) -> None:
        if self.on_hangup is not None and not self.exit_event.is_set():
            self.on_hangup()
