"""From the text that an agent reads back to typed records: the firewall's canonical parser.

Knows nothing of how a document was written: it tells the three forms apart by their look.
"""

import csv
import re
from functools import lru_cache

from ...errors import DataError
from .model import Record
from .render import COLUMNS

_AMOUNT = re.compile(r"-?\d{1,3}(?:,\d{3})*")


@lru_cache(maxsize=1 << 15)
def parse_records(text: str) -> tuple[Record, ...]:
    """The records of one open_file window, in the order shown.

    Raises DataError where the text is in none of the three forms or a record is incomplete.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    body = _body(lines)
    if body and body[0].startswith("|"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body[2:]]
        return _records([cell.strip() for cell in body[0].strip("|").split("|")], rows)
    if body and body[0] == ",".join(COLUMNS):
        header, *rows = csv.reader(body)
        return _records(header, rows)
    return _keyvalue(body)


def register(text: str) -> str:
    """The document's own code in its metadata; raises DataError where there is none."""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key == "Register":
            return value.strip()
    raise DataError("ledger text: no register line; the document was not written by the renderer")


def _body(lines: list[str]) -> list[str]:
    start = next((i for i, line in enumerate(lines) if line.startswith("## ")), None)
    if start is None:
        raise DataError("ledger text: no section label; the document has another form")
    rest = lines[start + 1 :]
    while rest and not rest[0]:
        rest.pop(0)
    return rest


def _keyvalue(lines: list[str]) -> tuple[Record, ...]:
    rows: list[list[str]] = []
    for chunk in "\n".join(lines).split("\n\n"):
        pairs = [line.partition(": ") for line in chunk.split("\n") if line]
        if tuple(key for key, _, _ in pairs) != COLUMNS:
            raise DataError(f"ledger text: {chunk[:40]!r} is no record; the form is another one")
        rows.append([value for _, _, value in pairs])
    return _records(list(COLUMNS), rows)


def _records(header: list[str], rows: list[list[str]]) -> tuple[Record, ...]:
    if tuple(header) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        raise DataError(f"ledger text: columns {header}; {', '.join(COLUMNS)} are expected")
    return tuple(_record(row) for row in rows)


def _record(row: list[str]) -> Record:
    if not _AMOUNT.fullmatch(row[6]):
        raise DataError(f"ledger text: {row[6]!r} is no amount; whole numbers are expected")
    return Record(row[0], row[1], row[2], row[3], row[4], row[5], int(row[6].replace(",", "")))
