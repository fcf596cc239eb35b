"""Whether a value is the expected one; both are decoded plain data."""

import math
from typing import Any


def equal(got: Any, expected: Any, relative: float = 0.0, absolute: float = 0.0) -> bool:
    """Python's equality; with a tolerance also numbers within absolute + relative * |expected|.

    The tolerance reaches into lists and tuples of equal length; the outermost types must agree
    then, as in EvalPlus's comparison. NaN equals nothing.
    """
    try:
        if bool(got == expected):
            return True
        if not relative and not absolute:
            return False
        return type(got) is type(expected) and _close(got, expected, relative, absolute)
    except (RecursionError, OverflowError, TypeError):
        return False


def _close(got: Any, expected: Any, relative: float, absolute: float) -> bool:
    if isinstance(expected, list | tuple):
        return (
            isinstance(got, list | tuple)
            and len(got) == len(expected)
            and all(_close(a, b, relative, absolute) for a, b in zip(got, expected, strict=True))
        )
    if not isinstance(expected, int | float | complex):
        return bool(got == expected)
    if got == expected:
        return True
    if not isinstance(got, int | float | complex):
        return False
    difference = abs(got - expected)
    return math.isfinite(difference) and difference <= absolute + relative * abs(expected)
