"""The app: a stack of pages on one canvas, keys in, frames out. Pages do the rest."""

import asyncio
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from textual.app import App, ComposeResult, SuspendNotSupported
from textual.events import Key, Paste
from textual.screen import Screen

from . import shell
from .canvas import Canvas
from .driver import PatientDriver
from .feed import Feed
from .frame import compose
from .glyphs import choose
from .lines import Line
from .page import Host, Page, Shown
from .run_model import RunModel
from .screens.help import HelpPage, MessagesPage
from .screens.palette import PalettePage
from .screens.run import RunPage
from .screens.runs import RunsPage
from .senders import Sender
from .settings import Settings
from .settings import load as load_settings

T = TypeVar("T")
GONE_S = 1.5
"""After a hang-up the process ends after so long, whatever hangs."""


class Stage(Screen[None]):
    """Textual's one screen: hands keys and pastes to the app before anybody else takes them."""

    BINDINGS = []  # noqa: RUF012 Textual's own name and kind
    AUTO_FOCUS = None

    def on_key(self, event: Key) -> None:
        """A key."""
        event.stop()
        event.prevent_default()
        self.app.take_key(event.key, event.character)  # type: ignore[attr-defined]

    def on_paste(self, event: Paste) -> None:
        """A pasted text."""
        event.stop()
        self.app.take_paste(event.text)  # type: ignore[attr-defined]


class EvoscopeApp(App[int], inherit_bindings=False):
    """Implements `page.Host`. `open_pages` makes the first pages, the lowest first."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS = []  # noqa: RUF012 Textual's own name and kind

    def __init__(
        self,
        open_pages: Callable[["EvoscopeApp"], list[Page]],
        settings: Settings,
        *,
        ascii_only: bool = False,
        read_only: bool = False,
    ) -> None:
        super().__init__(
            driver_class=PatientDriver if sys.stdin.isatty() else None, ansi_color=True
        )
        self.settings, self.read_only = settings, read_only
        self.glyphs = choose(ascii_only or settings.ascii)
        self.feed = Feed(self._failed)
        self.sender = Sender(self, self._failed)
        self.stack: list[Page] = []
        self.messages: list[tuple[str, str]] = []
        self.failures: list[str] = []
        self.message: tuple[str, str] | None = None
        self._open_pages = open_pages
        self._ascii = self.glyphs.bar.isascii()
        self.canvas = Canvas(
            self._frame,
            settings.theme,
            self._busy,
            self._click,
            self._wheel,
            ascii_only=self._ascii,
        )

    def get_default_screen(self) -> Screen[None]:
        """The one screen."""
        return Stage()

    def on_mount(self) -> None:
        """Open the first pages and start the clock."""
        self.screen.mount(self.canvas)
        self._heed_signals()
        self.stack = self._open_pages(self)
        for error in self.settings.errors:
            self.say(error, "warn")
        self.set_interval(1 / self.settings.updates_per_second, self._tick)
        self._tick()

    def compose(self) -> ComposeResult:
        """Nothing besides the canvas."""
        yield from ()

    # what the terminal sends

    def take_key(self, key: str, character: str | None) -> None:
        """A key: to a modal page as it is, else as the action that the person's keymap names."""
        self.message = None
        self._guarded(lambda: self._take_key(key, character))
        self.paint(key=True)

    def _take_key(self, key: str, character: str | None) -> None:
        top = self.stack[-1]
        if top.modal and top.key(key, character):
            return
        typed = character if character and character.isprintable() and key != "space" else key
        action = self.settings.keys.action(top.keys, typed)
        if action is not None and not top.modal and not top.act(action):
            self.do(action)

    def take_paste(self, text: str) -> None:
        """A pasted text: to the line that is being edited, if there is one."""
        self._guarded(lambda: self.stack[-1].paste(text))
        self.paint(key=True)

    def _click(self, x: int, y: int) -> None:
        self._guarded(lambda: self.stack[-1].click(x, y))
        self.paint(key=True)

    def _wheel(self, lines: int) -> None:
        self._guarded(lambda: self.stack[-1].wheel(lines))
        self.paint(key=True)

    def do(self, action: str) -> None:
        """Do what an action means on every page."""
        common: dict[str, Callable[[], None]] = {
            "detach": self.leave,
            "back": self.pop,
            "help": lambda: self.push(HelpPage(self, self.stack[-1])),
            "palette": lambda: self.push(PalettePage(self, self.stack[-1])),
            "theme": self.next_theme,
            "copy": self._copy_shown,
            "export": self._export_shown,
            "pager": self._page_shown,
        }
        if action in common:
            common[action]()

    # what pages ask for

    def push(self, page: Page) -> None:
        """Show a page over the others."""
        self.stack.append(page)
        page.tick()
        self.paint()

    def pop(self) -> None:
        """Leave the top page; the last one stays."""
        if len(self.stack) > 1:
            self.stack.pop().close()
            self.stack[-1].tick()
        self.paint()

    def drop(self, page: Page) -> None:
        """Take one page away, wherever it stands."""
        if page in self.stack:
            self.stack.remove(page)
        self.paint()

    def say(self, text: str, style: str = "") -> None:
        """One line at the foot until the next key; all of them stay in the list of messages."""
        self.message = (text, style)
        self.messages.append(self.message)
        del self.messages[:-200]
        self.paint()

    def paint(self, *, key: bool = False) -> None:
        """Draw what changed."""
        if self.canvas.is_mounted:
            self.canvas.paint(key=key)

    def load(self, job: Callable[[], T], then: Callable[[T], None], *, slow: bool = False) -> None:
        """Read in the background."""

        def finish(result: T) -> None:
            then(result)
            self.paint()

        self.feed.run(job, finish, slow=slow)

    def send(self, run: Path, kind: str, args: Mapping[str, Any], reason: str = "") -> None:
        """Send a command, unless this app only reads."""
        if self.read_only:
            self.say("read-only: this app sends no commands (attach without --read-only)", "warn")
        else:
            self.sender.send(run, kind, args, reason)

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        return monotonic()

    def next_theme(self, name: str | None = None) -> None:
        """Wear the theme of that name, or the next one."""
        names = sorted(self.settings.themes)
        now = names.index(self.settings.theme.name) if self.settings.theme.name in names else -1
        theme = self.settings.themes[name or names[(now + 1) % len(names)]]
        self.settings.theme = theme
        self.canvas.wear(theme)
        self.say(f"theme {theme.name}")

    def show_messages(self) -> None:
        """All messages so far."""
        self.push(MessagesPage(self, self.messages))

    def leave(self, code: int = 0) -> None:
        """End the app; the engine never notices."""
        for page in self.stack:
            page.close()
        self.exit(code)

    def on_unmount(self) -> None:
        """Read no more."""
        self.feed.close()
        self.sender.close()

    def _write_shown(self, write: Callable[[Shown], T], done: Callable[[T], None]) -> None:
        """Have what is shown written in a reading thread: it may be a whole table."""
        shown = self.stack[-1].shown()
        if shown is None:
            return

        def job() -> T | OSError:
            try:
                return write(shown)
            except OSError as error:
                return error

        def take(result: T | OSError) -> None:
            if isinstance(result, OSError):
                self.say(f"cannot write {shown.name}: {result}", "bad")
            else:
                done(result)

        self.say(f"writing {shown.name} ...")
        self.load(job, take, slow=True)

    def _copy_shown(self) -> None:
        def done(result: str | Path) -> None:
            if isinstance(result, Path):
                self.say(f"too long to copy, written: {result}", "ok")
            elif self._driver is not None:
                self._driver.write(result)
                self.say("copied (OSC 52)", "ok")

        self._write_shown(lambda shown: shell.copy_or_save(shown.parts()), done)

    def _export_shown(self) -> None:
        self._write_shown(
            lambda shown: shell.save_parts(shown.name, shown.parts()),
            lambda path: self.say(f"written: {path}", "ok"),
        )

    def _page_shown(self) -> None:
        def done(path: Path) -> None:
            try:
                shell.run_pager(path, self.suspend)
                self.say("")
            except (SuspendNotSupported, OSError) as error:
                self.say(f"cannot open the pager: {error or 'not in this terminal'}", "bad")
            finally:
                path.unlink()
            self.canvas.refresh()

        self._write_shown(lambda shown: shell.spool(shown.parts()), done)

    # drawing and housekeeping

    def _frame(self, width: int, height: int) -> list[Line]:
        try:
            return compose(self, width, height)
        except Exception as error:
            self._note(error)
            return [
                ((f"this page cannot be drawn ({type(error).__name__}); Esc leaves it", "bad"),)
            ]

    def _tick(self) -> None:
        for page in [page for page in self.stack if not page.modal][-1:]:
            self._guarded(page.tick)
        self.paint()

    def _guarded(self, step: Callable[[], object]) -> None:
        try:
            step()
        except Exception as error:
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        self._note(error)
        self.say(f"{error or type(error).__name__}".splitlines()[0], "bad")

    def _note(self, error: BaseException) -> None:
        trace = "".join(traceback.format_exception(error))
        if not self.failures or self.failures[-1] != trace:
            self.failures.append(trace)
            self.messages += [(line, "dim") for line in trace.splitlines()]

    def _busy(self) -> bool:
        return isinstance(self._driver, PatientDriver) and self._driver.busy

    def _heed_signals(self) -> None:
        if not isinstance(self._driver, PatientDriver):
            return
        loop = asyncio.get_running_loop()
        self._driver.on_hangup = partial(loop.call_soon_threadsafe, self._end_soon)
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._end_soon)

    def _end_soon(self) -> None:
        """The terminal is gone or somebody wants us gone: end, and be gone within two seconds."""
        watchdog = threading.Timer(GONE_S, os._exit, (1,))
        watchdog.daemon = True
        watchdog.start()
        self.leave(1)


SWITCH_S = 0.0005


def open_app(
    path: Path,
    read_only: bool = False,
    ascii: bool = False,
    mouse: bool = True,
    above: Callable[[Host, RunModel], Page] | None = None,
) -> int:
    """Show a run's file, or a folder of runs, until the person leaves; returns the exit code.

    `above` makes a page over the run's own. Somebody else's run is opened read-only. Raises
    StoreError if the file cannot be read.
    """
    # Reading threads hold the interpreter for this long at most: keys come first.
    sys.setswitchinterval(SWITCH_S)
    settings = load_settings()
    run = None if path.is_dir() else RunModel(path)
    foreign = run is not None and not run.own()

    def pages(app: EvoscopeApp) -> list[Page]:
        folder = path if run is None else path.absolute().parent
        below: list[Page] = [RunsPage(app, folder)]
        if foreign and not read_only:
            app.say("this run is somebody else's: read-only", "warn")
        if run is None:
            return below
        return [*below, RunPage(app, run), *([above(app, run)] if above is not None else [])]

    app = EvoscopeApp(pages, settings, ascii_only=ascii, read_only=read_only or foreign)
    return app.run(mouse=mouse and settings.mouse) or 0
