"""Runs one candidate on some inputs, each in a fresh module; a process of its own.

Reads (code, entry, encoded inputs, cpu seconds) from standard input and writes what each input gave
as (True, encoded value) or (False, word), with the processor time of all, in Python's marshal form.
It limits processor time; it isolates nothing.
"""

import importlib
import marshal
import os
import random
import resource
import signal
import sys
import time
import types
from typing import Any

OUTPUT = 1 << 16
"""Bytes of a value; more is no value."""


def main() -> None:
    """One request, one answer."""
    answers = sys.stdout.buffer
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    codec = importlib.import_module("codec")
    del sys.path[0]
    code, entry, inputs, cpu_s = marshal.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    sys.stdout = sys.stderr
    began = time.process_time()
    seen = [observe(codec, code, entry, one) for one in inputs]
    answers.write(marshal.dumps((seen, time.process_time() - began)))


def observe(codec: Any, code: str, entry: str, arguments: bytes) -> tuple[bool, Any]:
    """(True, encoded value) or (False, word)."""
    module = types.ModuleType("candidate")
    random.seed(0)
    try:
        exec(compile(code, "<candidate>", "exec"), module.__dict__)
        if entry not in module.__dict__:
            raise NameError(f"name '{entry}' is not defined")
        return True, codec.encode(module.__dict__[entry](*codec.decode(arguments)), OUTPUT)
    except BaseException as error:
        if isinstance(error, codec.TooBig):
            return False, "output_limit"
        return False, f"error({type(error).__name__})"


if __name__ == "__main__":
    main()
