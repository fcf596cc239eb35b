"""The filter lets computing through and nothing else, and agrees with libseccomp."""

import ctypes
import errno
import mmap
import subprocess
import sys
import tempfile
from typing import Any

import pytest

from evoscope.engine.sandbox.inside import filter as seccomp
from evoscope.engine.sandbox.levels import HERE
from tests.engine.sandbox import bpf

X86, ARM = seccomp.MACHINES["x86_64"], seccomp.MACHINES["aarch64"]
I386 = 0x40000003
EPERM, ENOSYS = seccomp.REFUSE | errno.EPERM, seccomp.REFUSE | errno.ENOSYS
BIG = 1 << 32


def decide(machine: seccomp.Machine, number: int, *arguments: int, audit: int = 0) -> int:
    """The filter's answer, after the trip through the kernel's format."""
    program = bpf.unpacked(seccomp.packed(seccomp.program(machine)))
    return bpf.decide(program, audit or machine.audit, number, arguments)


@pytest.mark.parametrize("machine", [X86, ARM])
def test_exactly_the_listed_calls_are_allowed(machine: seccomp.Machine) -> None:
    partly = {machine.read, machine.write, machine.mmap, machine.mprotect}
    allowed = set(machine.plain.values())
    assert not partly & allowed
    for number in range(1024):
        if number not in partly:
            refusal = ENOSYS if number == machine.clone3 else EPERM
            assert decide(machine, number) == (seccomp.ALLOW if number in allowed else refusal)


@pytest.mark.parametrize("machine", [X86, ARM])
def test_other_abis_are_refused_as_a_whole(machine: seccomp.Machine) -> None:
    for number in range(600):
        assert decide(machine, number, 3, audit=I386) == EPERM
        assert decide(machine, number | 0x40000000, 3) == EPERM
        assert decide(machine, -1 - number, 3) == EPERM


@pytest.mark.parametrize("machine", [X86, ARM])
def test_only_the_socket_is_written_and_only_two_descriptors_read(
    machine: seccomp.Machine,
) -> None:
    descriptors = [*range(20), BIG, BIG + 3, -1, 2**63]
    writable = [fd for fd in descriptors if decide(machine, machine.write, fd) == seccomp.ALLOW]
    readable = [fd for fd in descriptors if decide(machine, machine.read, fd) == seccomp.ALLOW]
    assert (writable, readable) == ([seccomp.SOCKET], [0, seccomp.SOCKET])


@pytest.mark.parametrize("machine", [X86, ARM])
def test_no_mapping_is_executable(machine: seccomp.Machine) -> None:
    for number in (machine.mmap, machine.mprotect):
        for protection in range(16):
            expected = EPERM if protection & mmap.PROT_EXEC else seccomp.ALLOW
            assert decide(machine, number, 0, 4096, protection) == expected
            assert decide(machine, number, 0, 4096, protection | BIG) == expected


def test_libseccomp_builds_a_filter_of_the_same_meaning() -> None:
    library = pytest.importorskip("pyseccomp")
    theirs = bpf.unpacked(_exported(library))
    ours = bpf.unpacked(seccomp.packed(seccomp.program(X86)))
    arguments = [(), (0,), (3,), (1,), (BIG + 3,), (0, 0, 4), (0, 0, 3), (3, 0, 7), (0, 1, BIG + 4)]
    for number in [*range(600), 0x40000000, 0x40000001, 0x40000208]:
        for given in arguments:
            case = (number, given)
            found = bpf.decide(ours, X86.audit, number, given)
            wanted = bpf.decide(theirs, X86.audit, number, given)
            assert found == wanted or (number >= 0x40000000 and wanted != seccomp.ALLOW), case
    assert bpf.decide(theirs, I386, 4, (3,)) != seccomp.ALLOW


def _exported(library: Any) -> bytes:
    allow, refuse = library.ALLOW, library.ERRNO(errno.EPERM)
    built = library.SyscallFilter(refuse)
    for name in X86.plain:
        built.add_rule(allow, name)
    built.add_rule(library.ERRNO(errno.ENOSYS), "clone3")
    built.add_rule(allow, "write", library.Arg(0, library.EQ, 3))
    for descriptor in (0, 3):
        built.add_rule(allow, "read", library.Arg(0, library.EQ, descriptor))
    for name in ("mmap", "mprotect"):
        built.add_rule(allow, name, library.Arg(2, library.MASKED_EQ, 4, 0))
    with tempfile.TemporaryFile() as file:
        built.export_bpf(file)
        file.seek(0)
        return file.read()


IN_THE_OLD_ABI = """
import ctypes, mmap, os, sys
sys.path.insert(0, sys.argv[1])
from inside import lockdown
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("53 89f8 cd80 5b c3"))  # push rbx; mov eax, edi; int 0x80; pop rbx; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
getpid = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)
before = getpid(20) == os.getpid()
lockdown.no_new_privileges()
lock = lockdown.JobLock(0)
*_, seal = lock.prepared(lockdown.Limits(1, 1), 3)
os.dup2(1, 3)
lockdown.enter([seal])
os.write(3, repr((before, getpid(20), os.getpid() > 0)).encode())
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux" or ctypes.sizeof(ctypes.c_void_p) != 8, reason="x86")
def test_the_kernel_refuses_the_32_bit_abi_even_to_code_that_is_there() -> None:
    import platform

    if platform.machine() != "x86_64":
        pytest.skip("int 0x80 is x86's")
    done = subprocess.run(
        [sys.executable, "-c", IN_THE_OLD_ABI, str(HERE)], capture_output=True, check=True
    )
    assert done.stdout.decode() == repr((True, -errno.EPERM, True))
