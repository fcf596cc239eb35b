"""Selection against worked values, and its invariances (checks.md, Selection)."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.model.harden import Score
from evoscope.engine.searches.harden.selection import (
    Contender,
    promotable,
    select,
    unimprovable,
    vetoed_closure,
)


def contender(name: str, generation: int, index: int, score: str, *counts: int) -> Contender:
    return Contender(name, generation, index, Score(Fraction(score), counts))


OLD = [
    contender("x", 0, 0, ".9", 9, 1),
    contender("A", 1, 3, ".5", 5, 5),
    contender("B", 2, 7, ".5", 5, 5),
    contender("C", 1, 8, ".6", 6, 3, 1),
    contender("D", 2, 1, ".5", 5, 4, 1),
]
NEW = [
    contender("i2", 3, 2, "0", 10),
    contender("i4", 3, 4, ".6", 6, 2, 2),
    contender("i6", 3, 6, ".4", 4, 3, 2, 1),
    contender("i9", 3, 9, ".4", 4, 3, 3),
    contender("i10", 3, 10, ".4", 4, 2, 2, 2),
]


def test_the_worked_selection_comes_out_in_order() -> None:
    chosen = select(OLD, NEW, survivors=5, base=3)
    assert [c.node for c in chosen] == ["i6", "i10", "i9", "D", "B"]


def test_capped_entropies_tie_and_a_child_comes_before_an_old_survivor() -> None:
    """(4,3,2,1) and (4,2,2,2) both exceed ln 3: without the cap i10 would win."""
    old = contender("old", 1, 0, ".4", 4, 2, 2, 2)
    chosen = select([old], [NEW[2]], survivors=2, base=3)
    assert [c.node for c in chosen] == ["i6", "old"]
    assert [c.node for c in select([old], [NEW[2]], survivors=2, base=10)] == ["old", "i6"]


def test_classes_of_equal_entropy_tie_exactly() -> None:
    """(4,2,1,1,1,1) and (2,2,2,2,2) differ in floats only."""
    late = contender("late", 1, 5, ".5", 2, 2, 2, 2, 2)
    early = contender("early", 1, 2, ".5", 4, 2, 1, 1, 1, 1)
    assert [c.node for c in select([], [late, early], survivors=2, base=10)] == ["early", "late"]


def test_the_original_stays_even_at_zero_and_collapsed_children_never_do() -> None:
    zero, collapsed = contender("x", 0, 0, "0", 10), contender("c", 1, 0, "0", 10)
    assert [c.node for c in select([zero], [collapsed], survivors=5, base=3)] == ["x"]


@st.composite
def contenders(draw: st.DrawFn) -> list[Contender]:
    sizes = draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10)), unique=True, max_size=12)
    )
    found = []
    for generation, index in sizes:
        right = draw(st.integers(0, 6))
        split = draw(st.integers(0, 6 - right))
        counts = tuple(n for n in (right, split, 6 - right - split) if n)
        score = Score(Fraction(right, 6), counts)
        found.append(Contender(f"g{generation}/i{index}", generation, index, score))
    return found


@given(contenders(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_selection_does_not_depend_on_the_order_of_what_it_is_given(
    everyone: list[Contender], survivors: int, random: object
) -> None:
    shuffled = list(everyone)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    old, new = everyone[::2], everyone[1::2]
    first = select(old, new, survivors=survivors, base=3)
    second = select(
        [c for c in shuffled if c in old], [c for c in shuffled if c in new],
        survivors=survivors, base=3,
    )  # fmt: skip
    assert first == second
    assert len(first) <= survivors
    assert all(c.score.value > 0 for c in first if c in new)
    assert [c.score.value for c in first] == sorted(c.score.value for c in first)


def test_promotion_wants_a_strictly_lower_score_and_no_veto() -> None:
    chosen = select(OLD, NEW, survivors=5, base=3)
    assert [c.node for c in promotable(chosen, Fraction("0.5"), frozenset({"i6"}))] == ["i10", "i9"]
    assert promotable(chosen, Fraction("0.4"), frozenset()) == []


def test_futility_skips_exactly_the_cases_that_cannot_improve() -> None:
    skipped = [k for k in range(11) if unimprovable(Fraction(k, 10), 10, binary=True)]
    assert skipped == [0, 1]
    assert not unimprovable(Fraction(0), 10, binary=False)


def test_a_veto_takes_descendants_with_it_but_never_the_original() -> None:
    parents = {"x": None, "a": "x", "b": "a", "c": "x", "d": "b"}
    assert vetoed_closure(frozenset({"a"}), parents) == {"a", "b", "d"}
    assert vetoed_closure(frozenset({"x"}), parents) == frozenset()
