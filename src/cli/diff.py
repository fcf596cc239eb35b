"""What changed between two nodes, field by field: unified hunks."""

import json
from collections.abc import Mapping
from difflib import unified_diff
from typing import Any

from ..engine.model.llm import Json
from ..tui.text import clean_line

CONTEXT = 2


def diff_hunks(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[dict[str, Any]]:
    """Each changed field with its lines, marked by ` `, `-` or `+` as in a unified diff."""
    hunks = []
    for name in dict.fromkeys((*before, *after)):
        old, new = _lines(before.get(name)), _lines(after.get(name))
        if old != new:
            lines = list(unified_diff(old, new, lineterm="", n=CONTEXT))[2:]
            hunks.append({"field": name, "lines": lines})
    return hunks


def diff_lines(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[str]:
    """The hunks for people, cleaned."""
    lines: list[str] = []
    for hunk in diff_hunks(before, after):
        lines.append(clean_line(f"{hunk['field']}:"))
        lines += [f"  {clean_line(line)}" for line in hunk["lines"]]
    return lines or ["no difference"]


def _lines(value: Json) -> list[str]:
    """A field as lines: a table's row, a list's entry or a text's line each on its own."""
    if value is None:
        return []
    if isinstance(value, str):
        return value.splitlines()
    if isinstance(value, list):
        return [" | ".join(map(_cell, v)) if isinstance(v, list) else _cell(v) for v in value]
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def _cell(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
