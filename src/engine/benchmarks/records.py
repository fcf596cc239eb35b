"""Reading and writing the benchmarks' files: JSON or JSON lines, plain or gzipped."""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from ..errors import DataError
from ..model.llm import Json
from .base import Case

_GZIP = b"\x1f\x8b"


def read_text(path: Path) -> str:
    """The file's text, unpacked where it is gzipped; raises DataError naming the file."""
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP) else data
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: {error}; give a readable file, plain or gzipped") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: no UTF-8 at byte {error.start}; save it as UTF-8") from error


def read_json(path: Path) -> Json:
    """The one JSON value in a file; raises DataError naming file, line and column."""
    return _parse(read_text(path), str(path), 1)


def read_lines(path: Path) -> Iterator[tuple[int, Json]]:
    """(line number, value) of each line of a JSON-lines file that is not blank.

    Raises DataError naming file, line and column.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield number, _parse(line, str(path), number)


def write_json(path: Path, value: Json) -> Path:
    """Write one JSON value, gzipped where the name ends in .gz; returns the path.

    ASCII with escapes, since a model may have written half a surrogate pair.
    """
    return _write(path, json.dumps(value, indent=1, allow_nan=False) + "\n")


def write_lines(path: Path, values: Sequence[Json]) -> Path:
    """Write JSON lines, as `write_json` does."""
    return _write(path, "".join(json.dumps(value, allow_nan=False) + "\n" for value in values))


def export_file(path: Path, default: str) -> Path:
    """The file to export to: `path` itself if its name has a suffix, else `path/default`."""
    target = path if path.suffix else path / default
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def as_object(value: Json, where: str) -> dict[str, Json]:
    """`value` if it is a JSON object; raises DataError saying where."""
    if not isinstance(value, dict):
        raise DataError(f"{where}: an object is wanted, got {kind(value)}; see docs/benchmarks.md")
    return value


def member(record: dict[str, Json], key: str, where: str) -> Json:
    """The record's member `key`; raises DataError saying where it is missing."""
    if key not in record:
        raise DataError(f"{where}: no {key!r}; add it, or give a file of this benchmark's format")
    return record[key]


def unique(cases: Sequence[Case], where: str) -> tuple[Case, ...]:
    """The cases, if there are any and their ids differ; raises DataError otherwise."""
    if not cases:
        raise DataError(f"{where}: no case in it; give a file with at least one")
    case_id, count = Counter(case.id for case in cases).most_common(1)[0]
    if count > 1:
        raise DataError(f"{where}: the id {case_id!r} stands {count} times; make ids unique")
    return tuple(cases)


def kind(value: Json) -> str:
    """The JSON name of a value's type."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def _parse(text: str, name: str, line: int) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_no_constant)
        return value
    except json.JSONDecodeError as error:
        at = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        raise DataError(f"{at}: {error.msg}; correct the JSON there") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}, line {line}: {error}; correct the JSON there") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _write(path: Path, text: str) -> Path:
    data = text.encode("ascii")
    # no time stamp in the header, so that equal cases make equal files
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path
