"""Where a search's tasks and candidates come from, cut into a training and a held-out split."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from .evalplus import load_samples, load_tasks
from .faults import candidates
from .suite import own_tasks, training_split
from .tasks import Task


@dataclass(frozen=True, slots=True)
class Split:
    """Tasks in their order, and each one's raw candidate programs in order, by task id."""

    tasks: tuple[Task, ...]
    samples: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Files:
    """One source in EvalPlus's formats; `training` tasks of it are for training."""

    tasks: Path
    samples: tuple[Path, ...]
    checks: Path | None
    training: int


def own_splits(count: int, seed: int) -> tuple[Split, Split]:
    """Training and held-out split of the embedded suite, with `count` seeded mutants a task."""
    first, second = (
        Split(
            tuple(tasks),
            {t.id: tuple(c.text for c in candidates(t, count, seed=seed)) for t in tasks},
        )
        for tasks in training_split(own_tasks())
    )
    return first, second


def evalplus_splits(sources: Sequence[Files], seed: int) -> tuple[Split, Split]:
    """Training and held-out split of task files with their samples.

    Tasks without a visible check are left out. Raises DataError where a file is malformed, or a
    split would be empty.
    """
    chosen: tuple[list[Task], list[Task]] = ([], [])
    samples: dict[str, tuple[str, ...]] = {}
    for source in sources:
        tasks = [task for task in load_tasks(source.tasks, source.checks) if task.visible]
        drawn = set(sorted((task.id for task in tasks), key=_drawn(seed))[: source.training])
        for task in tasks:
            chosen[task.id not in drawn].append(task)
        for path in source.samples:
            for found in load_samples(path, tasks):
                samples[found.task] = (*samples.get(found.task, ()), found.text)
    if not chosen[0] or not chosen[1]:
        raise DataError(
            "cegar.sources: no task is left for one of the splits; give `training` of a source a "
            "number above 0 and below its number of tasks"
        )
    first, second = (
        Split(tuple(tasks), {task.id: samples.get(task.id, ()) for task in tasks})
        for tasks in chosen
    )
    return first, second


def _drawn(seed: int) -> Callable[[str], str]:
    def key(task: str) -> str:
        return hashlib.sha256(f"{seed}:{task}".encode()).hexdigest()

    return key
