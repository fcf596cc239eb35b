"""A warm interpreter that forks one job per request, and never reads what a job is given.

Control socket (one packet each): in, START (number, limits) with the job's socket attached, or
KILL (number); out, one HELLO, then one EXIT per job. It ends when the engine's side closes.
"""

import ctypes
import fcntl
import functools
import gc
import os
import random
import select
import signal
import socket
import struct
import sys
import time
from typing import NoReturn

from . import frames, library, lockdown, mappings, worker
from .filter import SOCKET

START, KILL = 1, 2
COMMAND = struct.Struct("!BQQQQ")
"""START or KILL, job number, CPU limit in us, memory in bytes, wall limit in ms."""
HELLO = struct.Struct("!QI")
"""The zygote's address space in bytes, Landlock's ABI (0: none)."""
EXIT = struct.Struct("!QiQQQB")
"""Job number, wait status (-1: fork failed), CPU us, wall us, most resident kB, ended by WALL."""
NOT_LOCKED = 70
"""Exit status of a job whose lock failed; it has read nothing."""
_fork = ctypes.PyDLL(None).fork
"""The C library's fork: this process has one thread, so Python's own bookkeeping after a fork,
which writes to a hundred shared pages, has nothing to do."""
PREPARED = 64
"""Locks that are kept: most jobs have the same limits."""
NEVER = float("inf")
BUSY_SHARE, WINDOWS = 0.05, 5
"""A job that used this share of its wall limit as CPU time gets another window, up to so many."""


class Running:
    """One forked job; `window` is its wall limit in seconds."""

    __slots__ = ("by_wall", "cpu", "deadline", "number", "pid", "started", "window", "windows")

    def __init__(self, number: int, pid: int, window: float) -> None:
        self.number, self.pid, self.window = number, pid, window
        self.started = time.monotonic()
        self.deadline = self.started + window
        self.windows, self.cpu, self.by_wall = 1, 0.0, False


def main() -> None:
    """Arguments: control descriptor, level (L0, L1, L2 or none), unused uid, parent's pid or 0."""
    level, uid, parent = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    control = socket.socket(fileno=_descriptors(int(sys.argv[1])))
    library.load()
    mappings.merge()
    base = lockdown.memory_in_use()
    abi = 0
    if level != "none":
        lockdown.drop_root(uid)
        lockdown.no_new_privileges()
        abi = lockdown.landlock() if level in ("L0", "L1") else 0
    lockdown.die_with(parent)
    lockdown.limit_for_good()
    lock = lockdown.JobLock(base, seals=level != "none")
    worker.warm_up()
    random.seed(0)
    gc.collect()
    gc.disable()
    gc.freeze()
    control.send(HELLO.pack(base, abi))
    os.dup2(1, 2)
    Zygote(control, lock).serve()


def _descriptors(control: int) -> int:
    """Put descriptors where jobs expect them; returns the control socket's new number.

    Standard input never answers: the pipe's other end stays open here, at the number that a job
    uses for its socket.
    """
    moved = fcntl.fcntl(control, fcntl.F_DUPFD_CLOEXEC, SOCKET + 1)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.dup2(writing, SOCKET, inheritable=False)
    for spare in {control, reading, writing} - {SOCKET}:
        os.close(spare)
    return moved


class Zygote:
    """Serves the control socket until it closes."""

    def __init__(self, control: socket.socket, lock: lockdown.JobLock) -> None:
        self._control, self._me = control, os.getpid()
        self._prepared = functools.lru_cache(PREPARED)(lock.prepared)
        self._jobs: dict[int, Running] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> None:
        """Fork, reap and time jobs."""
        while True:
            for descriptor, _ in self._poll.poll(self._patience()):
                if descriptor in self._jobs:
                    self._reap(descriptor)
                elif not self._command():
                    return
            self._check_time()

    def _command(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, COMMAND.size, 1)
        if not data:
            return False
        what, number, cpu_us, memory, wall_ms = COMMAND.unpack(data)
        if what == KILL:
            self._kill(number)
            return True
        try:
            self._start(number, descriptors[0], lockdown.Limits(cpu_us / 1e6, memory), wall_ms)
        finally:
            os.close(descriptors[0])
        return True

    def _start(self, number: int, channel: int, limits: lockdown.Limits, wall_ms: int) -> None:
        calls = self._prepared(limits, channel)
        pid = _fork()
        if pid == 0:
            _job(calls, self._me)
        if pid < 0:
            self._control.send(EXIT.pack(number, -1, 0, 0, 0, 0))
            return
        descriptor = os.pidfd_open(pid)
        self._jobs[descriptor] = Running(number, pid, wall_ms / 1000)
        self._poll.register(descriptor, select.POLLIN)

    def _reap(self, descriptor: int) -> None:
        job = self._jobs.pop(descriptor)
        self._poll.unregister(descriptor)
        os.close(descriptor)
        _, status, usage = os.wait4(job.pid, 0)
        cpu, wall = usage.ru_utime + usage.ru_stime, time.monotonic() - job.started
        report = EXIT.pack(
            job.number, status, int(cpu * 1e6), int(wall * 1e6), usage.ru_maxrss, job.by_wall
        )
        self._control.send(report)

    def _kill(self, number: int) -> None:
        for job in self._jobs.values():
            if job.number == number:
                os.kill(job.pid, signal.SIGKILL)

    def _patience(self) -> float | None:
        """Milliseconds until the next deadline."""
        nearest = min((job.deadline for job in self._jobs.values()), default=NEVER)
        if nearest == NEVER:
            return None
        return max(0.0, nearest - time.monotonic()) * 1000 + 1

    def _check_time(self) -> None:
        now = time.monotonic()
        for job in self._jobs.values():
            if job.deadline <= now:
                self._late(job)

    def _late(self, job: Running) -> None:
        """Kill a job that idles; on a loaded machine one that computes gets more time."""
        used = time.clock_gettime(~job.pid << 3 | 2)
        if used - job.cpu >= BUSY_SHARE * job.window and job.windows < WINDOWS:
            job.cpu, job.windows, job.deadline = used, job.windows + 1, job.deadline + job.window
            return
        job.by_wall, job.deadline = True, NEVER
        os.kill(job.pid, signal.SIGKILL)


def _job(lock: list[tuple[object, ...]], zygote: int) -> NoReturn:
    """The forked child: lock down, say so, and only then read what to run."""
    try:
        lockdown.enter(lock)
        if os.getppid() != zygote:
            os._exit(NOT_LOCKED)
        gc.enable()
    except BaseException:
        os._exit(NOT_LOCKED)
    try:
        frames.write(SOCKET, frames.READY)
        worker.run(SOCKET)
    finally:
        os._exit(worker.CRASHED)
