"""Runs one candidate on some inputs, each in a fresh module; a process of its own.

Reads (code, entry, inputs, cpu seconds) from standard input and writes what each input gave, both
in Python's marshal form. It limits processor time; it isolates nothing.
"""

import marshal
import random
import resource
import sys
import types
from typing import Any


def main() -> None:
    """One request, one answer."""
    answers = sys.stdout.buffer
    code, entry, inputs, cpu_s = marshal.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))
    sys.stdout = sys.stderr
    answers.write(marshal.dumps([observe(code, entry, one) for one in inputs]))


def observe(code: str, entry: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """(True, value) or (False, word)."""
    module = types.ModuleType("candidate")
    random.seed(0)
    try:
        exec(compile(code, "<candidate>", "exec"), module.__dict__)
        value = getattr(module, entry)(*arguments)
    except BaseException as error:
        return False, f"error({type(error).__name__})"
    try:
        marshal.dumps(value)
    except ValueError:
        return True, f"<{type(value).__name__}>"
    return True, value


if __name__ == "__main__":
    main()
