"""Our own tasks and the generator of their faulty candidates."""

import ast
import copy
from typing import Any

from evoscope.engine.benchmarks.code_tasks import faults, visible
from evoscope.engine.benchmarks.code_tasks.suite import own_tasks, training_split
from evoscope.engine.benchmarks.code_tasks.tasks import Task

TASKS = own_tasks()


def call(text: str, task: Task, arguments: tuple[Any, ...]) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names[task.entry](*copy.deepcopy(arguments))


def test_there_are_at_least_forty_tasks_with_their_own_names() -> None:
    assert len(TASKS) >= 40 and len({task.id for task in TASKS}) == len(TASKS)
    training, held = training_split(TASKS)
    assert len(training) + len(held) == len(TASKS) and not {t.id for t in training} & {
        t.id for t in held
    }


def test_every_reference_passes_its_visible_asserts_and_shows_nothing_hidden() -> None:
    for task in TASKS:
        names: dict[str, Any] = {}
        exec(task.reference, names)
        assert task.visible and len(task.base) >= 4, task.id
        for text in task.visible:
            assert text in task.prompt and visible.as_example(text, task.entry) is not None
            exec(text, names)
        assert '"""' not in task.reference and "HIDDEN" not in task.reference
        shown = {repr(a) for a in visible.known_arguments(task.visible, task.entry)}
        assert len({repr(a) for a in task.base} - shown) >= 3, task.id


def test_hidden_inputs_are_distinct_and_answered() -> None:
    for task in TASKS:
        assert len({repr(a) for a in task.base}) == len(task.base), task.id
        for arguments in task.base:
            first, second = (call(task.reference, task, arguments) for _ in range(2))
            assert first == second


def test_candidates_are_seeded_programs_and_mostly_distinct() -> None:
    for task in TASKS:
        made = faults.candidates(task, seed=7)
        assert made == faults.candidates(task, seed=7)
        assert [one.place for one in made] == list(range(faults.COUNT))
        assert len({one.text for one in made}) >= faults.COUNT - 3, task.id
        for one in made:
            assert any(
                isinstance(node, ast.FunctionDef) and node.name == task.entry
                for node in ast.parse(one.text).body
            )
    assert faults.candidates(TASKS[0], seed=7) != faults.candidates(TASKS[0], seed=8)


def test_every_kind_of_fault_occurs_and_changes_the_program() -> None:
    for fault in faults.FAULTS:
        found = 0
        for task in TASKS:
            tree = ast.parse(task.reference)
            found += sum(1 for node in ast.walk(tree) for _ in fault(node))
        assert found >= 2, fault.__name__


def test_a_program_without_a_place_for_a_fault_stays_as_it_is() -> None:
    import random

    assert faults.faulty("x = y\n", random.Random(1)) == "x = y\n"
