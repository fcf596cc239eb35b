"""A run's file read into facts: what counts, what is left out, what is only a bound."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.model.harden import CaseResult
from evoscope.engine.report.harden import HardenRun
from evoscope.engine.report.harden_read import read_harden
from evoscope.engine.report.harden_report import harden_report
from evoscope.engine.report.harden_scores import stays_hardened
from evoscope.engine.store.reader import Reader
from tests.store_builder import RunFile, new_run

T = 4
CONFIG = {
    "search": "harden",
    "benchmark": {"kind": "pubmedqa"},
    "harden": {"rollouts": T, "votes": 3, "generations": 2},
}
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
            "unit": f"case:{case}", "outcome": "error" if missing else "graded",
            "num": None if missing else int(grade), "den": None if missing else 1,
            "class": None if missing else "yes" if grade == "1" else "no",
            "logprob_sum": -2.0, "tokens": 4,
        } | columns)  # fmt: skip


def end(
    run: RunFile, case: str, place: int, result: CaseResult | None, state: str = "done"
) -> None:
    run.insert("unit", {
        "id": f"case:{case}", "kind": "case", "ord": place, "state": state,
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
    run = new_run(folder, config=config(**benchmark))
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
    return run


def read(run: RunFile) -> HardenRun:
    with Reader(run.path) as reader:
        return read_harden(reader)


def test_scores_come_from_the_rollouts_of_both_versions(tmp_path: Path) -> None:
    case = read(build(tmp_path)).cases[0]
    assert case.before and case.after and case.before.selection and case.after.selection
    assert case.before.selection.score == 1
    assert case.after.selection.score == Fraction(1, 2)
    assert case.before.fresh and case.after.fresh
    assert (case.before.fresh.score, case.after.fresh.score) == (Fraction(3, 4), Fraction(1, 4))
    assert (case.after.sequence_nll, case.after.token_nll) == (8.0, 2.0)
    assert case.axes == ("noise", "units")


def test_a_missing_fresh_response_leaves_the_case_out_of_fresh_means(tmp_path: Path) -> None:
    run = read(build(tmp_path))
    kept = run.cases[1]
    assert kept.before is kept.after and kept.before is not None
    assert kept.before.fresh is None
    assert kept.before.selection is not None
    assert len(stays_hardened(run.done)) == 1
    rows = harden_report(run, {}).tables["accuracy"].rows
    assert [row[1] for row in rows] == [1, 3]


def test_failed_and_parked_cases_are_in_no_mean(tmp_path: Path) -> None:
    run = read(build(tmp_path))
    assert [case.outcome for case in run.done] == ["hardened", "kept", "unimprovable"]
    failed, parked = run.cases[3:]
    assert (failed.outcome, failed.reason) == ("failed", "the baseline is missing")
    assert (parked.state, parked.reason) == ("parked", "deadline of 900 s")


def test_candidates_keep_their_gates_votes_and_bounds(tmp_path: Path) -> None:
    found = {c.node: c for c in read(build(tmp_path)).candidates}
    assert len(found) == 5
    assert found["a/g2/i0"].improved and found["a/g2/i0"].greedy
    raced = found["a/g2/i1"]
    assert (raced.rollouts, raced.improved, raced.greedy) == (2, True, False)
    rejected = found["a/g2/i2"]
    assert rejected.discarded_by == "correctness"
    assert (rejected.votes["correctness"], rejected.silent["correctness"]) == (2, 1)
    assert found["a/g2/i3"].discarded_by == "validity"
    assert [found[f"a/g2/i{i}"].careless for i in range(4)] == [True, False, True, None]


def test_a_run_with_real_models_has_no_careless_tags(tmp_path: Path) -> None:
    run = build(tmp_path)
    run.meta(offline="0")
    assert {candidate.careless for candidate in read(run).candidates} == {None}


@pytest.mark.parametrize(
    ("benchmark", "base"),
    [({}, 3), ({"kind": "contractnli"}, 3), ({"kind": "finqa"}, T), ({"kind": "bundle"}, 5)],
)
def test_the_class_base_is_the_benchmarks(
    tmp_path: Path, benchmark: dict[str, str], base: int
) -> None:
    run = build(tmp_path, **benchmark)
    if benchmark.get("kind") == "bundle":  # ln 2 / ln 5 of two equal classes, of five labels
        run.sql("UPDATE node SET entropy = 0.430676558 WHERE id = 'a/g2/i0'")
        run.sql("UPDATE node SET entropy = 0.0 WHERE id <> 'a/g2/i0'")
    if benchmark.get("kind") == "finqa":
        run.sql("UPDATE node SET entropy = 0.0")
    assert read(run).recipe.base == base


def test_calls_are_summed_by_role_with_unknown_costs_apart(tmp_path: Path) -> None:
    run = build(tmp_path)
    run.call("case:a|rollout|a/g0/i0|0|0|0", input_tokens=10, output_tokens=3, cost="0.25")
    run.call("case:a|rollout|a/g1/i0|0|0|0", input_tokens=20, served_model="reader-2")
    run.call("case:a|fresh|a/g1/i0|4|0|0", cost="0.50", input_tokens=5)
    run.call("case:a|mutate|a/g0/i0|1|0|0")
    run.call("case:b|rollout|b/g0/i0|0|0|0", "failed")
    run.call("domain|axes||0|0|0", role="analysis", cost="0.125")
    run.call("case:e|rollout|e/g0/i0|0|0|0", "open")
    facts = read(run)
    spend = {(s.role, s.model): s for s in facts.spend}
    first = spend["rollout", "reader"]
    assert (first.calls, first.failed, first.input, first.output) == (1, 1, 10, 3)
    assert (first.cost, first.unknown_cost) == (Decimal("0.25"), 0)
    assert spend["rollout", "reader-2"].unknown_cost == 1
    assert spend["rollout", "reader-2"].cost is None
    assert spend["analysis", "reader"].cost == Decimal("0.125")
    assert facts.purposes == {"rollout": 2, "fresh": 1, "mutate": 1, "axes": 1}
    assert facts.searched == {"case:a": 2, "case:b": 0}


def test_a_run_that_has_only_begun_can_be_reported(tmp_path: Path) -> None:
    run = new_run(tmp_path, config=config())
    report = harden_report(read(run), {})
    assert report.tables["accuracy"].rows[0][1] == 0
