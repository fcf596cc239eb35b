"""What harden's tabs make of scores: their order, and how sure a mean is."""

from evoscope.tui.searches.harden import CaseLine, margin, sort_cases


def line(case: str, *best: float | None) -> CaseLine:
    return CaseLine(case, case, "done", "", "hardened", best, 1, 0)


def test_lowest_score_puts_zero_first_and_what_has_none_last() -> None:
    rows = [line("none"), line("open", None), line("half", 1.0, 0.5), line("zero", 1.0, 0.0)]
    assert [row.case for row in sort_cases(rows, 2)] == ["zero", "half", "none", "open"]


def test_one_case_or_cases_all_alike_have_no_interval() -> None:
    assert margin([0.4]) is None
    assert margin([0.4, 0.4]) is None
    assert margin([0.0, 1.0]) is not None
