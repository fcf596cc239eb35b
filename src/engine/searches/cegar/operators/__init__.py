"""The starting pool: 15 hand-written operators, read as source text (docs/cegar-operators.md).

Each is a program of its own with one function `op(task, code)` or `op(task, code, ctx)` that
returns "flag", "pass" or "abstain". They run in the sandbox only; nothing imports them.
"""

from dataclasses import dataclass
from importlib.resources import files

STATIC = (
    "missing_return",
    "unused_parameter",
    "memorised_example",
    "decides_at_once",
    "mutates_argument",
    "mutable_default",
    "unreachable_code",
    "float_equality",
    "swallowed_error",
    "short_range",
)
RUNNING = (
    "plurality_disagreement",
    "crashes_alone",
    "type_outlier",
    "constant_output",
    "unstable_result",
)
COMPARATOR = "plurality_disagreement"
"""The strongest of them, with which an authored operator is compared."""


@dataclass(frozen=True, slots=True)
class HandWritten:
    """One operator of the starting pool: its name, interface level and source text."""

    name: str
    level: int
    source: str


def starting_pool() -> list[HandWritten]:
    """All fifteen, static ones first; the order is the order of signatures."""
    folder = files(__package__)
    levels = [(name, 1) for name in STATIC] + [(name, 2) for name in RUNNING]
    return [
        HandWritten(name, level, folder.joinpath(f"{name}.py").read_text(encoding="utf-8"))
        for name, level in levels
    ]
