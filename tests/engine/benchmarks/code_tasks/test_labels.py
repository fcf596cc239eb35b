"""Labels from the real sandbox: official verdicts, our own suite, bundles, operators."""

import asyncio
import collections
import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from evoscope.engine.benchmarks.code_tasks import evalplus, faults, labels
from evoscope.engine.benchmarks.code_tasks.bundle import CheckedBundle
from evoscope.engine.benchmarks.code_tasks.operate import Given, operator_job, read_answer
from evoscope.engine.benchmarks.code_tasks.suite import own_tasks, training_split
from evoscope.engine.benchmarks.code_tasks.tasks import Candidate, Label, Task
from evoscope.engine.errors import DataError
from evoscope.engine.sandbox.jobs import Budget
from evoscope.engine.sandbox.pool import Pool
from evoscope.engine.searches.cegar.electorate import peers
from evoscope.engine.searches.cegar.inputs import inputs
from evoscope.engine.searches.cegar.operators import starting_pool
from tests.sandbox_outcomes import pool_or_skip
from tests.shared import shared_data

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[Pool]:
    async with await pool_or_skip() as opened:
        yield opened


TASK = Task(
    "own/double", "own", "", "double", "def double(x):\n    return x * 2\n",
    ("assert double(2) == 4",), ((2,), (3,), (-1,)), ((0,), (5,)),
)  # fmt: skip


async def test_a_label_needs_both_halves_and_keeps_the_visible_checks_apart(pool: Pool) -> None:
    suite = await labels.prepare(TASK, pool.run)
    programs = {
        "def double(x):\n    return x + x\n": Label(True, True, True),
        "def double(x):\n    return x ** 2\n": Label(True, False, False),
        "def double(x):\n    return x * 2 if x < 4 else 0\n": Label(True, True, False),
        "def double(x):\n    return 4 if x == 2 else 2 * x + 1\n": Label(True, False, False),
        "def double(x):\n    return x * 2 if x else 1 / x\n": Label(True, True, False),
        "def double(x)": Label(False, False, False),
        "class Y:\n    def __eq__(s, o): return True\ndef double(x): return Y()\n": Label(
            False, False, False
        ),
    }
    given = [Candidate(TASK.id, n, text) for n, text in enumerate(programs)]
    found = await labels.label_all(suite, [*given, given[0]], pool.run)
    assert [(s.visible, s.base, s.plus) for s in found[:-1]] == [
        (s.visible, s.base, s.plus) for s in programs.values()
    ]
    assert found[-1] is found[0] and found[0].correct and not found[2].correct
    assert "plus: error(ZeroDivisionError)" in found[4].detail


async def test_an_endless_candidate_fails_and_a_broken_reference_is_named(pool: Pool) -> None:
    suite = await labels.prepare(TASK, pool.run)
    label = await labels.label(suite, "def double(x):\n    while True: pass\n", pool.run)
    assert not label.visible and not label.correct and "timeout" in label.detail
    broken = replace(TASK, reference="def double(x):\n    return 1 / (x - 3)\n")
    with pytest.raises(DataError, match=r"own/double: its reference ends with error"):
        await labels.prepare(broken, pool.run)


async def test_visible_asserts_that_the_reference_fails_are_dropped(pool: Pool) -> None:
    odd = replace(TASK, visible=("assert double(2) == 5", "assert math.isclose(double(2), 4.0)"))
    suite = await labels.prepare(odd, pool.run)
    assert suite.task.visible == ("assert math.isclose(double(2), 4.0)",)
    label = await labels.label(suite, "def double(x):\n    return 5\n", pool.run)
    assert not label.visible


OFFICIAL = {
    "humaneval": ("HumanEval/0", "HumanEval/32", "HumanEval/38", "HumanEval/50", "HumanEval/90"),
    "mbpp": (
        "Mbpp/2",
        "Mbpp/98",
        "Mbpp/115",
        "Mbpp/124",
        "Mbpp/558",
        "Mbpp/581",
        "Mbpp/737",
        "Mbpp/794",
    ),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", OFFICIAL)
async def test_labels_agree_with_the_official_verdicts(pool: Pool, name: str) -> None:
    checks = None
    if name == "humaneval":
        checks = shared_data("humaneval", "humaneval_visible_checks.jsonl.gz")
    file = {"humaneval": "HumanEvalPlus", "mbpp": "MbppPlus"}[name]
    tasks = evalplus.load_tasks(shared_data(name, f"{file}.jsonl.gz"), checks)
    chosen = [task for task in tasks if task.id in OFFICIAL[name]]
    official: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    with gzip.open(shared_data(name, f"{name}_samples.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            official[row["task_id"]].append(row)
    samples = evalplus.load_samples(shared_data(name, f"{name}_samples.jsonl.gz"), chosen)
    compared = 0
    for task in chosen:
        suite = await labels.prepare(task, pool.run)
        own = [sample for sample in samples if sample.task == task.id][:8]
        found = await labels.label_all(suite, own, pool.run)
        for row, label in zip(official[task.id], found, strict=False):
            if not row.get("slow"):
                said = (
                    row["base_status"] == "pass",
                    row["plus_status"] == "pass",
                    row["visible_pass"],
                )
                assert (label.base, label.plus, label.visible) == said, (
                    task.id,
                    row["sample"],
                    label,
                )
                compared += 1
    assert compared >= 35


async def test_the_training_split_of_our_suite_has_ten_decidable_tasks(pool: Pool) -> None:
    training, _ = training_split(own_tasks())

    async def decidable(task: Task) -> bool:
        suite = await labels.prepare(task, pool.run)
        found = await labels.label_all(suite, faults.candidates(task, seed=7), pool.run)
        return len({label.correct for label in found if label.visible}) == 2

    assert sum(await asyncio.gather(*map(decidable, training))) >= 10


def write_bundle(folder: Path, checker: str) -> None:
    tasks = [
        {"id": "t1", "prompt": "Name a colour.", "hidden": {"answers": ["red", "blue"]}},
        {"id": "t2", "prompt": "Name a city.", "hidden": {"answers": ["Rome"]}},
    ]
    samples = [
        {"task_id": "t1", "text": "red"}, {"task_id": "t1", "text": "stone"},
        {"task_id": "t2", "text": "", "source": "m"},
    ]  # fmt: skip
    for name, rows in (("tasks", tasks), ("samples", samples)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "checker.py").write_text(checker)


CHECKER = (
    "def check(task, text):\n    return text in task['hidden']['answers']\n"
    "def visible(task, text):\n    return bool(text)\n"
)


async def test_a_bundle_is_labelled_by_its_checker(pool: Pool, tmp_path: Path) -> None:
    write_bundle(tmp_path, CHECKER)
    bundle = CheckedBundle.load(tmp_path)
    by_id = {task.id: task for task in bundle.tasks}
    found = [await bundle.label(by_id[s.task], s.text, pool.run) for s in bundle.samples]
    assert [(label.visible, label.correct) for label in found] == [
        (True, True),
        (True, False),
        (False, False),
    ]
    spy = "def op(task, text):\n    return 'flag' if 'hidden' in task else 'pass'\n"
    assert read_answer(await pool.run(operator_job(spy, by_id["t1"], "red"))) == ("pass", "")


async def test_a_checker_that_gives_no_bool_is_an_error_of_the_bundle(
    pool: Pool, tmp_path: Path
) -> None:
    write_bundle(tmp_path, "def check(task, text):\n    return 'yes'\n")
    bundle = CheckedBundle.load(tmp_path)
    with pytest.raises(DataError, match=r"checker\.py, check on task t1"):
        await bundle.label(bundle.tasks[0], "red", pool.run)
    (tmp_path / "checker.py").write_text("def other(): pass\n")
    with pytest.raises(DataError, match="no function check"):
        CheckedBundle.load(tmp_path)
    (tmp_path / "samples.jsonl").write_text('{"task_id": "t9", "text": ""}\n')
    with pytest.raises(DataError, match=r"line 1: no task 't9'"):
        CheckedBundle.load(tmp_path)


PEERS = [
    "def double(x):\n    return x * 2\n",
    "def double(x):\n    return x + x\n",
    "def double(y):\n    return 2 * y\n",
    "def double(x):\n    return x ** 2\n",
]


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("missing_return", "def double(x):\n    print(x * 2)\n", "flag"),
        ("unused_parameter", "def double(x):\n    return 4\n", "flag"),
        (
            "memorised_example",
            "def double(x):\n    if x == 2:\n        return 4\n    return x\n",
            "flag",
        ),
        ("decides_at_once", "def double(x):\n    for i in x:\n        return i\n", "flag"),
        ("mutates_argument", "def double(x):\n    x.append(1)\n    return x\n", "flag"),
        (
            "mutates_argument",
            "def double(x):\n    x = list(x)\n    x.append(1)\n    return x\n",
            "pass",
        ),
        ("mutable_default", "def double(x, seen=[]):\n    return x\n", "flag"),
        ("unreachable_code", "def double(x):\n    return x\n    x += 1\n", "flag"),
        ("float_equality", "def double(x):\n    return x / 2 == 1\n", "flag"),
        (
            "swallowed_error",
            "def double(x):\n    try:\n        return x\n    except: return 0\n",
            "flag",
        ),
        (
            "short_range",
            "def double(x):\n    for i in range(len(x) - 1):\n        print(x[i])\n",
            "flag",
        ),
        (
            "short_range",
            "def double(x):\n    for i in range(len(x) - 1):\n        x[i + 1]\n",
            "pass",
        ),
        ("plurality_disagreement", "def double(x):\n    return x ** 2\n", "flag"),
        ("crashes_alone", "def double(x):\n    return x * 2 if x > 0 else 1 / 0\n", "flag"),
        ("type_outlier", "def double(x):\n    return str(x * 2)\n", "flag"),
        ("constant_output", "def double(x):\n    return 4\n", "flag"),
        ("unstable_result", "def double(x):\n    return {2: 4}[x]\n", "flag"),
    ],
)
async def test_each_hand_written_operator_flags_its_fault_and_passes_a_right_program(
    pool: Pool, name: str, code: str, expected: str
) -> None:
    (one,) = (op for op in starting_pool() if op.name == name)
    right = "def double(n):\n    return n + n\n"
    made = inputs("own/double", [(2,)])
    for text, answer in ((code, expected), (right, "pass")):
        others = tuple(peers([*PEERS, text], text))
        given = Given(others, made.arguments, made.unperturbed) if one.level == 2 else None
        outcome = await pool.run(operator_job(one.source, TASK, text, given))
        assert read_answer(outcome) == (answer, ""), outcome.message


async def test_what_is_no_verdict_is_an_abstention_with_its_reason(pool: Pool) -> None:
    for body, reason in (
        ("return True", "answered bool, not flag, pass or abstain"),
        ("raise ValueError('no')", "error(ValueError) no"),
        ("while True: pass", "timeout(cpu)"),
    ):
        job = operator_job(f"def op(task, code):\n    {body}\n", TASK, "x")
        job = replace(job, limits=replace(job.limits, cpu_s=0.3))
        answer, why = read_answer(await pool.run(job))
        assert answer == "abstain" and why.startswith(reason)


async def test_an_operator_over_its_budget_abstains(pool: Pool) -> None:
    greedy = "def op(task, code, ctx):\n    ctx.run_many(0, [(1,)] * 601)\n    return 'flag'\n"
    job = operator_job(greedy, TASK, PEERS[0], Given((), (), 0), Budget(peers=1))
    answer, why = read_answer(await pool.run(job))
    assert answer == "abstain" and "600 observations" in why
