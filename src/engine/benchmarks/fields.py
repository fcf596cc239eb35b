"""What all benchmarks do with a case's fields: check, replace, fence in."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..errors import DataError
from ..model.llm import Json
from .base import Case
from .records import kind

Check = Callable[[Json], str | None]
"""Says what is wrong with a field's value, None if nothing is."""


def text(value: Json) -> str | None:
    """A field that is one text."""
    return None if isinstance(value, str) else f"a text is wanted, got {kind(value)}"


def texts(value: Json) -> str | None:
    """A field that is a list of texts."""
    if not isinstance(value, list):
        return f"a list of texts is wanted, got {kind(value)}"
    wrong = next((i for i, item in enumerate(value) if not isinstance(item, str)), None)
    return None if wrong is None else f"item {wrong} is {kind(value[wrong])}, a text is wanted"


def table(value: Json) -> str | None:
    """A field that is a list of rows, each a list of at least one text."""
    if not isinstance(value, list) or not value:
        return f"a list of rows is wanted, got {kind(value) if value else 'an empty one'}"
    for index, row in enumerate(value):
        if not isinstance(row, list) or not row or texts(row):
            return f"row {index} is no list of texts with at least one"
    return None


def replace_fields(
    case: Case,
    snapshot: Case,
    changes: Mapping[str, Json],
    checks: Mapping[str, Check],
) -> Case:
    """`snapshot` with the mutable fields of `case`, and `changes` over them.

    `checks` names the mutable fields. Immutable parts come from the snapshot, whatever `case` says.
    Raises DataError where a change names another field or fails its check.
    """
    for name, value in changes.items():
        if name not in checks:
            raise DataError(f"case {case.id}: {name!r} can't be changed; change {_names(checks)}")
        if problem := checks[name](value):
            raise DataError(f"case {case.id}, field {name}: {problem}; give the whole field")
    kept = {name: case.fields[name] for name in checks}
    return replace(snapshot, fields={**snapshot.fields, **kept, **changes})


def check_fields(case_id: str, values: Mapping[str, Json], checks: Mapping[str, Check]) -> None:
    """Raises DataError for the first field that fails its check."""
    for name, check in checks.items():
        if problem := check(values[name]):
            raise DataError(f"case {case_id}, field {name}: {problem}; correct the file")


def text_problems(values: Mapping[str, Json]) -> list[str]:
    """What no text of a case may hold: half a surrogate pair, which no provider takes, or NUL."""
    problems = []
    for name, value in values.items():
        whole = "\n".join(_flat(value))
        if re.search("[\ud800-\udfff]", whole):
            problems.append(f"{name}: half a surrogate pair, which is no text")
        if "\0" in whole:
            problems.append(f"{name}: a NUL character")
    return problems


def fence(value: str, tags: Sequence[str]) -> str:
    """`value` with a space put into whatever looks like one of the prompt's own tags.

    So a case text that holds `</contract>` cannot end the contract; all else is unchanged.
    """
    names = "|".join(map(re.escape, tags))
    return re.sub(rf"<(?=/?(?:{names})\b)", "< ", value, flags=re.IGNORECASE) if tags else value


def _flat(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(part for item in value.values() for part in _flat(item))]
    if isinstance(value, list):
        return [part for item in value for part in _flat(item)]
    return []


def _names(checks: Mapping[str, Check]) -> str:
    return ", ".join(checks)
