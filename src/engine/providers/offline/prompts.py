"""What stands where in a prompt: tagged task inputs, and the JSON document of the other roles."""

import json
import re
from functools import lru_cache

from ...model.llm import Json


@lru_cache(maxsize=64)
def _tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?ms)^[ \t]*<{name}>(.*?)</{name}>[ \t]*$")


def tagged(prompt: str, name: str) -> str | None:
    """The text between the last `<name>` that opens a line and its `</name>` that ends one."""
    found = None
    for match in _tag(name).finditer(prompt):
        found = match.group(1)
    return None if found is None else found.strip("\n")


def document(prompt: str) -> dict[str, Json] | None:
    """The JSON object between the lines `<input>` and `</input>`; None where there is none."""
    start = prompt.find("<input>\n")
    end = prompt.rfind("\n</input>")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(prompt[start + len("<input>\n") : end])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def texts(value: Json) -> list[str]:
    """Every string in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return []


def lines_of(value: Json) -> list[str]:
    """A field's text by lines: a table's rows with ` | `, a list's entries, a text's lines."""
    if isinstance(value, str):
        return value.split("\n")
    if not isinstance(value, list):
        return []
    return [_line(entry) for entry in value]


def _line(entry: Json) -> str:
    if isinstance(entry, list):
        return " | ".join(str(cell) for cell in entry)
    return str(entry)
