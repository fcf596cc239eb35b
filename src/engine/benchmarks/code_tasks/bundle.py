"""Any other domain: a folder with tasks, samples and a checker program (docs/cegar-bundle.md).

tasks.jsonl   {"id", "prompt", ...}; what stands under "hidden" is for the checker alone
samples.jsonl {"task_id", "text", "source"?}
checker.py    check(task, text) -> bool, the oracle; visible(task, text) -> bool, optional

The checker is run in the sandbox like a candidate, since a text it reads may be hostile to it.
"""

import ast
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from ...model.llm import Json
from ...sandbox.jobs import Calls, Job, Limits, Outcome, Program, encoded
from ..records import as_object, member, read_lines, read_text
from .tasks import Candidate, Label, Task

CHECKER = Limits(cpu_s=10.0, memory_mb=1024)


@dataclass(frozen=True, slots=True)
class CheckedBundle:
    """A domain: tasks, the candidates of each in the file's order, and the checker's text."""

    tasks: tuple[Task, ...]
    samples: tuple[Candidate, ...]
    checker: str
    has_visible: bool

    @classmethod
    def load(cls, folder: Path) -> "CheckedBundle":
        """Read a folder; raises DataError naming file, line and what is missing."""
        tasks = tuple(_tasks(folder / "tasks.jsonl"))
        samples = tuple(_samples(folder / "samples.jsonl", {task.id for task in tasks}))
        checker = read_text(folder / "checker.py")
        functions = _functions(checker, folder / "checker.py")
        if "check" not in functions:
            raise DataError(f"{folder / 'checker.py'}: no function check(task, text); add one")
        return cls(tasks, samples, checker, "visible" in functions)

    async def label(self, task: Task, text: str, run: Callable[[Job], Awaitable[Outcome]]) -> Label:
        """What the checker says of one text.

        Raises DataError where the checker gives no bool: then it is wrong, not the text.
        """
        right = await self._asked("check", task, text, run)
        seen = not self.has_visible or await self._asked("visible", task, text, run)
        return Label(visible=seen, base=right, plus=True)

    async def _asked(
        self, function: str, task: Task, text: str, run: Callable[[Job], Awaitable[Outcome]]
    ) -> bool:
        inputs = encoded([(dict(task.fields), text)])
        outcome = await run(Calls(Program(self.checker, function), inputs, limits=CHECKER))
        value = outcome.cases[0].plain() if outcome.verdict == "pass" else None
        if not isinstance(value, bool):
            raise DataError(
                f"checker.py, {function} on task {task.id}: {outcome.label} {outcome.message}"
                f"{'' if outcome.verdict != 'pass' else 'no bool'}; correct the checker"
            )
        return value


def shown_fields(task: Task) -> dict[str, Json]:
    """A bundle's task as operators see it: without what is hidden."""
    return {key: value for key, value in task.fields.items() if key != "hidden"}


def _tasks(path: Path) -> list[Task]:
    tasks: dict[str, Task] = {}
    for number, value in read_lines(path):
        where = f"{path}, line {number}"
        record = as_object(value, where)
        name = _text(record, "id", where)
        if name in tasks:
            raise DataError(f"{where}: the id {name!r} stands there already; make ids unique")
        prompt = _text(record, "prompt", where)
        tasks[name] = Task(name, "bundle", prompt, "", "", (), (), fields=record)
    if not tasks:
        raise DataError(f"{path}: no task in it; give a file with at least one")
    return list(tasks.values())


def _samples(path: Path, known: set[str]) -> list[Candidate]:
    places = dict.fromkeys(known, 0)
    samples = []
    for number, value in read_lines(path):
        where = f"{path}, line {number}"
        record = as_object(value, where)
        task = _text(record, "task_id", where)
        if task not in places:
            raise DataError(f"{where}: no task {task!r} in tasks.jsonl; correct the task_id")
        text = _text(record, "text", where)
        samples.append(Candidate(task, places[task], text, str(record.get("source", ""))))
        places[task] += 1
    return samples


def _text(record: dict[str, Json], key: str, where: str) -> str:
    value = member(record, key, where)
    if not isinstance(value, str):
        raise DataError(f"{where}: {key!r} is no text; make it one")
    return value


def _functions(text: str, path: Path) -> set[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise DataError(f"{path}: {error}; correct the program") from error
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
