"""The engine's end of one job: frames in order, nothing unasked, and how the process ended."""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from .inside import frames

CHUNK = 1 << 18
SLACK = 1 << 10
"""Bytes that a result may have beyond its values' cap."""
WAITING = 2
"""Frames that a job may have sent and nobody read: its READY and one answer."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a job's process ended. `status` is as wait() gives it; None where nobody can tell."""

    status: int | None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_mb: float = 0.0
    by_wall: bool = False


class Child:
    """One job's socket; `broken` says how the job broke the protocol, if it did, and `cut_off`
    whether it ended in the middle of a frame, as a job does that is killed there."""

    def __init__(self, stream: socket.socket, cap: int, kill: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stream, self._cap, self._kill = stream, cap + SLACK, kill
        self._buffer = bytearray()
        self._frames: deque[tuple[int, bytes]] = deque()
        self._news = asyncio.Event()
        self._open = True
        self.broken: tuple[str, str] | None = None
        self.cut_off = False
        self.exit: asyncio.Future[Exit] = self._loop.create_future()
        stream.setblocking(False)
        self._number = stream.fileno()
        self._loop.add_reader(self._number, self._readable)

    async def receive(self) -> tuple[int, bytes] | None:
        """The next frame; None when no more will come."""
        while not self._frames:
            if not self._open:
                return None
            self._news.clear()
            await self._news.wait()
        return self._frames.popleft()

    async def send(self, kind: int, body: bytes) -> None:
        """Send a frame; a job that is gone is noticed by `receive`."""
        if kind == frames.ANSWER and self.pending():
            self.break_off("bad_output", "an answer that nobody asked for")
        elif self._open:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await self._loop.sock_sendall(self._stream, frames.frame(kind, body))

    def break_off(self, verdict: str, why: str) -> None:
        """Stop listening and have the process killed."""
        self.broken = self.broken or (verdict, why)
        self._frames.clear()
        self._end()
        self._kill()

    def ended(self, how: Exit) -> None:
        """The process is gone: read what it left, and close."""
        while self._open and self._readable():
            pass
        self._end()
        if not self.exit.done():
            self.exit.set_result(how)

    def rest(self) -> None:
        """Look again only when the process has ended: its last word is said."""
        if self._open:
            self._loop.remove_reader(self._number)

    def pending(self) -> bool:
        """Whether the job has sent something that nobody has read."""
        if self._open:
            self._readable()
        return bool(self._frames or self._buffer)

    async def stop(self) -> Exit:
        """Kill the process if it still runs; how it ended."""
        if not self.exit.done():
            self._kill()
        return await self.exit

    def _readable(self) -> bool:
        """Take what is there; False when there is nothing."""
        try:
            chunk = self._stream.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except ConnectionResetError:
            chunk = b""
        if not chunk:
            self._end()
            return False
        self._buffer += chunk
        self._parse()
        return True

    def _parse(self) -> None:
        while len(self._buffer) >= frames.HEADER.size:
            length, kind = frames.HEADER.unpack_from(self._buffer)
            if length > self._cap:
                self.break_off("output_limit", f"a frame of {length} bytes")
                return
            end = frames.HEADER.size + length
            if len(self._buffer) < end:
                return
            self._frames.append((kind, bytes(self._buffer[frames.HEADER.size : end])))
            del self._buffer[:end]
            if len(self._frames) > WAITING:
                self.break_off("bad_output", "more frames than asked for")
                return
            self._news.set()

    def _end(self) -> None:
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._number)
        self._stream.close()
        self.cut_off = bool(self._buffer)
        self._news.set()
