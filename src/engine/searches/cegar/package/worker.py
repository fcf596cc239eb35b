"""Runs one candidate on some inputs, each in a fresh module; a process of its own.

Reads (code, entry, encoded inputs, cpu seconds, megabytes) from standard input and writes what each
input gave as (True, encoded value) or (False, word), with the processor time of all, in Python's
marshal form; where memory does not suffice it writes the word for that. It isolates nothing.
"""

import importlib
import marshal
import os
import random
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
    codec, limits = map(importlib.import_module, ("codec", "limits"))
    del sys.path[0]
    code, entry, inputs, cpu_s, memory_mb = marshal.load(sys.stdin.buffer)
    limits.limit(cpu_s, memory_mb)
    sys.stdout = sys.stderr
    began = time.process_time()
    try:
        seen = [observe(codec, code, entry, one) for one in inputs]
    except MemoryError:
        answers.write(marshal.dumps("memory"))
    else:
        answers.write(marshal.dumps((seen, time.process_time() - began)))


def observe(codec: Any, code: str, entry: str, arguments: bytes) -> tuple[bool, Any]:
    """(True, encoded value) or (False, word). Raises MemoryError."""
    module = types.ModuleType("candidate")
    random.seed(0)
    try:
        exec(compile(code, "<candidate>", "exec"), module.__dict__)
        if entry not in module.__dict__:
            raise NameError(f"name '{entry}' is not defined")
        return True, codec.encode(module.__dict__[entry](*codec.decode(arguments)), OUTPUT)
    except MemoryError:
        raise
    except BaseException as error:
        if isinstance(error, codec.TooBig):
            return False, "output_limit"
        return False, f"error({type(error).__name__})"


if __name__ == "__main__":
    main()
