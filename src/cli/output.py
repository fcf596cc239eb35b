"""What commands print: data on standard output, cleaned; JSON as `json.md` says."""

import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import click

from ..tui.text import cell_width, clean_line, cut, fit

_UNSAFE = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """A value as JSON: exact numbers become floats, NaN and infinities null with a note.

    Characters that a terminal could obey are escaped, so the text is safe to print and unchanged
    once parsed.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def print_json(value: Any) -> None:
    """One JSON value on standard output, in UTF-8 whatever the locale."""
    click.echo((json_text(value) + "\n").encode(), nl=False)


def print_json_lines(values: Iterable[Any]) -> None:
    """One JSON value a line, as they come."""
    for value in values:
        click.echo((json_text(value, indent=None) + "\n").encode(), nl=False)


def narrate(message: str) -> None:
    """A line for people, on standard error."""
    click.echo(clean_line(message), err=True)


def print_lines(lines: Iterable[str]) -> None:
    """Lines for people; on a terminal each is cut to its width."""
    width = terminal_width()
    for line in lines:
        click.echo(cut(line, width) if width else line)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()
) -> list[str]:
    """Rows under their heads in columns, cleaned; the columns in `right` are right-aligned."""
    grid = [list(heads), *([clean_line(cell) for cell in row] for row in rows)]
    widths = [max(cell_width(row[i]) for row in grid) for i in range(len(heads))]
    lines = []
    for row in grid:
        cells = [fit(cell, widths[i], right=i in right) for i, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return lines


def facts(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Names and values in two columns, pairs without a value left out."""
    shown = [(name, clean_line(value)) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"{name:<{width}}  {value}" for name, value in shown]


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Lines under a title of their own."""
    return ["", f"-- {title}", *lines]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    if isinstance(value, Fraction | Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, part in value.items():
        plain[str(key)] = _plain(part)
        if isinstance(part, float) and not math.isfinite(part):
            plain[f"{key}_note"] = str(part)
    return plain


def terminal_width() -> int:
    """Cells of the terminal on standard output; 0 where it goes elsewhere."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
