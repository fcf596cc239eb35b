"""Reads the file of `evoscope label --answers`; every refusal names the file and the line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..engine.errors import DataError
from ..engine.label_set import Answer
from ..engine.model.labels import ANSWERS, QUESTIONS
from .stats_input import objects, read_text


def read_answers(path: Path, nodes: Mapping[str, str]) -> dict[tuple[str, str], Answer]:
    """Answers by node and question, a later line instead of an earlier; `nodes` maps names that
    may stand in the file to ids. Raises DataError."""
    found = {}
    for number, row in objects(path, read_text(path)):
        where = f"{path}:{number}"
        node = nodes.get(str(row.get("node", "")))
        if node is None:
            raise DataError(
                f"{where}: no item {row.get('node')!r}; `evoscope label RUN --items` lists them"
            )
        question = _one_of(where, row, "question", QUESTIONS)
        answer = _one_of(where, row, "answer", ANSWERS)
        found[node, question] = Answer(answer, str(row.get("reason") or ""))
    if not found:
        raise DataError(f"{path}: holds no answer; give one {{node, question, answer}} a line")
    return found


def _one_of(where: str, row: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    value = str(row.get(name, "")).strip().casefold()
    if value not in allowed:
        raise DataError(f"{where}: {name} {row.get(name)!r} is not {' or '.join(allowed)}")
    return value
