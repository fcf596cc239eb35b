"""The seccomp filter of a job: an allow-list of what computing needs, as a classic BPF program.

Everything else answers EPERM and kills nobody; `clone3` answers ENOSYS, as C libraries expect.
Numbers of other ABIs (32-bit, x32) are refused as a whole. `write` reaches the job's socket only,
`read` the socket and standard input, and no mapping can be or become executable.
"""

import errno
import struct
from typing import NamedTuple

SOCKET = 3
"""The job's socket inside the job; the only other open descriptors are 0, 1 and 2."""

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_PROT_EXEC = 4
_X32 = 0x40000000

Instruction = tuple[int, int, int, int]
"""code, jump if true, jump if false, operand: one `struct sock_filter`."""


class Machine(NamedTuple):
    """System call numbers of one ABI; `audit` is its AUDIT_ARCH value.

    A job may use `plain` freely and the next four in part; `calls` are what puts the lock on.
    """

    audit: int
    plain: dict[str, int]
    read: int
    write: int
    mmap: int
    mprotect: int
    clone3: int
    calls: dict[str, int]


MACHINES = {
    "x86_64": Machine(
        audit=0xC000003E,
        plain={
            "brk": 12, "munmap": 11, "mremap": 25, "madvise": 28, "futex": 202,
            "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sigaltstack": 131,
            "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "nanosleep": 35,
            "gettimeofday": 96, "time": 201, "times": 100, "getrusage": 98, "sched_yield": 24,
            "getrandom": 318, "getpid": 39, "getppid": 110, "gettid": 186, "exit": 60,
            "exit_group": 231, "restart_syscall": 219,
        },
        read=0, write=1, mmap=9, mprotect=10, clone3=435,
        calls={
            "seccomp": 317, "timer_create": 222, "timer_settime": 223, "prctl": 157,
            "prlimit64": 302, "close_range": 436, "dup3": 292,
        },
    ),
    "aarch64": Machine(
        audit=0xC00000B7,
        plain={
            "brk": 214, "munmap": 215, "mremap": 216, "madvise": 233, "futex": 98,
            "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "sigaltstack": 132,
            "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "nanosleep": 101,
            "gettimeofday": 169, "times": 153, "getrusage": 165, "sched_yield": 124,
            "getrandom": 278, "getpid": 172, "getppid": 173, "gettid": 178, "exit": 93,
            "exit_group": 94, "restart_syscall": 128,
        },
        read=63, write=64, mmap=222, mprotect=226, clone3=435,
        calls={
            "seccomp": 277, "timer_create": 107, "timer_settime": 110, "prctl": 167,
            "prlimit64": 261, "close_range": 436, "dup3": 24,
        },
    ),
}  # fmt: skip


def program(machine: Machine) -> list[Instruction]:
    """The filter for one ABI."""
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, machine.audit),
        _refuse(errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _X32),
        _refuse(errno.EPERM),
        (_JUMP_EQUAL, 0, 1, machine.clone3),
        _refuse(errno.ENOSYS),
    ]
    for number in sorted(machine.plain.values()):
        code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, ALLOW)]
    code += _when(machine.write, _argument_is_one_of(0, (SOCKET,)))
    code += _when(machine.read, _argument_is_one_of(0, (0, SOCKET)))
    code += _when(machine.mmap, _argument_lacks(2, _PROT_EXEC))
    code += _when(machine.mprotect, _argument_lacks(2, _PROT_EXEC))
    return [*code, _refuse(errno.EPERM)]


def packed(code: list[Instruction]) -> bytes:
    """The program as the kernel reads it."""
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _refuse(error: int) -> Instruction:
    return (_RETURN, 0, 0, REFUSE | error)


def _when(number: int, block: list[Instruction]) -> list[Instruction]:
    """The block for one system call; the block must end in returns only."""
    return [(_JUMP_EQUAL, 0, len(block), number), *block]


def _argument_is_one_of(index: int, values: tuple[int, ...]) -> list[Instruction]:
    """Allow where the whole 64-bit argument is one of the small values; else refuse."""
    low = _ARGUMENTS + 8 * index
    code: list[Instruction] = [
        (_LOAD, 0, 0, low + 4),
        (_JUMP_EQUAL, 1, 0, 0),
        _refuse(errno.EPERM),
        (_LOAD, 0, 0, low),
    ]
    for value in values:
        code += [(_JUMP_EQUAL, 0, 1, value), (_RETURN, 0, 0, ALLOW)]
    return [*code, _refuse(errno.EPERM)]


def _argument_lacks(index: int, bits: int) -> list[Instruction]:
    """Allow where none of the bits is set in the argument's low half; else refuse."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 8 * index),
        (_JUMP_BITS, 0, 1, bits),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, ALLOW),
    ]
