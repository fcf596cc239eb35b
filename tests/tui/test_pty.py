"""The app in a real terminal: bytes, signals, rubbish on its input, a stalled reader."""

import re
import signal
import termios
import time

import pytest

from tests.tui.bigfile import Shape, build
from tests.tui.terminal import Terminal

READY = "last verdicts"
RESTORED = (
    b"\x1b[?1049l",
    b"\x1b[?25h",
    b"\x1b[?2004l",
    b"\x1b[?1000l",
    b"\x1b[?1006l",
    b"\x1b[<u",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    shape = Shape(6, 3, 4, calls=900, verdicts=900, pool=20, state="finished")
    return build(tmp_path_factory.mktemp("finished") / "finished.evo", shape)


def test_an_idle_screen_sends_nothing_and_q_puts_everything_back(finished):
    with Terminal(finished) as terminal:
        before = termios.tcgetattr(terminal.fd)
        first = terminal.until(READY)
        assert len(first) < 45_000
        terminal.quiet()
        assert terminal.read(2.5) == b""
        terminal.type("q")
        assert terminal.wait(2, reading=True) is not None
        terminal.read(0.1)
        assert terminal.code == 0
        for code in RESTORED:
            assert code in terminal.out, code
        assert b"Traceback" not in terminal.out
        assert termios.tcgetattr(terminal.fd)[3] == before[3]


def test_a_bad_byte_does_not_kill_the_keyboard(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        terminal.type(b"\xff\xfe\xc3\x28\x80")
        terminal.quiet()
        terminal.type("2")
        terminal.until("source order")


def test_the_app_comes_back_from_a_pager_each_time(finished):
    with Terminal(finished, PAGER="true") as terminal:
        terminal.until(READY)
        for _ in range(2):
            terminal.type("o")
            terminal.until("\x1b[?1049h")
            terminal.quiet()
        terminal.type("2")
        terminal.until("source order")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_app_cleanly_within_two_seconds(finished, number):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        terminal.kill(number)
        assert terminal.wait(2, reading=True) is not None
        terminal.read(0.1)
        assert RESTORED[0] in terminal.out and RESTORED[1] in terminal.out


def test_a_lost_connection_ends_the_app_within_two_seconds(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        terminal.hang_up()
        assert terminal.wait(2) is not None


def test_a_terminal_that_stops_reading_stalls_only_itself(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        for _ in range(40):
            terminal.type("t")
            time.sleep(0.03)
        terminal.type("2")
        time.sleep(1.0)
        used = terminal.cpu_s()
        time.sleep(1.0)
        assert terminal.cpu_s() - used < 0.5, "it does not spin meanwhile"
        terminal.until("source order")
        terminal.type("5")
        terminal.until("outcome")


def test_a_stalled_app_still_obeys_a_signal(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        for _ in range(40):
            terminal.type("t")
            time.sleep(0.02)
        terminal.kill(signal.SIGTERM)
        assert terminal.wait(2) is not None


def test_no_color_sends_no_colour(finished):
    with Terminal(finished, NO_COLOR="1") as terminal:
        terminal.until(READY)
        terminal.type("2")
        terminal.until("source order")
        assert not re.search(rb"[34]8;[25];", terminal.out)
        assert not re.search(rb"\x1b\[[0-9;]*\b(3[0-7]|9[0-7]|4[0-7])m", terminal.out)


@pytest.mark.parametrize(
    ("environ", "used", "unused"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": ""}, rb"38;5;", rb"38;2;"),
        ({"TERM": "xterm", "COLORTERM": ""}, rb"\x1b\[[0-9;]*3[0-7]", rb"38;[25];"),
        ({}, rb"38;2;", rb"38;5;"),
    ],
)
def test_colours_are_those_that_the_terminal_has(finished, environ, used, unused):
    with Terminal(finished, **environ) as terminal:
        terminal.until(READY)
        assert re.search(used, terminal.out)
        assert not re.search(unused, terminal.out)


def test_ascii_and_no_mouse_are_heeded(finished):
    with Terminal(finished, "--ascii", "--no-mouse") as terminal:
        terminal.until(READY)
        terminal.type("2")
        terminal.until("source order")
        assert terminal.out.isascii()
        assert b"?1000h" not in terminal.out


def test_the_mouse_reports_presses_but_no_movement(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        assert b"?1000h" in terminal.out and b"?1003h" not in terminal.out
        terminal.type("\x1b[<0;15;3M\x1b[<0;15;3m")
        terminal.until("source order")


def test_a_bracketed_paste_is_no_keys(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        terminal.type("\x1b[200~q\r\nQ\r\ny\x1b[201~")
        terminal.quiet()
        assert terminal.wait(0.3) is None


def test_a_scrolled_row_and_a_resize_stay_cheap(finished):
    with Terminal(finished) as terminal:
        terminal.until(READY)
        terminal.type("5")
        terminal.quiet()
        terminal.type("g")
        terminal.quiet()
        for _ in range(17):
            terminal.type("j")
            terminal.quiet(0.2)
        start = len(terminal.out)
        terminal.type("j")
        terminal.quiet()
        assert 0 < len(terminal.out) - start <= 6_000
