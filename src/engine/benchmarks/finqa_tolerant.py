"""A tolerant reading of FinQA answers, shown beside the official score and never mixed in. Ours.

It forgives marks around the program line, currency signs, accounting negatives, thousands
separators, dashes for zero, the spelling of row labels, a percentage for its ratio, other units,
and a bare number in place of a program.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from .figures import read_figure
from .finqa_program import AGGREGATIONS, ARITHMETIC, Table

Number: TypeAlias = "float | str"

MAX_LENGTH = 2000
"""A longer line is no program that someone meant."""

_LINE = re.compile(r"\bprogram\b[*_`\"' \t]*:(.*)", re.IGNORECASE)
_STEP = re.compile(r"([a-z_]+)\s*\(", re.IGNORECASE)
_UNITS = (1.0, 100.0, 1e3, 1e6, 1e9)


def reads_as(response: str, table: Table, expected: Number) -> bool:
    """Whether a tolerant reading of the response gives the expected answer.

    Numbers agree within one in ten thousand, as printed figures do after rounding.
    """
    lines = [line.strip(" \t*_`\"'.$") for line in _LINE.findall(response)]
    line = next((line for line in reversed(lines) if line), "")
    try:
        value = _value(line[:MAX_LENGTH], table)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return _agree(value, expected)


def _value(line: str, table: Table) -> Number:
    steps = list(_steps(line))
    if not steps:
        figure = line.lower() if line.lower() in ("yes", "no") else read_figure(line)
        return figure if isinstance(figure, str) else _number(figure)
    rows = {_label(row[0]): row[1:] for row in table}
    results: list[Number] = []
    for op, arguments in steps:
        results.append(_run(op, arguments, results, rows))
    return results[-1]


def _steps(line: str) -> list[tuple[str, str]]:
    """(operation, text of its arguments) of each step, the brackets of `(5)` left inside."""
    steps, at = [], 0
    while match := _STEP.search(line, at):
        depth, at = 1, match.end()
        while depth and at < len(line):
            depth += {"(": 1, ")": -1}.get(line[at], 0)
            at += 1
        steps.append((match[1].lower(), line[match.end() : at - (depth == 0)]))
    return steps


def _run(
    op: str, arguments: str, results: Sequence[Number], rows: Mapping[str, Sequence[str]]
) -> Number:
    if op in AGGREGATIONS:
        row = rows[_label(arguments.rpartition(",")[0])]
        return AGGREGATIONS[op]([_number(read_figure(cell)) for cell in row])
    parts = arguments.split(", ")
    left, right = parts if len(parts) == 2 else arguments.split(",")
    value = ARITHMETIC[op](_argument(left, results), _argument(right, results))
    return value if isinstance(value, str) else float(value)


def _argument(text: str, results: Sequence[Number]) -> Number:
    text = text.strip().lower()
    if text.startswith("#"):
        return results[int(text[1:])]
    if text.startswith("const_"):
        return -1.0 if text == "const_m1" else float(text[6:])
    return _number(read_figure(text))


def _number(figure: Fraction | None) -> float:
    if figure is None:
        raise ValueError("no number")
    return float(figure)


def _label(text: str) -> str:
    return " ".join(text.lower().strip(" :.*").split())


def _agree(value: Number, expected: Number) -> bool:
    if isinstance(value, str) or isinstance(expected, str):
        return value == expected
    pairs = [(value * unit, expected) for unit in _UNITS] + [(value, expected * u) for u in _UNITS]
    return any(abs(a - b) <= 1e-4 * abs(b) for a, b in pairs)
