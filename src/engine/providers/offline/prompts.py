"""What stands where in a prompt: tagged task inputs, and the JSON document of the other roles."""

import json

from ...model.llm import Json

DEEPEST = 60
"""Nesting beyond which a document is refused: no role's document comes near it."""


def tagged(prompt: str, name: str) -> str | None:
    """The text between the last `<name>` that opens a line and the last `</name>` behind it."""
    end = prompt.rfind(f"</{name}>")
    mark = f"<{name}>"
    start = prompt.rfind(f"\n{mark}", 0, max(end, 0)) + 1
    if end < 0 or not prompt.startswith(mark, start) or start + len(mark) > end:
        return None
    return prompt[start + len(mark) : end].strip("\n")


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
    return value if isinstance(value, dict) and not _too_deep(value) else None


def _too_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        inner: list[Json] = []
        for part in level:
            if isinstance(part, dict):
                inner.extend(part.values())
            elif isinstance(part, list):
                inner.extend(part)
        if not inner:
            return False
        level = inner
    return True


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
