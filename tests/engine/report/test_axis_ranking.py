"""The axis ranking and the kept cases, read from a run's file."""

from fractions import Fraction
from pathlib import Path

from evoscope.engine.model.harden import AxisCounts
from evoscope.engine.report.axis_ranking import axis_counts, axis_ranking
from evoscope.engine.store.archive import kept_cases
from evoscope.engine.store.reader import Reader
from tests.store_builder import new_run, small_run


def test_axes_are_ranked_by_the_run_s_counts_and_bonuses(tmp_path: Path) -> None:
    run = small_run(tmp_path, config='{"harden":{"bonus":{"lookup":"1/2"}}}')
    with Reader(run.path) as reader:
        assert axis_counts(reader) == {"lookup": AxisCounts(3, 2, 2)}
        ranked = axis_ranking(reader)
    assert [entry.axis.axis_name for entry in ranked] == ["lookup", "domain_specific_realism"]
    assert ranked[0].terms.score == Fraction(4 * 2 + 2, 3) + 3 + Fraction(1, 2)
    assert not ranked[0].in_lineage


def test_a_case_s_axes_know_its_lineage(tmp_path: Path) -> None:
    with Reader(small_run(tmp_path).path) as reader:
        mine = {entry.axis.axis_name: entry for entry in axis_ranking(reader, "a")}
        other = {entry.axis.axis_name: entry for entry in axis_ranking(reader, "b")}
    assert mine["lookup"].in_lineage
    assert mine["lookup"].terms.lineage == -1
    assert not mine["domain_specific_realism"].in_lineage
    assert other["lookup"].counts == AxisCounts()


def test_before_the_domain_analysis_there_is_no_ranking(tmp_path: Path) -> None:
    with Reader(new_run(tmp_path).path) as reader:
        assert axis_ranking(reader) == ()


def test_kept_cases_list_survivors_hardest_first(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    with Reader(run.path) as reader:
        first, second = kept_cases(reader)
        assert [node.id for node in first.survivors] == ["a/g2/i0", "a/g1/i0", "a/g0/i0"]
        assert (first.promoted, second.promoted) == ("a/g2/i0", None)
        assert [kept.case for kept in kept_cases(reader, "b")] == ["b"]


def test_a_vetoed_promotion_is_none(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.sql("UPDATE node SET vetoed = 1 WHERE id = 'a/g2/i0'")
    with Reader(run.path) as reader:
        assert kept_cases(reader, "a")[0].promoted is None
