"""Which numbers FinQA's gold program needs, and whether they still stand in a case. Ours."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ..model.llm import Json
from .figures import figures_in
from .finqa_program import ARITHMETIC, Table, as_table, parse_step, step_texts, tokenize


def missing_operands(
    program: str, original: Mapping[str, Json], candidate: Mapping[str, Json]
) -> list[str]:
    """Operands of the gold program that stand in the original's fields and not in the candidate's.

    An operand is located in any authentic format: `1,234`, `$1.234 billion`, `(1,234)`, `12%` for
    0.12, `twelve`. Signs are not compared, since a word can carry them. Constants, references and
    what the original does not print either are not asked for. For a table step, the operands are
    the cells of its row.
    """
    there, here = _readings(original), _readings(candidate)
    needed = dict(_operands(program, as_table(original["table"])))
    return [name for name, values in needed.items() if values & there and not values & here]


def _operands(program: str, table: Table) -> Iterator[tuple[str, frozenset[Fraction]]]:
    for step in map(parse_step, step_texts(tokenize(program))):
        own = step.op in ARITHMETIC
        for name in (step.first, step.second) if own else _row(step.first, table):
            figure = None if "#" in name or "const" in name else next(figures_in(name), None)
            if figure is not None:
                yield name, figure.readings if figure.percent else frozenset({abs(figure.value)})


def _row(name: str, table: Table) -> Sequence[str]:
    return next((row[1:] for row in reversed(table) if row[0] == name), ())


def _readings(fields: Mapping[str, Json]) -> frozenset[Fraction]:
    figures = (figure for text in _texts(list(fields.values())) for figure in figures_in(text))
    return frozenset(value for figure in figures for value in figure.readings)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
