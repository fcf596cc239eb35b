"""The FinQA program language: tokens, steps, execution.

Follows what the official evaluator of FinQA (Chen et al., 2021) answers, oddities included:
`shared/data/README.md` lists them, and `shared/data/finqa` holds the vectors that tests compare.
A program is `op(arg, arg), op(arg, arg), ...`; `#N` is the result of step N.
"""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ..model.llm import Json

END = "EOF"
NOTHING = "n/a"
Value: TypeAlias = float | complex | str
Table: TypeAlias = Sequence[Sequence[str]]

_TOKEN = re.compile(r"[^()]*\(|[^()]+|\)")


def _greater(left: Any, right: Any) -> str:
    return "yes" if left > right else "no"


def _average(row: Sequence[float]) -> float:
    return sum(row) / len(row)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
    "greater": _greater,
}
AGGREGATIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "table_max": max,
    "table_min": min,
    "table_sum": sum,
    "table_average": _average,
}
OPERATIONS = frozenset(ARITHMETIC) | frozenset(AGGREGATIONS)


class Refused(ValueError):
    """A step that the evaluator turns down before running it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `text` is the step as written, which program equivalence compares."""

    text: str
    op: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Execution:
    """What running a program gives.

    `invalid` says that it did not run to its end; `result` is then the value of the last step
    that did, or "n/a": rounded where the evaluator turned a step down, raw where one failed.
    """

    invalid: bool
    result: Value

    @property
    def answer(self) -> float | str | None:
        """The result as an answer: a float or "yes"/"no"; None where there is none."""
        if self.invalid or isinstance(self.result, complex) or self.result == NOTHING:
            return None
        return self.result if isinstance(self.result, str) else float(self.result) + 0.0


def tokenize(program: str) -> list[str]:
    """Tokens of a program text, ending with EOF; arguments part at a comma and a space only.

    Never raises: what is no program fails later, in `execute`.
    """
    return [token for part in program.split(", ") for token in _TOKEN.findall(part)] + [END]


def has_form(tokens: Sequence[str]) -> bool:
    """Whether every fourth token is an operation, and every fourth after it a closing bracket.

    The last token is taken for EOF, unseen.
    """
    body = tokens[:-1]
    return all(token.strip("(") in OPERATIONS for token in body[::4]) and all(
        token == ")" for token in body[3::4]
    )


def step_texts(tokens: Sequence[str]) -> list[str]:
    """The steps as texts: every step but the first starts with a separator."""
    return "|".join(tokens[:-1]).split(")")[:-1]


def parse_step(text: str) -> Step:
    """The parts of one step; raises ValueError where it is nested or lacks an argument."""
    text = text.strip()
    pieces = text.split("(")
    if len(pieces) > 2:
        raise Refused("a step must be op(arg, arg), without nesting")
    if len(pieces) < 2:
        raise ValueError("a step has its arguments in brackets")
    arguments = pieces[1].strip("|").strip().split("|")
    if len(arguments) < 2:
        raise ValueError("a step takes two arguments")
    return Step(text, pieces[0].strip("|").strip(), arguments[0].strip(), arguments[1].strip())


def execute(tokens: Sequence[str], table: Table) -> Execution:
    """Run a program on a table whose first column names the rows; never raises.

    A finished result is rounded to five decimals, as the official evaluator does before it
    compares with `exe_ans`.
    """
    if not has_form(tokens):
        return Execution(True, NOTHING)
    machine = _Machine(table)
    try:
        for text in step_texts(tokens):
            machine.run(parse_step(text))
        return Execution(False, _rounded(machine.last))
    except Refused:
        return Execution(True, _rounded_if_number(machine.last))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return Execution(True, machine.last)


def as_table(value: Json) -> Table:
    """A case's field `table`, which loading has checked, typed as a table."""
    return cast(Table, value)


def read_argument(text: str) -> float:
    """A number as the language writes it: `1,234`, `12%` (0.12), `const_100`, `const_m1`.

    Raises Refused for anything else, such as `$5` or `(5)`, ValueError for an unknown constant.
    """
    text = text.replace(",", "")
    try:
        return float(text)
    except ValueError:
        if "%" in text:
            return _read_percentage(text)
        if "const" not in text:
            raise Refused(f"{text!r} is no number of the program language") from None
        name = text.replace("const_", "")
        return -1.0 if name == "m1" else float(name)


def _read_percentage(text: str) -> float:
    try:
        return float(text.replace("%", "")) / 100.0
    except ValueError:
        raise Refused(f"{text!r} is no percentage") from None


def read_cell(cell: str) -> float:
    """A table cell as a number: dollar signs and everything from a bracket on are dropped."""
    return read_argument(cell.replace("$", "").strip().split("(")[0].strip())


class _Machine:
    """Runs steps one after another; `last` is the value of the last one that ran."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._results: list[Value] = []
        self._row: list[float] | None = None

    @property
    def last(self) -> Value:
        return self._results[-1] if self._results else NOTHING

    def run(self, step: Step) -> None:
        if step.op in ARITHMETIC:
            left, right = self._argument(step.first), self._argument(step.second)
            self._results.append(ARITHMETIC[step.op](left, right))
        else:
            self._results.append(AGGREGATIONS[step.op](self._cells(step.first)))

    def _argument(self, text: str) -> Value:
        return self._referred(text) if "#" in text else read_argument(text)

    def _referred(self, text: str) -> Value:
        index = int(text.replace("#", ""))
        if index < 0:
            raise IndexError(index)
        return self._results[index]

    def _cells(self, name: str) -> list[float]:
        if "#" in name:
            # the official evaluator looks the step up and then takes the latest row again
            self._referred(name)
            if self._row is None:
                raise ValueError("no row yet")
            return self._row
        rows = {row[0]: row[1:] for row in self._table}
        if name not in rows:
            raise Refused(f"no row {name!r}")
        self._row = [read_cell(cell) for cell in rows[name]]
        return self._row


def _rounded(value: Value) -> Value:
    if isinstance(value, str):
        if value not in ("yes", "no", NOTHING):
            raise TypeError("a comparison's result cannot be calculated with")
        return value
    if isinstance(value, complex):
        raise TypeError("a complex result")
    return round(value, 5)


def _rounded_if_number(value: Value) -> Value:
    return round(value, 5) if isinstance(value, int | float) else value
