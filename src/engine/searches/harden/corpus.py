"""The sampled corpus as axis research reads it: whole, or a deterministic digest of known size.

A corpus that the analysis model cannot take at once is never cut silently: every case stays, long
parts keep their head and tail with a mark that says how much was left out, and a text that several
cases share stands once. The digest is kept with the run.
"""

from collections.abc import Sequence

from ...benchmarks.base import Case
from ...canonical import canonical_json
from ...model.llm import Json

SHORTEST = 60
"""No part is shortened below so many characters, whatever the limit."""


def corpus(cases: Sequence[Case], limit: int) -> tuple[list[Json], str | None]:
    """The cases for the axis call, within `limit` characters of JSON, and a note where they had to
    be shortened (None: they are whole)."""
    whole: list[Json] = [_entry(case, dict(case.fields)) for case in cases]
    if len(canonical_json(whole)) <= limit:
        return whole, None
    low, high = SHORTEST, limit
    while low < high:
        middle = (low + high + 1) // 2
        if len(canonical_json(digest(cases, middle))) <= limit:
            low = middle
        else:
            high = middle - 1
    note = (
        f"The corpus holds {len(cases)} cases and was shortened to about {limit} characters: parts "
        f"of more than {low} characters keep their beginning and end, with the number of "
        "characters left out between them; a part that an earlier case has word for word is named "
        "by that case's id."
    )
    return digest(cases, low), note


def digest(cases: Sequence[Case], cap: int) -> list[Json]:
    """All cases with every part of at most about `cap` characters."""
    first: dict[str, str] = {}
    entries: list[Json] = []
    for case in cases:
        fields: dict[str, Json] = {}
        for name, value in case.fields.items():
            text = canonical_json(value)
            owner = first.setdefault(text, case.id)
            repeated = owner != case.id and len(text) > SHORTEST
            fields[name] = f"[the same as in case {owner}]" if repeated else shorten(value, cap)
        entries.append(_entry(case, fields))
    return entries


def shorten(value: Json, cap: int) -> Json:
    """A text or list of at most about `cap` characters: two thirds of its head, a third of its
    tail, and a mark between them. Lists keep whole entries; anything else stays as it is."""
    if isinstance(value, str) and len(value) > cap:
        head, tail = cap * 2 // 3, cap // 3
        return f"{value[:head]} [... {len(value) - head - tail} characters ...] {value[-tail:]}"
    if isinstance(value, list) and len(canonical_json(value)) > cap:
        return _shorten_list([shorten(part, max(SHORTEST, cap // 2)) for part in value], cap)
    return value


def _shorten_list(parts: list[Json], cap: int) -> list[Json]:
    head = _taken(parts, cap * 2 // 3)
    tail = _taken(parts[:head:-1], cap // 3)
    left = parts[head : len(parts) - tail]
    if not left:
        return parts
    mark = f"[... {len(left)} entries, {len(canonical_json(left))} characters ...]"
    return [*parts[:head], mark, *parts[len(parts) - tail :]]


def _taken(parts: Sequence[Json], room: int) -> int:
    """How many leading parts fit into `room` characters."""
    for count, part in enumerate(parts):
        room -= len(canonical_json(part)) + 1
        if room < 0:
            return count
    return len(parts)


def _entry(case: Case, fields: dict[str, Json]) -> dict[str, Json]:
    return {"id": case.id, "input": fields, "expected": case.expected}
