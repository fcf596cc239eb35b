"""From records and a placement to the text that open_file shows: deterministic, reversible."""

import csv
import io
from collections.abc import Callable, Sequence

from .manifest import Format, Placement, Style
from .model import RECORDS, WINDOW, Document, Record
from .tokens import grouped
from .words import LABELS, METADATA

COLUMNS = ("entity", "period", "category", "status", "version", "basis", "amount")


def arranged(document: Document, start: int) -> tuple[Record, ...]:
    """The six records in the order shown: the candidate block begins at slot `start`."""
    size, context = len(document.block), list(document.context)
    rows: list[Record] = []
    for slot in range(RECORDS):
        inside = start <= slot < start + size
        rows.append(document.block[slot - start] if inside else context.pop(0))
    return tuple(rows)


def window_text(document: Document, placement: Placement, style: Style, first: int) -> str:
    """What one open_file call shows: metadata, a section label, three records from slot `first`."""
    shown = arranged(document, placement.start)[first : first + WINDOW]
    lines = [*_metadata(document, style), "", f"## {LABELS[style.label]}", ""]
    lines += WRITERS[placement.format](shown)
    return style.newline.join(line + style.trailing for line in lines)


def _metadata(document: Document, style: Style) -> list[str]:
    lines = [f"{key}: {value}" for key, value in (("Register", document.code), *METADATA)]
    return lines[::-1] if style.metadata_reversed else lines


def cells(record: Record) -> tuple[str, ...]:
    """A record as printed, in the order of the columns."""
    return (
        record.entity,
        record.period,
        record.category,
        record.status,
        record.version,
        record.basis,
        grouped(record.amount),
    )


def _table(records: Sequence[Record]) -> list[str]:
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(cells, records)]
    return [f"| {' | '.join(row)} |" for row in rows]


def _csv(records: Sequence[Record]) -> list[str]:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([COLUMNS, *map(cells, records)])
    return buffer.getvalue().splitlines()


def _keyvalue(records: Sequence[Record]) -> list[str]:
    lines: list[str] = []
    for record in records:
        lines += [f"{key}: {value}" for key, value in zip(COLUMNS, cells(record), strict=True)]
        lines.append("")
    return lines[:-1]


WRITERS: dict[Format, Callable[[Sequence[Record]], list[str]]] = {
    "table": _table,
    "csv": _csv,
    "keyvalue": _keyvalue,
}
