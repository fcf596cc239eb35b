"""Splits of task files: which benchmark each task belongs to."""

import json
from pathlib import Path

import pytest

from evoscope.engine.benchmarks.code_tasks.suite import own_tasks
from evoscope.engine.config import RunConfig
from evoscope.engine.errors import ConfigError, DataError
from evoscope.engine.run import new_run, stored_plan
from evoscope.engine.searches.cegar.plan import splits_of
from evoscope.engine.searches.cegar.settings import CegarSettings


def source(folder: Path, file: str, first: int, **keys: object) -> dict[str, object]:
    """Four of our own tasks in EvalPlus's format, each with its reference as the only sample."""
    tasks = own_tasks()[first : first + 4]
    lines = [
        {
            "task_id": f"Mbpp/{9000 + first + n}", "prompt": task.prompt, "entry_point": task.entry,
            "canonical_solution": task.reference, "base_input": [list(a) for a in task.base],
            "plus_input": [],
        }
        for n, task in enumerate(tasks)
    ]  # fmt: skip
    samples = [
        {"task_id": line["task_id"], "solution": task.reference}
        for line, task in zip(lines, tasks, strict=True)
    ]
    for kind, rows in (("tasks", lines), ("samples", samples)):
        text = "\n".join(map(json.dumps, rows))
        (folder / f"{file}-{kind}.jsonl").write_text(text, encoding="utf-8")
    return {
        "tasks": folder / f"{file}-tasks.jsonl", "samples": [folder / f"{file}-samples.jsonl"],
        **keys,
    }  # fmt: skip


def pools(*sources: dict[str, object]) -> tuple[list[str], list[str]]:
    settings = CegarSettings.model_validate({"sources": sources})
    training, held = splits_of(settings, 42)
    return tuple(  # type: ignore[return-value]
        sorted(split.pools[task.id] for task in split.tasks) for split in (training, held)
    )


def test_a_source_is_a_benchmark_by_its_name_or_its_files(tmp_path: Path) -> None:
    named = source(tmp_path, "a", 0, training=2, name="first")
    plain = source(tmp_path, "b", 4)
    assert pools(named, plain) == (["first"] * 2, ["b-tasks"] * 4 + ["first"] * 2)


def test_sources_of_one_name_are_one_benchmark(tmp_path: Path) -> None:
    both = [source(tmp_path, n, 4 * k, training=1, name="one") for k, n in enumerate("ab")]
    assert pools(*both) == (["one"] * 2, ["one"] * 6)


def test_a_task_of_two_sources_is_refused_for_it_could_be_trained_on_and_held_out(
    tmp_path: Path,
) -> None:
    first = source(tmp_path, "a", 0, training=2)
    with pytest.raises(DataError, match=r"'Mbpp/9000' is there twice"):
        pools(first, {**first, "training": 0})


def test_more_training_tasks_than_there_are_is_refused(tmp_path: Path) -> None:
    all_of_it = source(tmp_path, "a", 0, training=4, name="first")
    with pytest.raises(DataError, match=r"first: training = 5, but it has 4 tasks"):
        pools({**all_of_it, "training": 5}, source(tmp_path, "b", 4))
    assert pools(all_of_it, source(tmp_path, "b", 4)) == (["first"] * 4, ["b-tasks"] * 4)


def test_a_hidden_suite_that_has_changed_since_the_start_is_refused(tmp_path: Path) -> None:
    first = source(tmp_path, "a", 0, training=2)
    config = RunConfig.model_validate(
        {
            "search": "cegar", "benchmark": {"kind": "code"},
            "providers": {"p": {"kind": "offline"}},
            "models": {"author": {"provider": "p", "model": "grammar"}},
            "cegar": {"sources": [first]},
        }
    )  # fmt: skip
    new_run(tmp_path / "run.evo", config)
    stored_plan(tmp_path / "run.evo")
    tasks = tmp_path / "a-tasks.jsonl"
    lines = [json.loads(line) for line in tasks.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["base_input"].pop()
    tasks.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(ConfigError, match="suites is not what this run began with"):
        stored_plan(tmp_path / "run.evo")
