"""The axis ranking against independently worked values (checks.md, Axes)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.model.harden import Axis, AxisCounts, Priority
from evoscope.engine.searches.harden.ranking import axis_bonus, axis_terms, rank_axes

BONUSES = {"table-label compression": Fraction(5), "table lookup": Fraction(4)}


def axis(name: str, priority: Priority = "normal") -> Axis:
    return Axis(
        name, "d", "g", "f", ("text",), ("a", "b", "c"), ("1", "2", "3", "4", "5"), priority
    )


WORKED = [
    # name, priority, (A, Gp, I), in lineage, score
    ("table_label_compression", "high", (4, 3, 1), True, "8.75"),
    ("terminology", "high", (0, 0, 0), False, "4.5"),
    ("table_lookup_ambiguity", "high", (4, 4, 0), False, "4"),
    ("cross_reference", "normal", (2, 2, 2), True, "4"),
    ("formats", "normal", (0, 0, 0), False, "1.5"),
    ("artifacts", "normal", (4, 2, 1), False, "1.5"),
    ("temporal", "normal", (1, 0, 0), False, "0"),
    ("domain_specific_realism", "high", (2, 1, 0), False, "-0.5"),
    ("structure", "low", (10, 3, 0), False, "-3.7"),
    ("narrative", "normal", (3, 0, 0), False, "-6"),
]


def ranked_scores() -> list[tuple[str, Fraction]]:
    catalogue = [axis(name, priority) for name, priority, *_ in WORKED]  # type: ignore[arg-type]
    counts = {name: AxisCounts(*numbers) for name, _, numbers, _, _ in WORKED}
    lineage = {name for name, _, _, inside, _ in WORKED if inside}
    return [
        (entry.axis.axis_name, entry.terms.score)
        for entry in rank_axes(catalogue, counts, lineage, BONUSES)
    ]


def test_worked_scores_come_out_exactly_and_in_order() -> None:
    assert ranked_scores() == [(name, Fraction(score)) for name, *_, score in WORKED]


def test_every_term_is_kept_apart() -> None:
    terms = axis_terms(AxisCounts(4, 1, 0), high=True, in_lineage=True, bonus=Fraction(5))
    assert (
        terms.base, terms.priority, terms.no_improvement, terms.low_pass_rate, terms.lineage,
        terms.bonus,
    ) == (Fraction(1, 4), 3, -4, -2, -1, 5)  # fmt: skip


def test_equal_thirds_tie_and_keep_the_catalogue_order() -> None:
    """In floats 4/3 + 1/3 + 2 and 8/3 + 1 differ in the last bit."""
    counts = {"P": AxisCounts(3, 1, 1), "Q": AxisCounts(3, 3, 2)}
    for order in ("PQ", "QP"):
        catalogue = [axis(name, "high" if name == "P" else "normal") for name in order]
        ranked = rank_axes(catalogue, counts, {"P"}, {})
        assert [entry.axis.axis_name for entry in ranked] == list(order)
        assert {entry.terms.score for entry in ranked} == {Fraction(11, 3)}


@pytest.mark.parametrize(
    ("name", "bonus"),
    [
        ("Table-label compression", 5),
        ("dense_table_label_compression", 5),
        ("table_lookup_ambiguity", 4),
        ("TABLE LOOKUP", 4),
        ("stable_lookups", 0),
        ("table_label", 0),
    ],
)
def test_a_bonus_goes_to_whole_words_of_the_normalised_name(name: str, bonus: int) -> None:
    assert axis_bonus(name, BONUSES) == bonus


def test_one_bonus_per_axis_the_longest_pattern_whatever_the_order_of_the_file() -> None:
    patterns = {"table": Fraction(1), "table lookup": Fraction(4), "table_l*": Fraction(9)}
    for items in (list(patterns.items()), list(patterns.items())[::-1]):
        assert axis_bonus("table_lookup", dict(items)) == 4


def test_a_tried_rate_of_three_tenths_is_not_low_and_one_application_never_is() -> None:
    assert axis_terms(AxisCounts(10, 3, 1), high=False, in_lineage=False).low_pass_rate == 0
    assert axis_terms(AxisCounts(10, 2, 1), high=False, in_lineage=False).low_pass_rate == -2
    assert axis_terms(AxisCounts(1, 0, 0), high=False, in_lineage=False).low_pass_rate == 0


@st.composite
def some_counts(draw: st.DrawFn) -> AxisCounts:
    applied = draw(st.integers(0, 60))
    passed = draw(st.integers(0, applied))
    return AxisCounts(applied, passed, draw(st.integers(0, passed)))


@given(some_counts(), st.booleans(), st.booleans())
def test_the_score_is_the_sum_of_its_terms_and_bounded(
    counts: AxisCounts, high: bool, inside: bool
) -> None:
    score = axis_terms(counts, high=high, in_lineage=inside).score
    assert -7 <= score <= 8
    if counts.applied and not counts.improved:
        assert score <= 4
