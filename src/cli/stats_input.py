"""Reads the files of the `stats` commands; every refusal names the file and the line."""

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engine.errors import DataError

YES = frozenset(("1", "true", "yes", "pass", "accept", "accepted", "correct", "realistic"))
NO = frozenset(("0", "false", "no", "fail", "reject", "rejected", "incorrect", "unrealistic"))
SPLIT = frozenset(("", "null", "none", "split", "n/a"))
COLUMNS = ("gate", "human", "source")


@dataclass(frozen=True, slots=True)
class Pair:
    """One case's labels, lower case; `human` is None where the raters split."""

    gate: str
    human: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class SampleSet:
    """One line of an entropy file: a class per sample, the number of classes, token log-probs."""

    classes: tuple[str | None, ...]
    base: int
    logprobs: tuple[tuple[float, ...] | None, ...] | None


def read_pairs(path: Path) -> list[Pair]:
    """Gate and human labels of a CSV or JSON Lines file, in order.

    Raises DataError where the file cannot be read, a label is missing, or nothing stands in it.
    """
    text = read_text(path)
    rows = _json_pairs(path, text) if text.lstrip().startswith("{") else _csv_pairs(path, text)
    pairs = list(rows)
    if not pairs:
        raise DataError(f"{path}: holds no pair; give one line of gate, human[, source] per case")
    return pairs


def read_samples(path: Path) -> list[SampleSet]:
    """Sample sets of a JSON Lines file. Raises DataError as `read_pairs` does."""
    sets = [_sample_set(path, number, row) for number, row in objects(path, read_text(path))]
    if not sets:
        raise DataError(f'{path}: holds no line; give one {{"samples": [...]}} per line')
    return sets


def read_means(path: Path) -> list[float]:
    """One number per line, blank lines left out. Raises DataError as `read_pairs` does."""
    means = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if line.strip():
            means.append(_number(path, number, line.strip()))
    if not means:
        raise DataError(f"{path}: holds no number; give one case's mean per line")
    return means


def read_text(path: Path) -> str:
    """A file's text. Raises DataError where it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; give a readable file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start} is not UTF-8; convert the file") from error


def _csv_pairs(path: Path, text: str) -> Iterator[Pair]:
    order = {"gate": 0, "human": 1, "source": 2}
    rows = csv.reader(text.splitlines())
    for cells in rows:
        names = [cell.strip().casefold() for cell in cells]
        if rows.line_num == 1 and {"gate", "human"} <= set(names):
            order = {name: names.index(name) for name in COLUMNS if name in names}
        elif any(names):
            values = {n: cells[i] for n, i in order.items() if i < len(cells)}
            yield _pair(path, rows.line_num, values)


def _json_pairs(path: Path, text: str) -> Iterator[Pair]:
    for number, row in objects(path, text):
        yield _pair(path, number, {name: row[name] for name in COLUMNS if name in row})


def _pair(path: Path, line: int, values: dict[str, Any]) -> Pair:
    for name in ("gate", "human"):
        if name not in values:
            raise DataError(f"{path}:{line}: no {name} label; give gate and human on every line")
    gate, human = (_label(path, line, values[name]) for name in ("gate", "human"))
    if gate in SPLIT:
        raise DataError(f"{path}:{line}: the gate's label is empty; only a human label may be")
    source = str(values.get("source") or "").strip()
    return Pair(gate, None if human in SPLIT else human, source or None)


def _label(path: Path, line: int, value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or isinstance(value, str | int):
        return str("" if value is None else value).strip().casefold()
    raise DataError(f"{path}:{line}: {value!r} is no label; give 0, 1 or a word")


def objects(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines text with their line numbers. Raises DataError."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(
                f"{path}:{number}: not JSON ({error}); give one object a line"
            ) from None
        if not isinstance(row, dict):
            raise DataError(f"{path}:{number}: not a JSON object; give one object a line")
        yield number, row


def _sample_set(path: Path, line: int, row: dict[str, Any]) -> SampleSet:
    samples, where = row.get("samples"), f"{path}:{line}"
    if not isinstance(samples, list) or not samples:
        raise DataError(f"{where}: samples must be a list of at least one class")
    base = row.get("base")
    base = len(samples) if base is None else base
    if isinstance(base, bool) or not isinstance(base, int) or base < 1:
        raise DataError(f"{where}: base {base!r} is no number of classes; give a whole number")
    classes = tuple(_class_name(value) for value in samples)
    return SampleSet(classes, base, _logprobs(path, line, row.get("logprobs"), len(samples)))


def _class_name(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"number {value + 0.0!r}"  # 1 and 1.0, 0.0 and -0.0 are one result
    return f"json {json.dumps(value, sort_keys=True)}"


def _logprobs(
    path: Path, line: int, value: object, samples: int
) -> tuple[tuple[float, ...] | None, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != samples:
        raise DataError(f"{path}:{line}: logprobs must hold one list per sample ({samples})")
    return tuple(_tokens(path, line, tokens) for tokens in value)


def _tokens(path: Path, line: int, value: object) -> tuple[float, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise DataError(f"{path}:{line}: logprobs holds {value!r}; give a list of numbers or null")
    return tuple(_number(path, line, token) for token in value)


def _number(path: Path, line: int, value: object) -> float:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number):
            return number
    raise DataError(f"{path}:{line}: {value!r} is no finite number")
