"""Label the real samples of HumanEval+ and MBPP+ and compare with every official verdict.

    .venv/bin/python perf/official_labels.py humaneval|mbpp [FIRST [LAST]]

FIRST and LAST are task numbers. Prints each row that differs with its cause; rows marked `slow` are
counted aside, and so are programs of a task whose biggest inputs are left out: the official run
fails there even the reference's own text. Ends with 1 if any other row differs that does not import
a missing package.
"""

import asyncio
import gzip
import json
import os
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from evoscope.engine.benchmarks.code_tasks import evalplus, labels
from evoscope.engine.benchmarks.code_tasks.tasks import Candidate, Label, Task
from evoscope.engine.errors import DataError
from evoscope.engine.sandbox.pool import Pool

SHARED = Path(os.environ.get("EVOSCOPE_SHARED") or Path(__file__).parents[1] / "../shared/data")
TASKS = {"humaneval": "HumanEvalPlus.jsonl.gz", "mbpp": "MbppPlus.jsonl.gz"}
AT_ONCE = 2
BAD = ("differ", "no reference", "not run")


def number(name: str) -> int:
    """The task number in an id."""
    return int(name.split("/")[1])


def read(name: str, first: int, last: int) -> tuple[list[Task], dict[str, list[dict[str, Any]]]]:
    """The tasks asked for that have samples, and the official rows of each."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(SHARED / name / f"{name}_samples.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            rows[row["task_id"]].append(row)
    checks = SHARED / name / f"{name}_visible_checks.jsonl.gz"
    tasks = evalplus.load_tasks(SHARED / name / TASKS[name], checks if checks.exists() else None)
    return [t for t in tasks if t.id in rows and first <= number(t.id) <= last], rows


class Comparison:
    """Counts rows by how they compare."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()

    def row(self, row: dict[str, Any], label: Label, place: int, left_out: int) -> None:
        """Compare one row; print it where it differs. `left_out` counts inputs not asked."""
        said = row["base_status"] == "pass", row["plus_status"] == "pass", row["visible_pass"]
        got = label.base, label.plus, label.visible
        kind = "equal" if said == got else "differ"
        if kind == "differ" and "ModuleNotFoundError" in label.detail:
            kind = "missing package"
        elif kind == "differ" and left_out and label.correct:
            kind = "inputs left out"
        self.kinds["slow, " + kind if row.get("slow") else kind] += 1
        if said != got:
            print(f"{row['task_id']} #{place}: official {said}, ours {got}: {label.detail or kind}")


async def one(
    pool: Pool, task: Task, rows: list[dict[str, Any]], samples: list[Candidate], all_: Comparison
) -> None:
    """Label the samples of one task."""
    start = time.perf_counter()
    try:
        suite = await labels.prepare(task, pool.run)
    except DataError as error:
        print(error)
        all_.kinds["no reference"] += len(rows)
        return
    if suite.left_out or len(suite.task.visible) < len(task.visible):
        print(f"{task.id}: {suite.left_out} inputs left out, visible {suite.task.visible}")
    try:
        found = await labels.label_all(suite, samples, pool.run)
    except DataError as error:
        print(error)
        all_.kinds["not run"] += len(rows)
        return
    for place, (row, label) in enumerate(zip(rows, found, strict=True)):
        all_.row(row, label, place, suite.left_out)
    seconds = time.perf_counter() - start
    print(f"  {task.id} {len(rows)} rows {seconds:.1f} s", file=sys.stderr, flush=True)


async def main(name: str, first: int, last: int) -> int:
    """Compare, print, judge."""
    start = time.perf_counter()
    tasks, rows = read(name, first, last)
    samples: dict[str, list[Candidate]] = defaultdict(list)
    for sample in evalplus.load_samples(SHARED / name / f"{name}_samples.jsonl.gz", tasks):
        samples[sample.task].append(sample)
    result, places = Comparison(), asyncio.Semaphore(AT_ONCE)

    async def bounded(task: Task) -> None:
        async with places:
            await one(pool, task, rows[task.id], samples[task.id], result)

    async with await Pool.open(AT_ONCE) as pool:
        await asyncio.gather(*map(bounded, tasks))
    seconds = time.perf_counter() - start
    print(f"{name}: {len(tasks)} tasks, {dict(result.kinds)}, {seconds:.0f} s")
    return 1 if any(result.kinds[kind] for kind in BAD) else 0


if __name__ == "__main__":
    bounds = [int(text) for text in sys.argv[2:4]]
    sys.exit(asyncio.run(main(sys.argv[1], *(bounds + [0, 10_000][len(bounds) :]))))
