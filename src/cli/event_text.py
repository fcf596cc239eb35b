"""What a person reads of an event: its kind, and a few words from the row that it is about."""

from ..engine.store.reader import Reader
from ..engine.store.views import EventRow

_WORDS = {
    "unit": "SELECT reason FROM unit WHERE id = ?",
    "node": "SELECT description FROM node WHERE id = ?",
    "call": "SELECT model FROM call WHERE slot = ?",
    "decision": "SELECT reason FROM decision WHERE unit = ? AND step = ?",
    "command": (
        "SELECT author || ' ' || kind || ' ' || args || iif(reason = '', '', ' (' || reason || ')')"
        " || ' -> ' || outcome || ': ' || result FROM command WHERE seq = ?"
    ),
}


def event_text(reader: Reader, event: EventRow) -> str:
    """One line, not cleaned: `unit parked case:7: deadline exceeded`."""
    unit, _, step = event.ref.rpartition("|")
    key = (unit, step) if event.table == "decision" else (event.ref,)
    row = reader.row(_WORDS[event.table], key) if event.table in _WORDS else None
    words = str(row[0]) if row and row[0] else ""
    ref = "" if event.table in ("meta", "command") else f" {event.ref}"
    return f"{event.kind}{ref}{f': {words}' if words else ''}"
