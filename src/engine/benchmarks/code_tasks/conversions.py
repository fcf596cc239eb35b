"""MBPP+ inputs from JSON: which lists are tuples, sets or complex numbers, by task number.

JSON has no tuples, so EvalPlus turns inputs back by task id; the table restates which tasks it
does that for and how, as of its release 0.3.1.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from .tasks import Arguments

Convert: TypeAlias = Callable[[list[Any]], list[Any]]


def mbpp_arguments(number: int, given: list[Any]) -> Arguments:
    """The arguments of MBPP+ task `number` from one of its JSON inputs."""
    convert = _BY_TASK.get(number)
    return tuple(given if convert is None else convert(given))


def _tuples(items: list[Any]) -> list[Any]:
    return [tuple(item) for item in items]


def _each_in_arguments(given: list[Any]) -> list[Any]:
    """Every argument is a list of tuples."""
    return [_tuples(argument) for argument in given]


def _first_holds_tuples(given: list[Any]) -> list[Any]:
    return [_tuples(given[0]), *given[1:2]]


def _first_is_tuple(given: list[Any]) -> list[Any]:
    return [tuple(given[0]), *given[1:2]]


def _first_of_three_is_tuple(given: list[Any]) -> list[Any]:
    return [tuple(given[0]), given[1], given[2]]


def _second_is_tuple(given: list[Any]) -> list[Any]:
    return [given[0], tuple(given[1])]


def _tuples_of_tuples(given: list[Any]) -> list[Any]:
    return [tuple(_tuples(argument)) for argument in given]


def _tuple_of_mixed(given: list[Any]) -> list[Any]:
    """One argument: a tuple whose lists are tuples."""
    return [tuple(tuple(part) if isinstance(part, list) else part for part in given[0])]


def _list_of_sets(given: list[Any]) -> list[Any]:
    """Lists are sets; what is empty or no list is an empty dict."""
    return [[set(part) if isinstance(part, list) and part else {} for part in given[0]]]


def _float_and_complex(given: list[Any]) -> list[Any]:
    return [float(given[0]), complex(given[1])]


def _one_complex(given: list[Any]) -> list[Any]:
    return [complex(given[0])]


def _dict_of_tuples(given: list[Any]) -> list[Any]:
    return [{key: tuple(value) for key, value in given[0].items()}, *given[1:]]


def _deep_tuples(given: list[Any]) -> list[Any]:
    return [_deep(argument) for argument in given]


def _deep(value: Any) -> Any:
    return tuple(_deep(part) for part in value) if isinstance(value, list) else value


_TABLE: tuple[tuple[Convert, tuple[int, ...]], ...] = (
    (_tuples, (2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616,
               630, 726, 740, 744, 809)),
    (_each_in_arguments, (63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780)),
    (_first_holds_tuples, (75, 413, 444, 753)),
    (_second_is_tuple, (106, 750)),
    (_list_of_sets, (115,)),
    (_float_and_complex, (124,)),
    (_first_is_tuple, (250, 405, 446, 617, 720, 763, 808)),
    (_one_complex, (252,)),
    (_tuples_of_tuples, (259, 401, 445)),
    (_tuple_of_mixed, (278,)),
    (_first_of_three_is_tuple, (307,)),
    (_deep_tuples, (580, 615, 791)),
    (_dict_of_tuples, (722,)),
)  # fmt: skip
_BY_TASK = {number: convert for convert, numbers in _TABLE for number in numbers}
