"""One warm interpreter as the engine sees it: started, asked for jobs, reaped by its pidfd."""

import asyncio
import contextlib
import os
import socket
import subprocess
import tempfile
import threading

from ..errors import SandboxUnavailable
from . import levels
from .child import Child, Exit
from .inside import zygote as inside
from .jobs import MEGABYTE, LevelName, Limits

START_S = 30.0
STOP_S = 5.0
FULL_S = 0.002


class Zygote:
    """A running zygote; `dead` once it has ended, whatever the reason."""

    def __init__(self, level: LevelName, number: int) -> None:
        _only_from_main_thread()
        self.level, self.number = level, number
        self._loop = asyncio.get_running_loop()
        self._children: dict[int, Child] = {}
        self._last = 0
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (open until the first word)
        with theirs:
            self._process = subprocess.Popen(
                levels.command(level, theirs.fileno(), number),
                pass_fds=(theirs.fileno(),), env=levels.ENVIRONMENT, cwd="/",
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors,
                start_new_session=True,
            )  # fmt: skip
        self._control.setblocking(False)
        self._pidfd = os.pidfd_open(self._process.pid)
        self.gone = asyncio.Event()
        self.dead = False
        self.landlock_abi = 0
        self._loop.add_reader(self._pidfd, self._reap)

    @property
    def load(self) -> int:
        """Jobs that it runs now."""
        return len(self._children)

    @property
    def pid(self) -> int:
        """The process that was started (bubblewrap's at L0)."""
        return self._process.pid

    async def ready(self) -> None:
        """Wait for its first word; raises SandboxUnavailable with what it said instead."""
        try:
            async with asyncio.timeout(START_S):
                data = await self._loop.sock_recv(self._control, inside.HELLO.size)
        except TimeoutError:
            data = b""
        if len(data) != inside.HELLO.size:
            raise SandboxUnavailable(f"sandbox level {self.level}: {await self._complaint()}")
        _, self.landlock_abi = inside.HELLO.unpack(data)
        self._errors.close()
        self._loop.add_reader(self._control, self._report)

    async def start(self, limits: Limits, wall_s: float) -> Child:
        """Fork a job; its socket is ours alone, the zygote only passes it on."""
        self._last += 1
        number = self._last
        ours, theirs = socket.socketpair()
        child = Child(
            ours, limits.output_bytes + limits.stdout_bytes * 4, lambda: self._kill(number)
        )
        self._children[number] = child
        command = inside.COMMAND.pack(
            inside.START, number, max(int(limits.cpu_s * 1e6), 1), limits.memory_mb * MEGABYTE,
            int(wall_s * 1000),
        )  # fmt: skip
        with theirs:
            if not await self._send(command, [theirs.fileno()]):
                self._finish(number, Exit(None))
        return child

    async def close(self) -> None:
        """End it and wait until it is gone."""
        await self._stop()
        self._errors.close()

    async def _stop(self) -> None:
        self._lose()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self.gone.wait()
        if not self.gone.is_set():
            self._process.kill()
            await self.gone.wait()

    async def _send(self, command: bytes, descriptors: list[int]) -> bool:
        while not self.dead:
            try:
                socket.send_fds(self._control, [command], descriptors)
                return True
            except BlockingIOError:
                await asyncio.sleep(FULL_S)
            except OSError:
                self._lose()
        return False

    def _kill(self, number: int) -> None:
        if number in self._children and not self.dead:
            try:
                self._control.send(inside.COMMAND.pack(inside.KILL, number, 0, 0, 0))
            except BlockingIOError:
                self._loop.call_later(FULL_S, self._kill, number)
            except OSError:
                self._lose()

    def _report(self) -> None:
        try:
            data = self._control.recv(inside.EXIT.size)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if len(data) != inside.EXIT.size:
            self._lose()
            return
        number, status, cpu, wall, resident, by_wall = inside.EXIT.unpack(data)
        known = None if status == -1 else status
        self._finish(number, Exit(known, cpu / 1e6, wall / 1e6, resident / 1024, bool(by_wall)))

    def _finish(self, number: int, how: Exit) -> None:
        child = self._children.pop(number, None)
        if child is not None:
            child.ended(how)

    def _lose(self) -> None:
        """Every job that it still had ends without a verdict."""
        if self.dead:
            return
        self.dead = True
        self._loop.remove_reader(self._control)
        self._control.close()
        for number in list(self._children):
            self._finish(number, Exit(None))

    def _reap(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._process.wait()
        self._lose()
        self.gone.set()

    async def _complaint(self) -> str:
        """The last line that it wrote before it failed."""
        await self._stop()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "its process ended without a word"


def _only_from_main_thread() -> None:
    """PDEATHSIG fires when the *thread* that started the child ends."""
    if threading.current_thread() is not threading.main_thread():
        raise SandboxUnavailable(
            "a sandbox must be started from the main thread: its processes die with their starter"
        )
