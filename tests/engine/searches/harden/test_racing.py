"""Racing against worked values, the smallest breaks of wrong rules, and a lossless proof."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import ConfigError
from evoscope.engine.model.harden import Score
from evoscope.engine.searches.harden.racing import (
    Bounds,
    Progress,
    bounds,
    improvement_known,
    stopped,
    wave_ends,
)
from evoscope.engine.searches.harden.selection import Contender, select

ONE = Fraction(1)


class Outcome:
    """What a race over an outcome matrix gives."""

    def __init__(
        self,
        matrix: dict[str, str],
        members: list[Fraction],
        survivors: int,
        parent: Fraction,
        ends: tuple[int, ...],
    ) -> None:
        total = len(next(iter(matrix.values())))
        done = dict.fromkeys(matrix, 0)
        self.out: frozenset[str] = frozenset()
        self.after_wave: list[frozenset[str]] = []
        for end in ends:
            for node in matrix:
                if node not in self.out:
                    done[node] = end
            racers = [
                Progress(node, Fraction(row[: done[node]].count("1")), done[node])
                for node, row in matrix.items()
            ]
            self.out = stopped(
                racers, members, survivors=survivors, parent_score=parent, rollouts=total,
                max_grade=ONE,
            )  # fmt: skip
            self.after_wave.append(self.out)
        self.saved = sum(total - done[node] for node in self.out)
        full = {node: Fraction(row.count("1"), total) for node, row in matrix.items()}
        population = [contender(f"m{k}", 0, k, m, total) for k, m in enumerate(members)]
        children = {n: contender(n, 1, k, full[n], total) for k, n in enumerate(matrix)}
        kept = [child for node, child in children.items() if node not in self.out]
        self.raced = select(population, kept, survivors=survivors, base=total)
        self.full = select(population, children.values(), survivors=survivors, base=total)
        spans = {r.node: bounds(r, total, ONE) for r in racers}
        self.improved = {n for n, span in spans.items() if span.low > 0 and span.high < parent}
        self.truly_improved = {node for node, score in full.items() if 0 < score < parent}


def contender(node: str, generation: int, index: int, score: Fraction, total: int) -> Contender:
    right = int(score * total)
    counts = tuple(sorted((n for n in (right, total - right) if n), reverse=True))
    return Contender(node, generation, index, Score(score, counts))


MATRIX = {
    "a": "1111111000", "b": "1100000001", "c": "1110110010",
    "d": "1000000100", "e": "0000000000", "f": "0110101111",
}  # fmt: skip
MEMBERS = [Fraction(k, 10) for k in (2, 3, 3, 4, 5)]
WAVES = (4, 7, 10)


def test_the_worked_race_stops_whom_it_may() -> None:
    race = Outcome(MATRIX, MEMBERS, 5, Fraction(2, 10), WAVES)
    assert race.after_wave[:2] == [frozenset(), frozenset({"a", "c"})]
    assert race.saved == 6
    assert [c.node for c in race.raced] == ["d", "m0", "b", "m1", "m2"]
    assert race.raced == race.full


def test_a_sibling_that_may_still_collapse_holds_no_place() -> None:
    race = Outcome({**MATRIX, "d": "0000000000"}, MEMBERS, 5, Fraction(2, 10), WAVES)
    assert "c" not in race.out
    assert race.saved == 3
    assert race.raced == race.full


def test_the_first_generation_stops_nobody_after_the_first_wave() -> None:
    rng = random.Random(1)
    for _ in range(200):
        matrix = {f"n{k}": "".join(rng.choice("01") for _ in range(10)) for k in range(11)}
        race = Outcome(matrix, [Fraction(9, 10)], 5, Fraction(9, 10), WAVES)
        assert race.after_wave[0] == frozenset()


@pytest.mark.parametrize(
    ("total", "ends", "parent", "rows", "must_run"),
    [
        (3, (1, 2, 3), Fraction(2, 3), ["110"], "n0"),
        (3, (1, 2, 3), Fraction(2, 3), ["000", "110"], "n1"),
        (4, (2, 3, 4), Fraction(1), ["0010", "1110"], "n1"),
    ],
    ids=["a tie is no certain loss", "siblings may collapse", "improvement must be known"],
)
def test_the_smallest_breaks_of_wrong_rules_do_not_happen(
    total: int, ends: tuple[int, ...], parent: Fraction, rows: list[str], must_run: str
) -> None:
    matrix = {f"n{k}": row for k, row in enumerate(rows)}
    assert all(len(row) == total for row in rows)
    race = Outcome(matrix, [parent], 1, parent, ends)
    assert race.raced == race.full
    assert race.improved == race.truly_improved
    assert must_run not in race.out


def random_race(rng: random.Random) -> Outcome:
    total = rng.randint(1, 10)
    children = rng.randint(1, 11)
    hardness = [rng.random() for _ in range(children)]
    matrix = {
        f"n{k}": "".join("1" if rng.random() < p else "0" for _ in range(total))
        for k, p in enumerate(hardness)
    }
    survivors = rng.randint(1, 5)
    members = sorted(
        Fraction(rng.randint(0, total), total) for _ in range(rng.randint(1, survivors))
    )
    ends = wave_ends(total, None, racing=True)
    if rng.random() < 0.5:
        ends = tuple(range(1, total + 1))
    return Outcome(matrix, members, survivors, members[0], ends)


def test_racing_changes_neither_survivors_nor_improvements_on_thousands_of_races() -> None:
    rng = random.Random(7)
    saved = 0
    for _ in range(3000):
        race = random_race(rng)
        assert race.raced == race.full
        assert race.improved == race.truly_improved
        saved += race.saved
    assert saved > 3000


def test_whoever_is_stopped_stays_stopped() -> None:
    rng = random.Random(11)
    for _ in range(700):
        race = random_race(rng)
        for earlier, later in zip(race.after_wave, race.after_wave[1:], strict=False):
            assert earlier <= later


@pytest.mark.parametrize(
    ("low", "high", "known"),
    [("0.2", "0.4", True), ("0.2", "0.5", False), ("0.5", "0.8", True), ("0.4", "0.6", False)],
)
def test_improvement_on_one_half_is_known_only_below_or_from_it_on(
    low: str, high: str, known: bool
) -> None:
    assert improvement_known(Bounds(Fraction(low), Fraction(high)), Fraction(1, 2)) == known


def test_graded_scores_add_the_largest_grade_per_missing_rollout() -> None:
    span = bounds(Progress("n", Fraction(3, 2), 3), 5, Fraction(2))
    assert (span.low, span.high) == (Fraction(3, 10), Fraction(11, 10))


@given(st.integers(1, 40), st.data())
def test_bounds_hold_the_final_score(total: int, data: st.DataObject) -> None:
    row = data.draw(st.lists(st.integers(0, 1), min_size=total, max_size=total))
    done = data.draw(st.integers(0, total))
    span = bounds(Progress("n", Fraction(sum(row[:done])), done), total, ONE)
    assert span.low <= Fraction(sum(row), total) <= span.high
    assert span.high - span.low == Fraction(total - done, total)


@pytest.mark.parametrize(
    ("rollouts", "waves", "racing", "ends"),
    [
        (10, None, True, (4, 7, 10)),
        (10, None, False, (10,)),
        (10, (5, 5), True, (5, 10)),
        (1, None, True, (1,)),
        (2, None, True, (1, 2)),
        (3, None, True, (2, 3)),
        (5, None, True, (2, 4, 5)),
    ],
)
def test_waves_add_up(
    rollouts: int, waves: tuple[int, ...] | None, racing: bool, ends: tuple[int, ...]
) -> None:
    assert wave_ends(rollouts, waves, racing=racing) == ends


@pytest.mark.parametrize("waves", [(4, 3), (11,), (10, 0), ()])
def test_waves_that_do_not_add_up_are_refused(waves: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match=r"harden\.waves"):
        wave_ends(10, waves, racing=True)
