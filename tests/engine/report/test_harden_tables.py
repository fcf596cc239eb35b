"""The tables of a harden run against figures worked out by hand."""

from dataclasses import replace
from fractions import Fraction
from math import log
from typing import Any

import pytest

from evoscope.engine.report.harden import HardenRun, Sample
from evoscope.engine.report.harden_calls import savings_table, spend_table
from evoscope.engine.report.harden_gates import axis_table, careless_table, gate_table
from evoscope.engine.report.harden_reference import headline_table, reference_table
from evoscope.engine.report.harden_report import harden_report
from evoscope.engine.report.harden_scores import (
    FRESH,
    SELECTION,
    accuracy_table,
    case_table,
    hardened_table,
    promoted_table,
    stays_hardened,
    uncertainty_table,
)
from evoscope.engine.report.tables import Table, shown
from tests.engine.report.run_kit import (
    CANDIDATES,
    CASES,
    HARD,
    empty_run,
    scoring,
    small_run,
)


def by_name(table: Table) -> dict[str, dict[str, Any]]:
    """Rows by their first cell, each as column name to cell."""
    names = [column.name for column in table.columns]
    return {str(row[0]): dict(zip(names, row, strict=True)) for row in table.rows}


def test_accuracy_stands_by_fresh_and_by_selection_responses() -> None:
    rows = by_name(accuracy_table(small_run()))
    fresh, chosen = rows[FRESH], rows[SELECTION]
    assert next(iter(rows)) == FRESH
    assert fresh["cases"] == chosen["cases"] == 4
    assert fresh["before, %"] == pytest.approx((90 + 80 + 100 + 0) / 4)
    assert fresh["after, %"] == pytest.approx((60 + 90 + 100 + 0) / 4)
    assert fresh["drop against the originals, points"] == pytest.approx(5)
    assert chosen["before, %"] == pytest.approx((100 + 80 + 90 + 10) / 4)
    assert chosen["drop against the originals, points"] == pytest.approx(17.5)
    assert fresh["after, 95% low"] <= fresh["after, %"] <= fresh["after, 95% high"]


def test_a_case_without_whole_fresh_responses_is_in_no_fresh_mean() -> None:
    bare = replace(CASES[0], after=replace(HARD, fresh=None))
    run = replace(small_run(), cases=(bare, *CASES[1:]))
    rows = by_name(accuracy_table(run))
    assert (rows[FRESH]["cases"], rows[SELECTION]["cases"]) == (3, 4)
    assert any("no whole set of fresh" in line for line in harden_report(run, {}).banner)


def test_only_cases_lower_on_fresh_responses_stay_hardened() -> None:
    run = small_run()
    assert [case.id for case in stays_hardened(run.hardened)] == ["a"]
    assert len(stays_hardened(run.hardened, fresh=False)) == 2
    row = by_name(hardened_table(run))[FRESH]
    assert (row["hardened"], row["of cases"], row["scored"]) == (2, 4, 2)
    assert row["lower score than before"] == 1
    assert row["share of scored, %"] == 50
    assert (row["accuracy before, %"], row["accuracy after, %"]) == (85, 75)


def test_an_equal_fresh_score_does_not_stay_hardened() -> None:
    level = replace(CASES[0], after=replace(HARD, fresh=scoring(9, [None])))
    assert stays_hardened([level]) == []


def test_entropy_of_hardened_cases_rises_by_the_worked_values() -> None:
    row = by_name(hardened_table(small_run()))[SELECTION]
    assert row["entropy before"] == pytest.approx((0 + 0.455486) / 2, abs=1e-6)
    assert row["entropy after"] == pytest.approx((0.612602 + 0.556034) / 2, abs=1e-6)


def test_uncertainty_leaves_out_what_has_no_log_probs() -> None:
    table = uncertainty_table(small_run())
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    assert list(rows["sequence NLL", "greedy completion"]) == pytest.approx([3, 8, 32 / 3, 8 / 3])
    assert rows["mean-token NLL", "greedy completion"][1] == pytest.approx(1.0)
    frequency, weighted = (
        rows[name, FRESH] for name in ("semantic entropy", "likelihood-weighted entropy")
    )
    assert frequency == pytest.approx(weighted)
    assert frequency[0] == 4


def test_missing_log_probs_are_shown_as_missing() -> None:
    silent = replace(
        CASES[1], before=replace(HARD, selection=scoring(8, ["no"], None), greedy=None)
    )
    rows = {
        (row[0], row[1]): row
        for row in uncertainty_table(replace(small_run(), cases=(silent,))).rows
    }
    assert rows["likelihood-weighted entropy", SELECTION][2:] == (0, None, None, None)
    assert rows["sequence NLL", "greedy completion"][2:] == (0, None, None, None)


def test_an_unparsed_sample_is_a_class_of_its_own() -> None:
    yes, none = Sample(Fraction(1), "yes"), Sample(Fraction(0), None)
    found = replace(HARD.selection or scoring(1, []), samples=(yes, none)).entropy(3)
    assert found == pytest.approx(log(2) / log(3))


def test_cases_outside_the_means_are_counted_beside() -> None:
    table = case_table(small_run())
    assert {row[0]: row[1] for row in table.rows} == {
        "hardened": 2, "kept": 1, "unimprovable": 1, "failed": 1, "parked": 1, "open": 1, "all": 7,
    }  # fmt: skip
    assert table.notes == ("e: the original has no score: refusal", "f: deadline of 900 s")
    assert "3 of 7 cases are in no mean" in harden_report(small_run(), {}).banner[0]


def test_gates_count_what_they_met_and_what_they_discarded() -> None:
    rows = by_name(gate_table(small_run()))
    assert list(rows) == ["validity", "evidence", "correctness", "realism", "rollouts (collapsed)"]
    correctness = rows["correctness"]
    assert correctness["candidates met"] == 7
    assert (correctness["passed"], correctness["discarded"]) == (5, 2)
    assert correctness["votes cast"] == 5 * 2 + 1 + 2 + 3
    assert correctness["votes without a verdict"] == 2
    assert rows["validity"]["votes cast"] is None
    assert correctness["discarded of those met, %"] == pytest.approx(200 / 7)
    assert correctness["discarded of all candidates, %"] == 25
    assert rows["validity"]["discarded"] == 1
    assert rows["realism"]["discarded"] == 0
    collapsed = rows["rollouts (collapsed)"]
    assert (collapsed["candidates met"], collapsed["discarded"]) == (5, 1)


def test_a_failed_final_audit_is_a_gate_of_its_own() -> None:
    audited = replace(CANDIDATES[0], gates={**CANDIDATES[0].gates, "final_audit": "fail"})
    run = replace(small_run(), candidates=(audited, *CANDIDATES[1:]))
    row = by_name(gate_table(run))["final_audit"]
    assert (row["candidates met"], row["passed"], row["discarded"]) == (1, 0, 1)
    assert audited.passed


def test_careless_mutations_give_catch_and_false_rejection_rates() -> None:
    table = careless_table(small_run())
    assert table is not None
    row = by_name(table)["any gate"]
    assert (row["careless"], row["caught"], row["caught, %"]) == (2, 1, 50)
    assert (row["clean"], row["falsely rejected"], row["falsely rejected, %"]) == (5, 1, 20)
    assert by_name(table)["correctness"]["caught"] == 1


def test_a_run_without_tags_has_no_careless_table() -> None:
    untagged = tuple(replace(candidate, careless=None) for candidate in CANDIDATES)
    run = replace(small_run(), candidates=untagged)
    assert careless_table(run) is None
    assert "careless" not in harden_report(run, {}).tables


def test_axes_are_ordered_by_what_they_improved() -> None:
    rows = by_name(axis_table(small_run()))
    assert list(rows) == ["units", "noise"]
    units, noise = rows["units"], rows["noise"]
    assert (units["applied"], units["passed"], units["improved"]) == (3, 3, 2)
    assert units["in promoted cases"] == 2
    assert (noise["applied"], noise["passed"], noise["improved"]) == (4, 2, 1)
    assert noise["improved, %"] == 25


def test_spend_is_summed_over_what_is_known_and_per_hardened_case() -> None:
    rows = by_name(spend_table(small_run()))
    assert rows["all"]["calls"] == 120
    assert rows["all"]["of which cached"] == 1000
    assert float(rows["all"]["cost, US dollars"]) == 0.5
    assert rows["audit"]["cost, US dollars"] is None
    assert rows["all"]["calls of unknown cost"] == 20
    assert rows["per hardened case"]["calls"] == 60
    assert float(rows["per hardened case"]["cost, US dollars"]) == 0.25


def test_spend_per_hardened_case_is_undefined_without_one() -> None:
    run = replace(small_run(), cases=CASES[2:])
    assert by_name(spend_table(run))["per hardened case"]["calls"] is None


def test_savings_are_counted_against_the_papers_recipe() -> None:
    rows = {name: row["calls"] for name, row in by_name(savings_table(small_run())).items()}
    votes = (1 + 1) + 0 + (1 + 1) + (1 + 1) + (1 + 1) + 1 + 0
    assert rows["vote stopping"] == votes
    assert rows["racing"] == 3
    assert rows["greedy"] == 3
    assert rows["futility"] == 2
    assert rows["fresh scoring"] == -15
    assert rows["final audit"] == -5
    assert rows["bought by this run"] == 120
    assert rows["the paper's recipe"] == 120 + votes + 3 + 3 + 2 - 15 - 5


def test_futility_claims_only_what_is_certain() -> None:
    run = replace(small_run(), cases=CASES[3:], candidates=(), searched={})
    row = by_name(savings_table(run))["futility"]
    assert row["calls"] == 2
    assert "average" not in row["counted from"]
    assert "20 calls on average" in by_name(savings_table(small_run()))["futility"]["counted from"]


def test_promoted_cases_show_both_sets_of_scores() -> None:
    rows = by_name(promoted_table(small_run()))
    assert rows["a"]["axes"] == "noise > units"
    assert (rows["a"]["fresh before, %"], rows["a"]["fresh after, %"]) == (90, 60)
    assert (rows["a"]["stays hardened"], rows["b"]["stays hardened"]) == ("yes", "no")


@pytest.mark.parametrize(("benchmark", "rows"), [("finqa", 3), ("contractnli", 3), ("bundle", 9)])
def test_the_papers_cells_stand_beside_and_are_marked(benchmark: str, rows: int) -> None:
    table = reference_table(benchmark)
    assert len(table.rows) == rows
    assert "not a result of this run" in table.notes[0]
    assert "points" in table.notes[1]
    assert "not a result of this run" in headline_table().notes[0]


def run_of(kind: str) -> HardenRun:
    return small_run() if kind == "small" else empty_run()


@pytest.mark.parametrize("kind", ["small", "empty"])
def test_every_table_has_as_many_cells_as_columns(kind: str) -> None:
    report = harden_report(run_of(kind), {})
    for table in report.tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names)


def test_a_run_that_has_only_begun_reports_unknown_and_not_zero() -> None:
    report = harden_report(empty_run(), {})
    row = by_name(report.tables["accuracy"])[FRESH]
    assert (
        row["before, %"]
        is row["after, 95% low"]
        is row["drop against the originals, points"]
        is None
    )
    assert report.figures["best_by_generation"] == []


def test_the_best_by_generation_never_rises() -> None:
    points = harden_report(small_run(), {}).figures["best_by_generation"]
    assert points == [
        {"generation": 0, "mean_best": pytest.approx(90)},
        {"generation": 1, "mean_best": pytest.approx((70 + 70 + 90) / 3)},
        {"generation": 2, "mean_best": pytest.approx((40 + 70 + 90) / 3)},
    ]


def test_cells_are_shown_with_fixed_decimals() -> None:
    table = accuracy_table(small_run())
    assert shown(None, table.columns[2]) == "n/a"
    assert shown(1234.56, table.columns[2]) == "1,234.6"
    assert shown(12345, table.columns[1]) == "12,345"
