"""Where each key of a TOML text stands, so that an error can name its line."""

import re
import tomllib
from collections.abc import Mapping

KeyPath = tuple[str, ...]

_HEADER = re.compile(r"\s*\[\[?(?P<key>[^\]#]+)\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(
    r"""\s*(?P<key>(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+|[ \t.])+?)\s*="""
)
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|[\[\]{}]|#.*')
_ESCAPED_END = re.compile(r'(?:\\.|[^\\])*?(?:""")', re.DOTALL)


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line, counted from 1, of each table header and key of a TOML text that parses."""
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    inside = _Inside()
    for number, line in enumerate(text.splitlines(), start=1):
        if inside.value:
            inside.read(line)
        elif header := _HEADER.match(line):
            table = key_path(header["key"])
            lines.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(line):
            lines.setdefault(table + key_path(assignment["key"]), number)
            inside.read(line[assignment.end() :])
    return lines


def key_path(key: str) -> KeyPath:
    """A dotted TOML key as its parts. Raises tomllib.TOMLDecodeError for a malformed one."""
    path: list[str] = []
    step: object = tomllib.loads(f"{key} = 0")
    while isinstance(step, Mapping):
        name, step = next(iter(step.items()))
        path.append(str(name))
    return tuple(path)


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """The line of the key, or of the closest table or key around it; None where there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


class _Inside:
    """Whether the scan stands inside a value that goes on over several lines."""

    def __init__(self) -> None:
        self._depth = 0
        self._quotes = ""

    @property
    def value(self) -> bool:
        return bool(self._quotes) or self._depth > 0

    def read(self, rest: str) -> None:
        while rest:
            rest = self._close(rest) if self._quotes else self._next(rest)

    def _close(self, rest: str) -> str:
        if self._quotes == "'''":
            end = rest.find("'''")
            end = end + 3 if end >= 0 else 0
        else:
            found = _ESCAPED_END.match(rest)
            end = found.end() if found else 0
        if not end:
            return ""
        self._quotes = ""
        return rest[end:].lstrip("\"'")  # up to two quotes may stand before the closing three

    def _next(self, rest: str) -> str:
        token = _TOKEN.search(rest)
        if token is None:
            return ""
        word = token[0]
        if word in ('"""', "'''"):
            self._quotes = word
        elif word in "[{":
            self._depth += 1
        elif word in "]}":
            self._depth -= 1
        return "" if word.startswith("#") else rest[token.end() :]
