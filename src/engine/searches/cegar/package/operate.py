"""Runs one operator on one candidate; a process of its own.

Reads (source, encoded arguments, encoded context or None, cpu seconds, megabytes) from standard
input. Each run that the operator asks for is written as (encoded peer, encoded inputs) and answered
by what each input gave; the last thing written is the verdict. All in Python's marshal form. It
isolates nothing.
"""

import importlib
import io
import marshal
import os
import random
import sys
import types
from collections.abc import Iterable
from typing import Any, BinaryIO

OUTPUT = 1 << 16
"""Bytes of what is asked of a peer at a time, and characters printed; more ends the operator."""


class Output(io.TextIOBase):
    """Where an operator prints to: counted, and kept nowhere."""

    left = OUTPUT

    def write(self, text: str) -> int:
        """Count the text."""
        self.left -= len(text)
        if self.left < 0:
            os._exit(0)
        return len(text)


class Observation:
    """What one run gave: `ok` with its `value`, or the word of its `error`."""

    def __init__(self, ok: bool, value: Any) -> None:
        self.ok, self.value, self.error = ok, value if ok else None, "" if ok else value


class Context:
    """The second half of a level-2 operator's view; given data stand as attributes."""

    def __init__(self, codec: Any, answers: BinaryIO, asks: BinaryIO, data: bytes) -> None:
        self._codec, self._answers, self._asks = codec, answers, asks
        for name, value in codec.decode(data).items():
            setattr(self, name, value)

    def run(self, peer: int, arguments: Iterable[Any]) -> Observation:
        """Run a program on one tuple of arguments."""
        return self.run_many(peer, [arguments])[0]

    def run_many(self, peer: int, inputs: Iterable[Iterable[Any]]) -> list[Observation]:
        """Run a program on each tuple of arguments; more than may be asked ends the operator."""
        codec = self._codec
        asked = [codec.encode(tuple(one)) for one in inputs]
        if sum(map(len, asked)) > OUTPUT:
            os._exit(0)
        marshal.dump((codec.encode(peer), asked), self._asks)
        self._asks.flush()
        told = marshal.load(self._answers)
        return [Observation(ok, codec.decode(value) if ok else value) for ok, value in told]


def main() -> None:
    """One operator, one verdict."""
    answers, asks = sys.stdin.buffer, sys.stdout.buffer
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    codec, limits = map(importlib.import_module, ("codec", "limits"))
    del sys.path[0]
    source, arguments, context, cpu_s, memory_mb = marshal.load(answers)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), Output(), Output()
    limits.limit(cpu_s, memory_mb)
    given = list(codec.decode(arguments))
    if context is not None:
        given.append(Context(codec, answers, asks, context))
    marshal.dump(said(source, given), asks)
    asks.flush()


def said(source: str, given: list[Any]) -> str:
    """flag, pass or abstain; an operator that fails abstains."""
    module = types.ModuleType("candidate")
    random.seed(0)
    try:
        exec(compile(source, "<operator>", "exec"), module.__dict__)
        found = module.__dict__["op"](*given)
    except BaseException:
        return "abstain"
    return found if type(found) is str and found in ("flag", "pass") else "abstain"


if __name__ == "__main__":
    main()
