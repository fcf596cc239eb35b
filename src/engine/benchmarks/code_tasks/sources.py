"""Where a search's tasks and candidates come from, cut into a training and a held-out split."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import DataError
from .bundle import CheckedBundle
from .evalplus import load_samples, load_tasks
from .faults import candidates
from .suite import own_tasks, training_split
from .tasks import Task


@dataclass(frozen=True, slots=True)
class Split:
    """Tasks in their order, and each one's raw candidates in order, by task id.

    `pools` names the source of each task; `everything` says that raw candidates are judged, not
    only those that pass the visible checks; `checker` is the oracle of a bundle.
    """

    tasks: tuple[Task, ...]
    samples: Mapping[str, tuple[str, ...]]
    pools: Mapping[str, str] = field(default_factory=dict)
    everything: bool = False
    checker: CheckedBundle | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """One source in EvalPlus's formats; `training` tasks of it are for training."""

    tasks: Path
    samples: tuple[Path, ...]
    checks: Path | None
    training: int
    name: str | None = None

    @property
    def title(self) -> str:
        """The source's name, else that of its task file."""
        return self.name or self.tasks.name.split(".")[0]


def own_splits(count: int, seed: int) -> tuple[Split, Split]:
    """Training and held-out split of the embedded suite, with `count` seeded mutants a task."""
    first, second = (
        Split(
            tuple(tasks),
            {t.id: tuple(c.text for c in candidates(t, count, seed=seed)) for t in tasks},
            {t.id: "own suite" for t in tasks},
        )
        for tasks in training_split(own_tasks())
    )
    return first, second


def evalplus_splits(sources: Sequence[Files], seed: int) -> tuple[Split, Split]:
    """Training and held-out split of task files with their samples.

    Tasks without a visible check are left out. Raises DataError where a file is malformed, has
    fewer tasks than are asked of it, or a split would be empty.
    """
    chosen: tuple[list[Task], list[Task]] = ([], [])
    samples: dict[str, tuple[str, ...]] = {}
    pools: dict[str, str] = {}
    for source in sources:
        tasks = [task for task in load_tasks(source.tasks, source.checks) if task.visible]
        _draw(source.title, tasks, source.training, seed, chosen)
        pools |= {task.id: source.title for task in tasks}
        for path in source.samples:
            for found in load_samples(path, tasks):
                samples[found.task] = (*samples.get(found.task, ()), found.text)
    return _both("cegar.sources", chosen, samples, pools)


def bundle_splits(folder: Path, training: int, seed: int) -> tuple[Split, Split]:
    """Training and held-out split of a bundle's tasks with their samples.

    Raises DataError where a file is malformed, or a split would be empty.
    """
    found = CheckedBundle.load(folder)
    chosen: tuple[list[Task], list[Task]] = ([], [])
    _draw(folder.name, found.tasks, training, seed, chosen)
    samples: dict[str, tuple[str, ...]] = {}
    for one in found.samples:
        samples[one.task] = (*samples.get(one.task, ()), one.text)
    pools = {task.id: folder.name for task in found.tasks}
    first, second = _both("cegar.bundle", chosen, samples, pools)
    return replace(first, checker=found), replace(second, checker=found)


def _draw(
    name: str,
    tasks: Sequence[Task],
    training: int,
    seed: int,
    chosen: tuple[list[Task], list[Task]],
) -> None:
    """Add `training` tasks, drawn by the seed, to the first list and the rest to the second.

    Raises DataError where there are not so many.
    """
    if training > len(tasks):
        raise DataError(
            f"{name}: training = {training}, but it has {len(tasks)} tasks with visible checks; "
            "lower it"
        )
    drawn = set(sorted((task.id for task in tasks), key=_drawn(seed))[:training])
    for task in tasks:
        chosen[task.id not in drawn].append(task)


def _both(
    key: str,
    chosen: tuple[list[Task], list[Task]],
    samples: Mapping[str, tuple[str, ...]],
    pools: Mapping[str, str],
) -> tuple[Split, Split]:
    if not chosen[0] or not chosen[1]:
        raise DataError(
            f"{key}: no task is left for one of the splits; give `training` of a source a "
            "number above 0 and below its number of tasks"
        )
    first, second = (
        Split(
            tuple(tasks),
            {task.id: samples.get(task.id, ()) for task in tasks},
            {task.id: pools[task.id] for task in tasks},
        )
        for tasks in chosen
    )
    return first, second


def _drawn(seed: int) -> Callable[[str], str]:
    def key(task: str) -> str:
        return hashlib.sha256(f"{seed}:{task}".encode()).hexdigest()

    return key
