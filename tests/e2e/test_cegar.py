"""A cegar run as real processes: killed again and again, scored, exported, scored outside."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.benchmarks.code_tasks.faults import candidates
from evoscope.engine.benchmarks.code_tasks.suite import own_tasks
from evoscope.engine.benchmarks.code_tasks.tasks import Task
from evoscope.engine.config import RunConfig
from evoscope.engine.searches.cegar.electorate import peers
from tests.e2e import kit
from tests.e2e.kit import Run, wait_until

DECIDABLE = (
    "round_to_step",
    "caesar",
    "count_peaks",
    "rotate_left",
    "free_slots",
    "apply_discounts",
)
"""Tasks without `while`: their faulty candidates come to an end soon."""
KILLS = 10
PATIENCE_S = 400.0


def files(folder: Path) -> dict[str, Any]:
    """Six of our own tasks as EvalPlus files, with seeded candidates."""
    tasks = [task for task in own_tasks() if task.entry in DECIDABLE]
    assert len(tasks) == len(DECIDABLE)
    lines = [json.dumps(record(number, task)) for number, task in enumerate(tasks)]
    (folder / "tasks.jsonl").write_text("\n".join(lines), encoding="utf-8")
    samples = [
        json.dumps({"task_id": f"Mbpp/{9000 + number}", "solution": one.text})
        for number, task in enumerate(tasks)
        for one in candidates(task, 10, seed=42)
    ]
    (folder / "samples.jsonl").write_text("\n".join(samples), encoding="utf-8")
    return {
        "tasks": str(folder / "tasks.jsonl"),
        "samples": [str(folder / "samples.jsonl")],
        "training": 5,
    }


def record(number: int, task: Task) -> dict[str, Any]:
    """A task in EvalPlus's format."""
    return {
        "task_id": f"Mbpp/{9000 + number}", "prompt": task.prompt, "entry_point": task.entry,
        "canonical_solution": task.reference, "base_input": [list(a) for a in task.base],
        "plus_input": [],
    }  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """Running programs takes longer than other runs, on a busy machine above all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kit, "WAIT_S", PATIENCE_S)
        yield


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    source = files(tmp_path_factory.mktemp("tasks"))
    return RunConfig.model_validate(
        {
            "search": "cegar",
            "benchmark": {"kind": "code"},
            "providers": {"p": {"kind": "offline"}},
            "models": {"author": {"provider": "p", "model": "grammar"}},
            "cegar": {
                "sources": [source], "starting_pool": False, "rounds": 2, "level1_attempts": 1,
                "level2_attempts": 5,
            },
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(config: RunConfig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A run that nobody disturbed."""
    run = Run(tmp_path_factory.mktemp("runs") / "whole.evo", config).make()
    assert run.finish() == 0, (run.path.with_name("whole.evo.d") / "out.txt").read_text()
    yield run
    run.end()


@pytest.mark.slow
def test_killed_at_ten_moments_it_ends_with_the_same_facts(
    whole: Run, config: RunConfig, tmp_path: Path
) -> None:
    def facts(run: Run) -> int:
        return sum(run.count(table) for table in ("matrix", "verdict", "call", "mark"))

    moments = sorted(random.Random(7).sample(range(1, facts(whole)), KILLS))
    run = Run(tmp_path / "killed.evo", config).make()
    killed = 0
    for moment in moments:
        engine = run.begin()
        wait_until(
            lambda m=moment, e=engine: facts(run) >= m or e.poll() is not None,
            "progress",
            PATIENCE_S,
        )  # type: ignore[misc]
        if engine.poll() is None:
            run.kill()
            killed += 1
    assert killed >= KILLS // 2
    assert run.finish() == 0
    assert run.digest() == whole.digest()
    ledger = "SELECT node, gate, outcome, reason FROM verdict ORDER BY node, gate"
    assert run.query(ledger) == whole.query(ledger)
    run.end()


@pytest.mark.slow
def test_one_worker_or_two_give_the_same_outcomes_but_for_those_near_a_limit(
    whole: Run, config: RunConfig, tmp_path: Path
) -> None:
    """Programs end in another order then, too."""
    alone = config.cegar.model_copy(update={"workers": 1})
    run = Run(tmp_path / "alone.evo", config.model_copy(update={"cegar": alone})).make()
    assert run.finish() == 0
    one, two = outcomes(run), outcomes(whole)
    near = {place for each in (one, two) for place, (_, told) in each.items() if told.get("near")}
    labels = {place for place in one if place[0] == "labels"}
    if near & labels:  # another label makes other classes, and so other operators
        one, two = ({place: each[place] for place in labels} for each in (one, two))
    same = (one.keys() | two.keys()) - near
    assert len(same) >= 5
    assert {place: one.get(place) for place in same} == {place: two.get(place) for place in same}
    if not near:
        ledger = "SELECT node, gate, outcome, reason FROM verdict ORDER BY node, gate"
        assert run.query(ledger) == whole.query(ledger)
    run.end()


def outcomes(run: Run) -> dict[tuple[str, int], tuple[bytes, dict[str, Any]]]:
    """What was settled, by operator (or the labels) and shard."""
    rows = run.query("SELECT node, shard, planes, reasons FROM matrix")
    return {(node, shard): (planes, json.loads(told)) for node, shard, planes, told in rows}


@pytest.mark.slow
def test_scoring_reads_the_held_out_split_once_and_the_report_has_it(whole: Run) -> None:
    before = whole.cli("report", whole.path, "--format", "json")
    assert before.code == 0, before.err
    assert "have not been read" in before.out
    scored = whole.cli("score", whole.path, "--format", "json")
    assert scored.code == 0, scored.err
    rows = scored.json["tables"]["effect"]["rows"]
    assert {row[1] for row in rows} == {"training", "held out"}
    kept = (whole.path.with_name("whole.evo.d") / "heldout.jsonl").read_bytes()
    assert whole.cli("score", whole.path).code == 0
    assert (whole.path.with_name("whole.evo.d") / "heldout.jsonl").read_bytes() == kept


@pytest.mark.slow
def test_an_exported_pool_says_the_same_of_every_training_program(
    whole: Run, tmp_path: Path
) -> None:
    done = whole.cli("export", whole.path, "-o", tmp_path / "pool")
    if not whole.count("decision WHERE kind = 'admit'"):
        pytest.fail("nothing was admitted")
    assert done.code == 0, done.err
    script = tmp_path / "all.py"
    script.write_text(
        "import json, sys\nfrom evoscope_pool import ELECTORATE, score\n"
        "out = {t: [score(v, c, v['peers'])['verdicts'] for c in v['peers']]"
        " for t, v in ELECTORATE['tasks'].items()}\njson.dump(out, sys.stdout)\n"
    )
    said = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path / "pool", capture_output=True, check=True,
        env={"PYTHONPATH": str(tmp_path / "pool"), "PATH": "/usr/bin:/bin"}, timeout=300,
    )  # fmt: skip
    from evoscope.engine.report.cegar_read import read_cegar
    from evoscope.engine.store.reader import Reader

    with Reader(whole.path) as reader:
        run = read_cegar(reader)
    words = {0: "flag", 1: "abstain", 2: "pass"}
    outside = json.loads(said.stdout)
    compared = 0
    for operator in run.admitted:
        for member, verdict in run.training.columns[operator.node].items():
            assert outside[member.task][member.sample][operator.node] == words[verdict]
            compared += 1
    assert compared > 20
    assert peers(["a", "b", "a"], "a") == ["b", "a"]
