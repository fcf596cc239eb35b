"""What a report is made of: tables with typed columns, figures and provenance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from ..model.llm import Json

Cell: TypeAlias = "str | int | float | Decimal | None"
MISSING = "n/a"


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading; `digits` is the number of decimals of its floats, None for text."""

    name: str
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table. A cell of None is unknown or undefined, and never shown as 0."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `banner` holds what must be read before any figure."""

    title: str
    banner: tuple[str, ...]
    tables: Mapping[str, Table]
    figures: Mapping[str, Json] = field(default_factory=dict)
    provenance: Mapping[str, Json] = field(default_factory=dict)


def columns(*specs: str | tuple[str, int]) -> tuple[Column, ...]:
    """Columns from their names: ("drop, points", 1) is numeric, "case" is text."""
    return tuple(Column(spec) if isinstance(spec, str) else Column(*spec) for spec in specs)


def shown(cell: Cell, column: Column) -> str:
    """A cell as people read it: fixed decimals, "n/a" for what is unknown."""
    if cell is None:
        return MISSING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:z,.{column.digits or 0}f}"


def is_numeric(table: Table, index: int) -> bool:
    """Whether a column holds numbers, and so stands to the right."""
    cells: Sequence[Cell] = [row[index] for row in table.rows if row[index] is not None]
    if not cells:
        return table.columns[index].digits is not None
    return all(not isinstance(cell, str) for cell in cells)
