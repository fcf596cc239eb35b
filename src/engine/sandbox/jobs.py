"""What the sandbox can be asked, and what comes back.

Values stand as encoded bytes (`inside.codec`): they can be kept, compared and passed on without
building anything of an untrusted sender in the engine.
"""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .inside import codec

Word = Literal[
    "pass", "fail", "error", "timeout", "memory", "crash", "no_result", "output_limit",
    "bad_output", "abstain",
]  # fmt: skip
LevelName = Literal["L0", "L1", "L2", "none"]

WALL_FACTOR = 3
LEAST_WALL_S = 1.0
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use. `cpu_s` is processor time; an idle job ends after three times that."""

    cpu_s: float = 2.0
    memory_mb: int = 256
    output_bytes: int = 1 << 16
    stdout_bytes: int = 1 << 16

    @property
    def wall_s(self) -> float:
        """The backstop on the clock, in seconds."""
        return max(WALL_FACTOR * self.cpu_s, LEAST_WALL_S)


@dataclass(frozen=True, slots=True)
class Budget:
    """What one operator's observations may cost together."""

    observations: int = 600
    peers: int = 16
    cpu_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Numbers count as equal within absolute + relative * |expected|; both 0 is exact."""

    relative: float = 0.0
    absolute: float = 0.0


EXACT = Tolerance()
NORMAL = Limits()


@dataclass(frozen=True, slots=True)
class Program:
    """Untrusted source text, and the name in it that is called."""

    code: str
    entry: str


@dataclass(frozen=True, slots=True)
class Calls:
    """Call a program on each input (an encoded tuple of arguments) in one process.

    With `expected` (encoded, one per input) the values are compared outside that process. `fresh`
    loads the module anew for every input, so that no input can see what an earlier one left.
    """

    program: Program
    inputs: tuple[bytes, ...]
    expected: tuple[bytes, ...] | None = None
    tolerance: Tolerance = EXACT
    fresh: bool = False
    limits: Limits = NORMAL


@dataclass(frozen=True, slots=True)
class Check:
    """Run test code against a program in a process of its own.

    The code sees the program as `candidate` and under its entry's name, through a proxy that
    passes plain data; if the code defines a function named `check`, it is called with the proxy.
    """

    program: Program
    code: str
    check: str = "check"
    limits: Limits = NORMAL
    check_limits: Limits = NORMAL


@dataclass(frozen=True, slots=True)
class Operate:
    """Run an operator: `entry(*arguments)`, or with a context object behind the arguments.

    `arguments` is an encoded tuple. With `context` (an encoded dict of names and values, which
    become attributes) the operator gets `ctx.run(peer, args)` and `ctx.run_many(peer, inputs)`;
    every peer runs in jobs of its own, within `peer_limits` each and `budget` together.
    """

    program: Program
    arguments: bytes
    context: bytes | None = None
    peers: tuple[Program, ...] = ()
    budget: Budget = field(default_factory=Budget)
    limits: Limits = NORMAL
    peer_limits: Limits = NORMAL


Job: TypeAlias = Calls | Check | Operate


@dataclass(frozen=True, slots=True)
class Case:
    """What one input gave: an encoded value, or the exception's class and text."""

    value: bytes | None
    error: str = ""
    message: str = ""

    def plain(self) -> Any:
        """The value, decoded; small hashed containers only (raises codec.TooCostly)."""
        return None if self.value is None else codec.decode(self.value, MAX_HASHED)


MAX_HASHED = 512
"""Entries of a hashed container that the engine builds itself; hostile keys collide."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict and what it rests on.

    `detail` is the verdict's own word: the exception's class, cpu or wall, the signal, or why;
    `message` is for people. `cases` are the values of `Calls`, or the one value of `Operate`.
    Times and memory are measures, never part of the fact: `fact` is what two runs must share.
    `limit_share` is the largest part of its processor time that any process of the job used.
    """

    verdict: Word
    detail: str = ""
    message: str = ""
    cases: tuple[Case, ...] = ()
    stdout: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_mb: float = 0.0
    limit_share: float = 0.0
    level: LevelName = "none"
    flaky: bool = False
    near_limit: bool = False

    @property
    def label(self) -> str:
        """The verdict with its word: `error(ValueError)`."""
        worded = self.verdict in ("error", "timeout", "crash", "abstain")
        return f"{self.verdict}({self.detail})" if worded else self.verdict

    @property
    def fact(self) -> tuple[object, ...]:
        """What must be the same when the job is run again."""
        word = "" if self.verdict == "timeout" else self.detail
        return self.verdict, word, tuple((case.value, case.error) for case in self.cases)


def encoded(values: Iterable[object]) -> tuple[bytes, ...]:
    """Each value as bytes: the inputs (tuples of arguments) or expected values of a job."""
    return tuple(codec.encode(value) for value in values)


def encoded_one(value: object) -> bytes:
    """One value as bytes."""
    return codec.encode(value)


def key(job: Job) -> str:
    """A hash of everything that the outcome may depend on: the job and Python's version."""
    text = repr((type(job).__name__, job, platform.python_version()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def payload(mode: str, limits: Limits, content: Mapping[str, object]) -> bytes:
    """A job as its process reads it."""
    sizes = {"output_bytes": limits.output_bytes, "stdout_bytes": limits.stdout_bytes}
    return codec.encode({"mode": mode, **sizes, **content})
