"""Reading the rows of a ledger file's part, in any of the forms that an agent may meet."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

COLUMNS = ("entity", "period", "category", "status", "version", "basis", "amount")


@dataclass(frozen=True, slots=True)
class Row:
    """One row that was understood."""

    entity: str
    period: str
    category: str
    status: str
    version: str
    basis: str
    amount: int


@lru_cache(maxsize=8192)
def rows_of(text: str) -> tuple[list[Row], bool]:
    """The rows, and whether they stood in a plain table."""
    lines = [line.strip() for line in text.replace("\r\n", "\n").split("\n")]
    table = [line for line in lines if line.startswith("|")]
    if table:
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
        return _rows(dict(zip(cells[0], row, strict=False)) for row in cells[2:]), True
    start = next((k for k, line in enumerate(lines) if line.startswith("entity,")), None)
    if start is not None:
        header, *rows = csv.reader(line for line in lines[start:] if line)
        return _rows(dict(zip(header, row, strict=False)) for row in rows), False
    chunks = [chunk.split("\n") for chunk in "\n".join(lines).split("\n\n")]
    pairs = ([line.partition(": ")[::2] for line in chunk] for chunk in chunks)
    return _rows(dict(chunk) for chunk in pairs), False


def _rows(found: Iterable[Mapping[str, str]]) -> list[Row]:
    rows: list[Row] = []
    for cells in found:
        amount = cells.get("amount", "").replace(",", "")
        if all(cells.get(name) for name in COLUMNS) and amount.lstrip("-").isdigit():
            words = (cells[name] for name in COLUMNS[:-1])
            entity, period, category, status, version, basis = words
            rows.append(Row(entity, period, category, status, version, basis, int(amount)))
    return rows
