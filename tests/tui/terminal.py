"""A real terminal for the app: a pseudo-terminal whose every byte is kept and timed."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

COMMAND = (sys.executable, "-m", "evoscope.cli.main", "attach")


class Terminal:
    """`evoscope attach RUN` in a pseudo-terminal of a given size."""

    def __init__(
        self, run: Path, *options: str, size: tuple[int, int] = (80, 24), **environ: str
    ) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            for name in ("NO_COLOR", "COLORTERM", "TMUX"):
                os.environ.pop(name, None)
            os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", **environ})
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            os.execv(COMMAND[0], [*COMMAND, str(run), *options])
        self.out = b""
        self.code: int | None = None

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.wait(0) is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait(5)
        if self.fd >= 0:
            os.close(self.fd)

    def read(self, seconds: float) -> bytes:
        """All bytes of the next seconds."""
        return b"".join(data for _, data in self.timed(seconds))

    def timed(self, seconds: float) -> list[tuple[float, bytes]]:
        """The bytes of the next seconds with when each part came."""
        end, parts = time.monotonic() + seconds, list[tuple[float, bytes]]()
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            try:
                data = os.read(self.fd, 65_536)
            except OSError:
                break
            if not data:
                break
            self.out += data
            parts.append((time.monotonic(), data))
        return parts

    def first(self, seconds: float) -> float:
        """Seconds until the next byte comes; all of them if none does."""
        begin = time.monotonic()
        select.select([self.fd], [], [], seconds)
        return time.monotonic() - begin

    def until(self, words: str, seconds: float = 15.0) -> bytes:
        """Read until the words have come; everything since the call."""
        start, end = len(self.out), time.monotonic() + seconds
        while words.encode() not in self.out[start:]:
            assert time.monotonic() < end, f"{words!r} did not come: {self.out[start:][-600:]!r}"
            self.read(0.02)
        return self.out[start:]

    def quiet(self, seconds: float = 0.6) -> None:
        """Read until nothing has come for so long."""
        while self.read(seconds):
            pass

    def type(self, keys: str | bytes) -> None:
        """Send keys."""
        os.write(self.fd, keys if isinstance(keys, bytes) else keys.encode())

    def kill(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal, as a lost connection does."""
        os.close(self.fd)
        self.fd = -1

    def wait(self, seconds: float, *, reading: bool = False) -> float | None:
        """How long the process takes to end; None if it has not within so many seconds."""
        begin = time.monotonic()
        while True:
            if self.code is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.code = os.waitstatus_to_exitcode(status)
            if self.code is not None:
                return time.monotonic() - begin
            if time.monotonic() - begin >= seconds:
                return None
            if reading and self.fd >= 0:
                self.read(0.02)
            else:
                time.sleep(0.02)

    def memory_mb(self) -> float:
        """Resident memory."""
        return self._status("VmRSS")

    def peak_mb(self) -> float:
        """The most it ever had."""
        return self._status("VmHWM")

    def _status(self, name: str) -> float:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) / 1024
        raise ValueError(name)

    def cpu_s(self) -> float:
        """Processor seconds used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
