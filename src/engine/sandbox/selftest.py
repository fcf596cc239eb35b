"""What a sandbox must withstand before it may be used: tried inside it, at every start."""

import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .calls import run_calls
from .jobs import Calls, Limits, Outcome, Program, encoded
from .zygotes import Zygote

ENVIRONMENT_CANARY = "EVOSCOPE_SANDBOX_CANARY"
QUICK = Limits(cpu_s=0.05, memory_mb=64)
USUAL = Limits(cpu_s=2.0, memory_mb=64)
ATTEMPTS = """
import ctypes, os, socket, subprocess

libc = ctypes.CDLL(None)

def read_file(path, name): return open(path).read()
def write_file(path, name): return open(path, "w").write("x")
def make_file(path, name): return os.open(path + ".new", os.O_CREAT | os.O_WRONLY)
def read_environment(path, name): return os.environ[name]
def read_c_environment(path, name):
    libc.getenv.restype = ctypes.c_char_p
    return libc.getenv(name.encode()).decode()
def read_own_proc(path, name): return open("/proc/self/environ").read(1)
def read_parents_proc(path, name): return open(f"/proc/{os.getppid()}/maps").read(1)
def open_tcp(path, name): return socket.socket()
def open_unix(path, name): return socket.socket(socket.AF_UNIX)
def fork(path, name):
    pid = os.fork()
    if not pid:
        os._exit(0)
    return os.waitpid(pid, 0) is not None  # or its end would stop who asks to be traced below
def execute(path, name): return subprocess.run(["/bin/true"]).returncode == 0
def kill(path, name): return os.kill(1, 0) is None
def signal_self(path, name): return os.kill(os.getpid(), 0) is None
def trace(path, name): return libc.ptrace(0, 0, 0, 0) == 0
def raise_limits(path, name): return libc.prlimit(0, 7, ctypes.byref((ctypes.c_ulong * 2)(99, 99)), None) == 0
def executable_memory(path, name): return libc.mmap(None, 4096, 7, 0x22, -1, 0) not in (-1, 0xFFFFFFFF)

def attempt(what, path, name):
    try:
        return bool(globals()[what](path, name))
    except Exception:
        return False
"""  # noqa: E501
NAMES = tuple(
    line.split("(")[0][4:]
    for line in ATTEMPTS.splitlines()
    if line.startswith("def ") and not line.startswith("def attempt")
)
BENIGN = Program("import math\ndef f(x):\n    return [math.isqrt(x), {'x': x}]\n", "f")
LOOP = Program("def f():\n    while True:\n        pass\n", "f")
BOMB = Program("def f():\n    return len([b'x' * 10**6 for _ in range(10**6)])\n", "f")


@dataclass(frozen=True, slots=True)
class Canary:
    """A readable file and an environment variable of the engine that no job may see."""

    path: str
    name: str = ENVIRONMENT_CANARY


class Canaries:
    """Plants the canaries while zygotes are started and tested."""

    def __enter__(self) -> Canary:
        self._folder = tempfile.TemporaryDirectory(prefix="evoscope-canary-")
        os.chmod(self._folder.name, 0o777)
        file = Path(self._folder.name, "canary")
        file.write_text(secrets.token_hex())
        file.chmod(0o666)
        os.environ[ENVIRONMENT_CANARY] = secrets.token_hex()
        return Canary(str(file))

    def __exit__(self, *problem: object) -> None:
        os.environ.pop(ENVIRONMENT_CANARY, None)
        self._folder.cleanup()


async def works(zygote: Zygote) -> str:
    """Whether a harmless job comes out right: "" or what was wrong."""
    inputs, expected = encoded([(10,)]), encoded([[3, {"x": 10}]])
    return _unlike("pass", await run_calls(zygote, Calls(BENIGN, inputs, expected, limits=USUAL)))


async def holds(zygote: Zygote, canary: Canary) -> str:
    """Whether every attempt to get out fails and limits hold: "" or the first that did not."""
    tried = Program(ATTEMPTS, "attempt")
    inputs = encoded((name, canary.path, canary.name) for name in NAMES)
    outcome = await run_calls(zygote, Calls(tried, inputs, limits=USUAL))
    if problem := _unlike("pass", outcome):
        return problem
    for name, case in zip(NAMES, outcome.cases, strict=True):
        if case.plain() is not False:
            return f"{name} succeeded inside the sandbox"
    for program, limits, word in ((LOOP, QUICK, "timeout"), (BOMB, USUAL, "memory")):
        ended = await run_calls(zygote, Calls(program, encoded([()]), limits=limits))
        if problem := _unlike(word, ended):
            return problem
    return ""


def _unlike(word: str, outcome: Outcome) -> str:
    if outcome.verdict == word:
        return ""
    return f"a job that should end as {word} ended as {outcome.label} ({outcome.message})"
