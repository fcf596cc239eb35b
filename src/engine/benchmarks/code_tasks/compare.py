"""When an output counts as the expected one: EvalPlus's rules, release 0.3.1.

Exact equality, a tolerance for floats, and a handful of tasks with an oracle of their own. Values
are decoded plain data; what is opaque equals nothing but still is "not None".
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .tasks import Arguments, Task

FLOAT_ATOL = 1e-6
RTOL = 1e-7
NOT_NONE = frozenset({"check_str", "text_match_three", "text_starta_endb"})
"""MBPP+ tasks whose outputs cannot be kept: only whether there is one counts."""
AS_SETS = frozenset(
    {
        "similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly",
        "larg_nnum", "intersection_array", "find_dissimilar", "Diff",
    }
)  # fmt: skip

Oracle: TypeAlias = Callable[[Arguments, Any, Any, float], bool]
"""From the arguments, the output, the expected output and the tolerance in force."""


def expected_output(task: Task, output: Any) -> Any:
    """What is kept of the reference's output."""
    if task.dataset == "mbpp" and task.entry in NOT_NONE:
        return output is not None
    return output


def first_difference(
    task: Task, inputs: Sequence[Arguments], outputs: Sequence[Any], expected: Sequence[Any]
) -> int | None:
    """The place of the first output that does not count as expected; None if all do.

    Once an expected output is made of floats, the float tolerance stays in force for the rest of
    the suite, as in EvalPlus.
    """
    atol = task.atol
    for place, (given, got, want) in enumerate(zip(inputs, outputs, expected, strict=True)):
        if not atol and is_floats(want) and _own_oracle(task) is not _find_zero:
            atol = FLOAT_ATOL
        try:
            right = matches(task, given, got, want, atol)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError, RecursionError):
            right = False
        if not right:
            return place
    return None


def matches(task: Task, given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """Whether one output counts; raises what a comparison of odd values may raise."""
    oracle = _own_oracle(task)
    if oracle is _find_zero:
        return oracle(given, got, want, atol)
    exact = bool(got == want) if oracle is None else oracle(given, got, want, task.atol)
    if exact or not atol:
        return exact
    return type(got) is type(want) and close(got, want, atol)


def is_floats(value: Any) -> bool:
    """A float, or a list or tuple of at least one, all floats."""
    if isinstance(value, list | tuple) and value:
        return all(isinstance(part, float) for part in value)
    return isinstance(value, float)


def close(got: Any, want: Any, atol: float) -> bool:
    """Numbers, or equally shaped lists of them, within atol + 1e-7 |want|; NaN is close to nothing.

    Raises TypeError where something else than a number is met.
    """
    if isinstance(want, list | tuple) and isinstance(got, list | tuple):
        return len(got) == len(want) and all(
            close(a, b, atol) for a, b in zip(got, want, strict=True)
        )
    if not isinstance(got, int | float | complex) or not isinstance(want, int | float | complex):
        raise TypeError("only numbers can be close")
    if got == want:
        return True
    gap = abs(got - want)
    return math.isfinite(gap) and gap <= atol + RTOL * abs(want)


def _own_oracle(task: Task) -> Oracle | None:
    if task.dataset == "humaneval":
        return _find_zero if task.entry == "find_zero" else None
    if task.dataset != "mbpp":
        return None
    if task.entry in AS_SETS:
        return _same_set
    return _not_none if task.entry in NOT_NONE else _OWN.get(task.entry)


def _same_set(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    return set(got) == set(want)


def _not_none(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """A bool must be right itself; anything else counts by whether it is there."""
    return bool(got == want) if isinstance(got, bool) else bool(want) == (got is not None)


def _anything(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """MBPP+ 164 has no agreed meaning: every output that comes counts."""
    return True


def _or_zero(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """MBPP+ 295 accepts 0 everywhere."""
    return bool(got == want or got == 0)


def _pyramid(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """MBPP+ 581 also accepts the height measured from the base to the apex."""
    base, height = given
    slant = math.sqrt((base / 2) ** 2 + height**2)
    return bool(got == want or abs(got - round(base**2 + 2 * base * slant)) <= atol)


def _digits(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """MBPP+ 558 also accepts the numbers padded with zeros and compared digit by digit."""
    if got == want:
        return True
    first, second = (str(number) for number in given)
    width = max(len(first), len(second))
    pairs = zip(first.zfill(width), second.zfill(width), strict=True)
    return bool(got == sum(abs(int(a) - int(b)) for a, b in pairs))


def _find_zero(given: Arguments, got: Any, want: Any, atol: float) -> bool:
    """HumanEval+ 32: the output is a root of the polynomial, whatever the reference's root is."""
    value = sum(factor * math.pow(got, power) for power, factor in enumerate(*given))
    return bool(abs(value) <= atol)


_OWN: dict[str, Oracle] = {
    "are_equivalent": _anything,
    "sum_div": _or_zero,
    "surface_Area": _pyramid,
    "digit_distance_nums": _digits,
}
