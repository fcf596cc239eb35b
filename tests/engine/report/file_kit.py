"""A run's file with one case of every end, for the report's reader and its command."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evoscope.engine.model.harden import CaseResult
from tests.store_builder import RunFile, new_run

T = 4
CONFIG = {
    "search": "harden",
    "benchmark": {"kind": "pubmedqa"},
    "harden": {"rollouts": T, "votes": 3, "generations": 2},
}
DOMAIN = {
    "rubric_sha256": "f" * 64,
    "rubric_status": "uncalibrated",
    "calibration": [
        {"source": "filings", "n": 4, "met": 3, "met_rate": "3/4", "mean_score": "17/4",
         "target_met": False},
    ],
}  # fmt: skip
NOISE, UNITS = '{"axis":"noise","careless":false}', '{"axis":"units","careless":true}'


def config(**benchmark: str) -> str:
    return json.dumps(CONFIG | ({"benchmark": benchmark} if benchmark else {}))


def rollouts(run: RunFile, node: str, grades: str, start: int = 0, **columns: Any) -> None:
    """Samples from `start` on: 1 right, 0 wrong, - one that could not be had."""
    case = node.split("/")[0]
    for sample, grade in enumerate(grades, start=start):
        missing = grade == "-"
        run.insert("rollout", {
            "node": node, "context": "task", "item": case, "sample": sample,
            "unit": case, "outcome": "error" if missing else "graded",
            "num": None if missing else int(grade), "den": None if missing else 1,
            "class": None if missing else "yes" if grade == "1" else "no",
            "logprob_sum": -2.0, "tokens": 4,
        } | columns)  # fmt: skip


def end(
    run: RunFile, case: str, place: int, result: CaseResult | None, state: str = "done"
) -> None:
    run.insert("unit", {
        "id": case, "kind": "case", "ord": place, "state": state,
        "reason": "" if result else "deadline of 900 s",
        "result": json.dumps(result.as_json()) if result else None,
    })  # fmt: skip


def gates(run: RunFile, node: str, **outcomes: str) -> None:
    """Gate rows, with two votes each for the model gates."""
    for gate, outcome in outcomes.items():
        run.verdict(node, gate, -1, outcome)
        if gate in ("correctness", "realism"):
            run.verdict(node, gate, 0, outcome)
            run.verdict(node, gate, 1, outcome if outcome == "pass" else "abstain")


ALL = {"validity": "pass", "evidence": "pass", "correctness": "pass", "realism": "pass"}


def build(folder: Path, **benchmark: str) -> RunFile:
    """Case a hardened in two steps, b kept, c unimprovable, d failed, e parked."""
    run = RunFile(folder / "demo.evo")
    run.path.write_bytes(_template())
    if benchmark:
        run.meta(config=config(**benchmark))
    return run


@cache
def _template() -> bytes:
    """The file's bytes: built once, since every insert waits for the disk."""
    with TemporaryDirectory() as folder:
        return _built(Path(folder)).path.read_bytes()


def _built(folder: Path) -> RunFile:
    run = new_run(folder, config=config())
    run.node("a/g0/i0", num=1, den=1, entropy=0.0, state="parent")
    run.node("a/g1/i0", "a/g0/i0", num=3, den=4, state="survivor", origin=NOISE)
    run.node("a/g2/i0", "a/g1/i0", num=1, den=2, entropy=0.63, state="promoted", origin=UNITS)
    run.node("a/g2/i1", "a/g1/i0", num=1, den=2, bound=1, state="raced_out", origin=NOISE)
    run.node("a/g2/i2", "a/g1/i0", state="rejected", origin=UNITS)
    run.node("a/g2/i3", "a/g1/i0", state="rejected", origin='{"axis":null}')
    for node in ("a/g1/i0", "a/g2/i0", "a/g2/i1"):
        gates(run, node, **ALL)
    gates(run, "a/g2/i2", validity="pass", evidence="pass", correctness="fail")
    gates(run, "a/g2/i3", validity="fail")
    for node, grades, fresh in (("a/g0/i0", "1111", "1101"), ("a/g2/i0", "1100", "1000")):
        rollouts(run, node, grades)
        rollouts(run, node, fresh, start=T)
        rollouts(run, node, "1", start=-1, logprob_sum=-8.0, tokens=4)
    rollouts(run, "a/g1/i0", "1110")
    rollouts(run, "a/g2/i1", "11")
    end(run, "a", 0, CaseResult("a", 0, "hardened", "a/g0/i0", "a/g2/i0"))
    for case, status, place in (("b", "kept", 1), ("c", "unimprovable", 2)):
        run.node(f"{case}/g0/i0", num=3, den=4, entropy=0.5, state="parent")
        rollouts(run, f"{case}/g0/i0", "1110")
        rollouts(run, f"{case}/g0/i0", "111-", start=T)
        end(run, case, place, CaseResult(case, 0, status, f"{case}/g0/i0", f"{case}/g0/i0"))  # type: ignore[arg-type]
    run.node("d/g0/i0", state="error")
    end(run, "d", 3, CaseResult("d", 0, "failed", "d/g0/i0", None, "the baseline is missing"))
    end(run, "e", 4, None, "parked")
    run.insert("unit", {"id": "domain", "kind": "domain", "ord": 0, "state": "done",
                        "result": json.dumps(DOMAIN)})  # fmt: skip
    for place, case in enumerate("abcde"):
        run.insert("item", {"id": case, "split": "shard 0", "ord": place,
                            "content_hash": run.blob(f"content of {case}")})  # fmt: skip
    return run
