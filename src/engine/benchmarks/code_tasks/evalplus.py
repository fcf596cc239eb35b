"""EvalPlus's files: tasks of HumanEval+ and MBPP+, and samples of model-written programs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import DataError
from ..records import read_text
from . import visible
from .conversions import mbpp_arguments
from .tasks import Candidate, Task

_NEEDED = ("task_id", "prompt", "entry_point", "canonical_solution", "base_input", "plus_input")


def load_tasks(path: Path, checks: Path | None = None) -> list[Task]:
    """The tasks of a file, plain or gzipped, in its order.

    MBPP+ tasks show their asserts in the prompt. For HumanEval+ they come from the docstring's
    `>>>` examples, or from `checks` (lines of task_id and given_tests) where that has any. Raises
    DataError naming file, line and what is missing.
    """
    given = {} if checks is None else _given_checks(checks)
    tasks = [_task(record, where) for where, record in _records(path)]
    return [replace(task, visible=given.get(task.id) or task.visible) for task in tasks]


def load_samples(path: Path, tasks: Sequence[Task]) -> list[Candidate]:
    """The samples of the given tasks in the file's order; others are left out.

    A line has a task_id and a whole program (`solution`) or what follows the prompt
    (`completion`). Samples keep their duplicates; `place` counts within the task.
    """
    by_id = {task.id: task for task in tasks}
    places = dict.fromkeys(by_id, 0)
    samples = []
    for where, record in _records(path):
        name = record.get("task_id")
        if name not in by_id:
            continue
        text = _program(record, by_id[name].prompt, where)
        samples.append(Candidate(name, places[name], text, str(record.get("source", ""))))
        places[name] += 1
    return samples


def _program(record: Mapping[str, Any], prompt: str, where: str) -> str:
    if isinstance(record.get("solution"), str):
        return str(record["solution"])
    if isinstance(record.get("completion"), str):
        return prompt + str(record["completion"])
    raise DataError(f"{where}: neither 'solution' nor 'completion' is a text; add one of them")


def _task(record: Mapping[str, Any], where: str) -> Task:
    for key in _NEEDED:
        if key not in record:
            raise DataError(f"{where}: no {key!r}; give a file in EvalPlus's task format")
    name, prompt, entry = record["task_id"], record["prompt"], record["entry_point"]
    family, _, number = name.partition("/")
    mbpp = family.lower() == "mbpp"
    asserts = visible.prompt_asserts(prompt) if mbpp else visible.docstring_asserts(prompt, entry)
    return Task(
        id=name,
        dataset="mbpp" if mbpp else "humaneval",
        prompt=prompt,
        entry=entry,
        reference=prompt + record["canonical_solution"],
        visible=asserts,
        base=_inputs(record["base_input"], mbpp, number, where),
        plus=_inputs(record["plus_input"], mbpp, number, where),
        atol=float(record.get("atol", 0)),
    )


def _inputs(given: Any, mbpp: bool, number: str, where: str) -> tuple[tuple[Any, ...], ...]:
    """One tuple of arguments an input; a suite without inputs may be written as {}."""
    if not isinstance(given, list):
        if given:
            raise DataError(f"{where}: inputs are no list; give a file in EvalPlus's task format")
        return ()
    if mbpp:
        return tuple(mbpp_arguments(int(number), one) for one in given)
    return tuple(tuple(one) for one in given)


def _given_checks(path: Path) -> dict[str, tuple[str, ...]]:
    return {r["task_id"]: tuple(r["given_tests"]) for _, r in _records(path)}


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line with where it stands. Infinity and NaN are let in: MBPP+ has them as inputs."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where}: {error}; correct the JSON there") from error
        if not isinstance(record, dict):
            raise DataError(f"{where}: an object is wanted; give a file in EvalPlus's format")
        yield where, record
