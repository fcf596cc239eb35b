"""The locks of a sandboxed process, put on by system calls; each one raises if it fails.

A zygote drops root, takes no new privileges and enters a Landlock domain without any rule; a job
then sets its limits, arms its processor timer and installs the seccomp filter.
"""

import ctypes
import math
import os
import resource
import signal
import struct
from typing import NamedTuple

from . import filter as seccomp

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_SECCOMP_SET_MODE_FILTER = 1
_CLOCK_PROCESS_CPUTIME_ID = 2
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_LANDLOCK_VERSION = 1
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Landlock ABI: how many file access rights it knows from then on."""
_NET_SINCE, _SCOPES_SINCE = 4, 6
_MEGABYTE = 1 << 20
_FILES = 8

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = ctypes.PyDLL(None).syscall
"""Without errno and without giving up the interpreter's lock: fewer pages for a fork to copy."""


class Limits(NamedTuple):
    """What one job may use: seconds of processor time, bytes of memory beyond the zygote's."""

    cpu_s: float
    memory: int


def machine() -> seccomp.Machine | None:
    """The ABI of this machine, None where the filter does not know it."""
    return seccomp.MACHINES.get(os.uname().machine)


def call(number: int, *arguments: object) -> int:
    """A raw system call; raises OSError."""
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"system call {number}: {os.strerror(code)}")
    return result


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0):
        code = ctypes.get_errno()
        raise OSError(code, f"prctl {option}: {os.strerror(code)}")


# -- a zygote, once


def drop_root(uid: int) -> None:
    """Become an unused user where we are root; for good."""
    if os.getuid() and os.geteuid():
        return
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def die_with(parent: int) -> None:
    """Be killed when the parent ends; `parent` 0 means whichever it is."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent and os.getppid() != parent:
        os._exit(1)


def no_new_privileges() -> None:
    """No program that is executed from here on gains anything."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def limit_for_good() -> None:
    """The limits that a zygote and its jobs share; and nobody may look into their memory."""
    for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK):
        resource.setrlimit(what, (0, 0))
    _prctl(_PR_SET_DUMPABLE, 0)


def landlock_abi() -> int:
    """The version of Landlock that the kernel has, 0 without it."""
    try:
        return call(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    except OSError:
        return 0


def landlock() -> int:
    """Deny every file access, TCP, abstract sockets and signals outwards; the ABI's version.

    Raises OSError where the kernel has no Landlock.
    """
    abi = call(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    rights = max(count for since, count in _FS_RIGHTS.items() if since <= abi)
    rules = struct.pack("Q", (1 << rights) - 1)
    if abi >= _NET_SINCE:
        rules += struct.pack("Q", 3)
    if abi >= _SCOPES_SINCE:
        rules += struct.pack("Q", 3)
    domain = call(_LANDLOCK_CREATE, rules, ctypes.c_size_t(len(rules)), 0)
    try:
        call(_LANDLOCK_RESTRICT, domain, 0)
    finally:
        os.close(domain)
    return abi


def memory_in_use() -> int:
    """This process's address space in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


# -- a job, each


class JobLock:
    """A job's lock as a list of system calls, made ready before the fork.

    What the child itself has to do is kept small: every page that it writes is copied first.
    """

    def __init__(self, base_memory: int, *, seals: bool = True) -> None:
        known = machine()
        if known is None:
            raise OSError(f"no filter for {os.uname().machine}")
        self._numbers, self._base, self._seals = known.calls, base_memory, seals
        code = seccomp.program(known)
        self._code = ctypes.create_string_buffer(seccomp.packed(code))
        self._program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(self._code))
        self._event = struct.pack("QiiQQQQQQ", 0, signal.SIGKILL, 0, 0, 0, 0, 0, 0, 0)
        self._timer = ctypes.c_int(0)

    def prepared(self, limits: Limits, channel: int) -> list[tuple[object, ...]]:
        """The calls of one job, in order: its only socket, limits, the timer, the filter."""
        numbers, memory = self._numbers, self._base + limits.memory
        calls: list[tuple[object, ...]] = [
            (numbers["prctl"], _PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0),
            (numbers["dup3"], channel, seccomp.SOCKET, 0),
            (numbers["close_range"], seccomp.SOCKET + 1, 0xFFFFFFFF, 0),
            self._limit(resource.RLIMIT_AS, memory),
            self._limit(resource.RLIMIT_CPU, math.ceil(limits.cpu_s) + 1),
            self._limit(resource.RLIMIT_NOFILE, _FILES),
            self._limit(resource.RLIMIT_NPROC, 0),
            *self._timed(limits.cpu_s),
        ]
        seal = (numbers["seccomp"], _SECCOMP_SET_MODE_FILTER, 0, self._program)
        return [*calls, seal] if self._seals else calls

    def _limit(self, what: int, value: int) -> tuple[object, ...]:
        return (self._numbers["prlimit64"], 0, what, struct.pack("QQ", value, value), None)

    def _timed(self, seconds: float) -> list[tuple[object, ...]]:
        """SIGKILL, which cannot be caught, after so much processor time of the process."""
        whole = int(seconds)
        when = struct.pack("qqqq", 0, 0, whole, max(int((seconds - whole) * 1e9), 1))
        timer, clock = ctypes.byref(self._timer), _CLOCK_PROCESS_CPUTIME_ID
        return [
            (self._numbers["timer_create"], clock, self._event, timer),
            (self._numbers["timer_settime"], self._timer, 0, when, None),
        ]


def enter(calls: list[tuple[object, ...]]) -> None:
    """Make the calls of `JobLock.prepared`; raises OSError at the first that fails."""
    for arguments in calls:
        if _syscall(*arguments) < 0:
            raise OSError(f"system call {arguments[0]} failed")
