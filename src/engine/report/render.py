"""A report as Markdown and as JSON."""

import json
from decimal import Decimal

from ..model.llm import Json
from .tables import Cell, Report, Table, is_numeric, shown
from .text import plain

_MARKUP = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#&~"})


def markdown(report: Report) -> str:
    """The whole report as GitHub-flavoured Markdown; texts of models cannot add markup."""
    parts = [f"# {_escaped(report.title)}"]
    parts += [f"> {_escaped(line)}" for line in report.banner]
    parts += [_markdown_table(table) for table in report.tables.values()]
    facts = [f"- {_escaped(name)}: {_escaped(fact(v))}" for name, v in report.provenance.items()]
    parts.append("\n".join(["## Provenance", "", *facts]))
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    heads = [_escaped(column.name) for column in table.columns]
    marks = ["---:" if is_numeric(table, i) else "---" for i in range(len(heads))]
    rows = [
        [_escaped(shown(cell, column)) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, marks, *rows)]
    notes = [f"- {_escaped(note)}" for note in table.notes]
    blocks = [f"## {_escaped(table.title)}", "\n".join(lines), "\n".join(notes)]
    return "\n\n".join(block for block in blocks if block)


def _escaped(text: str) -> str:
    return plain(text).translate(_MARKUP)


def fact(value: Json) -> str:
    """A provenance value as people read it."""
    if value is None:
        return "unknown"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_json(report: Report) -> dict[str, Json]:
    """The report as `report --format json` prints it; unknown cells are null."""
    return {
        "title": report.title,
        "banner": list(report.banner),
        "tables": {name: _json_table(table) for name, table in report.tables.items()},
        "figures": dict(report.figures),
        "provenance": dict(report.provenance),
    }


def _json_table(table: Table) -> Json:
    names: list[Json] = [column.name for column in table.columns]
    digits: list[Json] = [column.digits for column in table.columns]
    rows: list[Json] = [[_number(cell) for cell in row] for row in table.rows]
    return {
        "title": table.title, "columns": names, "digits": digits, "rows": rows,
        "notes": list(table.notes),
    }  # fmt: skip


def _number(cell: Cell) -> Json:
    return float(cell) if isinstance(cell, Decimal) else cell
