"""A run's file read into facts: what counts, what is left out, what is only a bound."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.engine.errors import UsageError
from evoscope.engine.report.harden import HardenRun
from evoscope.engine.report.harden_read import read_harden
from evoscope.engine.report.harden_report import harden_report
from evoscope.engine.report.harden_scores import stays_hardened
from evoscope.engine.report.open_report import open_report
from evoscope.engine.store.reader import Reader
from tests.engine.report.file_kit import T, build, config
from tests.store_builder import RunFile, new_run


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
    run.call("a|rollout|a/g0/i0|0|0|0", input_tokens=10, output_tokens=3, cost="0.25")
    run.call("a|rollout|a/g1/i0|0|0|0", input_tokens=20, served_model="reader-2")
    run.call("a|fresh|a/g1/i0|4|0|0", cost="0.50", input_tokens=5)
    run.call("a|mutate|a/g0/i0|1|0|0")
    run.call("b|rollout|b/g0/i0|0|0|0", "failed")
    run.call("domain|axes||0|0|0", role="analysis", cost="0.125")
    run.call("e|rollout|e/g0/i0|0|0|0", "open")
    facts = read(run)
    spend = {(s.role, s.model): s for s in facts.spend}
    first = spend["rollout", "reader"]
    assert (first.calls, first.failed, first.input, first.output) == (1, 1, 10, 3)
    assert (first.cost, first.unknown_cost) == (Decimal("0.25"), 0)
    assert spend["rollout", "reader-2"].unknown_cost == 1
    assert spend["rollout", "reader-2"].cost is None
    assert spend["analysis", "reader"].cost == Decimal("0.125")
    assert facts.purposes == {"rollout": 2, "fresh": 1, "mutate": 1, "axes": 1}
    assert facts.searched == {"a": 2, "b": 0}


def test_a_run_that_has_only_begun_can_be_reported(tmp_path: Path) -> None:
    run = new_run(tmp_path, config=config())
    report = harden_report(read(run), {})
    assert report.tables["accuracy"].rows[0][1] == 0


def test_a_report_says_first_what_it_rests_on(tmp_path: Path) -> None:
    run = build(tmp_path)
    banner = " ".join(open_report(run.path).banner)
    assert "Offline run" in banner
    assert "uncalibrated" in banner
    assert "figures so far" not in banner
    run.meta(state="paused", reason="budget", offline="0")
    banner = " ".join(open_report(run.path).banner)
    assert "figures so far" in banner
    assert "Offline" not in banner


def test_provenance_names_versions_hashes_and_seed(tmp_path: Path) -> None:
    run = build(tmp_path)
    found = open_report(run.path).provenance
    assert {"version", "config_hash", "rubric_hash", "data_hash", "seed"} <= set(found)
    assert (found["rubric_hash"], found["seed"]) == ("f" * 64, 42)
    run.sql("UPDATE item SET ord = 9 WHERE id = 'a'")
    assert open_report(run.path).provenance["data_hash"] != found["data_hash"]


def test_calibration_of_the_rubric_is_a_table(tmp_path: Path) -> None:
    table = open_report(build(tmp_path).path).tables["calibration"]
    assert table.rows == (("filings", 4, 3, 75.0, 4.25, "no"),)


def test_another_search_has_no_report_yet(tmp_path: Path) -> None:
    run = new_run(tmp_path, search="other")
    with pytest.raises(UsageError, match="other run has no report"):
        open_report(run.path)
