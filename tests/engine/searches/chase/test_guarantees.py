"""The bounds, K over compositions, and the ranking of proposals, held to worked values."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from evoscope.engine.searches.chase.guarantees import (
    confirmation_width,
    eta_from_theory,
    margin,
    most_confirmations,
    search_width,
    shortest_composition,
    stopping_bound,
    theorem_1,
)
from evoscope.engine.searches.chase.ranking import (
    Proposal,
    most_destructive,
    novelty,
    ranked,
    to_try,
)

State = tuple[bool, ...]
RELEASED: State = (True,) * 5
NEUTRAL: State = (False,) * 5


def neutralise(*features: int) -> Callable[[State], State]:
    return lambda state: tuple(on and k + 1 not in features for k, on in enumerate(state))


def identity(state: State) -> State:
    return state


def second_while_first(state: State) -> State:
    return neutralise(2)(state) if state[0] else state


P = {f"P{k}": neutralise(k) for k in range(1, 6)}
REL = {"rel": identity}


@pytest.mark.parametrize(
    ("archive", "k"),
    [
        (REL | P, 5),
        (REL | {"P12": neutralise(1, 2), "P345": neutralise(3, 4, 5)}, 2),
        (
            REL
            | {"P123": neutralise(1, 2, 3), "P345": neutralise(3, 4, 5), "P45": neutralise(4, 5)},
            2,
        ),
        (REL | {"P1": P["P1"], "P2": P["P2"]}, None),
        (REL | {"B0": neutralise(1, 2, 3, 4, 5)}, 1),
        (REL | {"P1": P["P1"], "h": second_while_first, "P345": neutralise(3, 4, 5)}, 3),
    ],
)
def test_k_is_the_shortest_composition_that_gives_the_neutral_benchmark(
    archive: dict[str, Callable[[State], State]], k: int | None
) -> None:
    found = shortest_composition(RELEASED, NEUTRAL, archive)
    assert (found.k, found.complete) == (k, True)


def test_the_order_of_application_counts() -> None:
    archive = REL | {"P1": P["P1"], "h": second_while_first, "P345": neutralise(3, 4, 5)}
    steps = shortest_composition(RELEASED, NEUTRAL, archive).steps
    assert steps is not None
    assert steps.index("h") < steps.index("P1")


def test_a_search_without_an_end_says_that_it_was_cut_off() -> None:
    found = shortest_composition(0, -1, {"more": lambda n: n + 1}, most=50)
    assert (found.steps, found.complete) == (None, False)


@pytest.mark.parametrize(
    ("m", "n", "k", "gamma", "least", "rho", "expected"),
    [
        (2, 76, 1, 0.0, 2 / 228, 0.0, (0.730910, 0.365455, 0.730910, -0.356683)),
        (4, 208, 2, 0.02, 0.05, 0.01, (0.471019, 0.235509, 0.992037, -0.686528)),
        (6, 5000, 5, 0.01, 0.2, 0.005, (None, None, 0.566942, -0.307248)),
    ],
)
def test_the_bounds_have_their_worked_values(
    m: int, n: int, k: int, gamma: float, least: float, rho: float,
    expected: tuple[float | None, ...],
) -> None:  # fmt: skip
    found = theorem_1(k=k, m=m, n=n, alpha=0.05, gamma=gamma, least=least, rho=rho)
    values = (found.s_delta, found.s_gain, found.destroyed, found.gain)
    for value, worked in zip(values, expected, strict=True):
        assert worked is None or value == pytest.approx(worked, abs=1e-6)
    assert not found.vacuous_destroyed and not found.vacuous_gain


def test_hopeless_bounds_are_vacuous() -> None:
    found = theorem_1(k=5, m=6, n=30, alpha=0.05, gamma=0.1, least=0.0, rho=0.1)
    assert found.vacuous_destroyed and found.vacuous_gain


def test_confirmation_widths_and_eta_from_theory_have_their_worked_values() -> None:
    assert confirmation_width(3, 24, 0.05) == pytest.approx(1.434548, abs=1e-6)
    assert confirmation_width(3, 16, 0.05) == pytest.approx(1.756956, abs=1e-6)
    eta = eta_from_theory(
        epsilon=Fraction("0.05"), gamma=Fraction("0.1"), rounds=3, n=24, alpha=0.05
    )
    assert eta == Fraction("1.584548")


def test_the_stopping_bound_adds_twice_the_search_width() -> None:
    r = search_width({"evo": 49, "disc": 36}, complexity=0.02, alpha=0.05)
    assert r == pytest.approx(0.04 + (8 * 5.0751738 / 36) ** 0.5, abs=1e-6)
    assert stopping_bound(0.075, 1.4, r) == pytest.approx(1.475 + 2 * r)


def test_the_number_of_confirmations_is_bounded_only_where_gamma_exceeds_r() -> None:
    assert most_confirmations(c=1.0, d=2.0, gamma=0.6, r=0.1) == pytest.approx(4.0)
    assert most_confirmations(c=1.0, d=2.0, gamma=0.1, r=0.1) is None


def test_a_threshold_below_the_theory_s_leaves_no_margin_to_count_confirmations_by() -> None:
    x = confirmation_width(3, 24, 0.05)
    theory = float(
        eta_from_theory(epsilon=Fraction("0.05"), gamma=Fraction("0.6"), rounds=3, n=24, alpha=0.05)
    )
    assert margin(epsilon=0.05, eta=theory, x=x) == pytest.approx(0.6, abs=1e-6)
    assert most_confirmations(c=1, d=2, gamma=margin(epsilon=0.05, eta=theory, x=x), r=0.1)
    fixed = margin(epsilon=0.05, eta=0.075, x=x)
    assert most_confirmations(c=1, d=2, gamma=fixed, r=0.1) is None


def proposal(name: str, order: int, family: str, *keys: int) -> Proposal:
    shares = (*keys, *(0 for _ in range(4 - len(keys))))
    return Proposal(name, order, frozenset(family), *(Fraction(k, 10) for k in shares))


def test_proposals_rank_by_each_key_in_turn_and_by_order_last() -> None:
    pool = [
        proposal("e", 4, "o", 5, 5, 5, 5), proposal("a", 3, "o", 9),
        proposal("c", 2, "o", 5, 6, 4), proposal("b", 1, "o", 5, 6, 5),
        proposal("d", 0, "o", 5, 6, 3, 9), proposal("f", 5, "o", 5, 5, 5, 5),
    ]  # fmt: skip
    assert "".join(one.id for one in ranked(pool)) == "abcdef"


def test_the_second_tried_is_the_best_of_another_family() -> None:
    pool = [proposal("a", 0, "x", 9), proposal("b", 1, "x", 8), proposal("c", 2, "xy", 1)]
    assert [one.id for one in to_try(pool)] == ["a", "c"]
    assert [one.id for one in to_try(pool[:2])] == ["a"]
    assert to_try([]) == []


def test_equal_destruction_goes_to_the_better_rank() -> None:
    a, b = proposal("a", 0, "x", 9), proposal("b", 1, "y", 8)
    assert most_destructive([(a, Fraction(1, 7)), (b, Fraction(2, 14))]) is a
    assert most_destructive([(a, Fraction(1, 7)), (b, Fraction(3, 14))]) is b


def test_novelty_is_one_less_the_closest_archived_one() -> None:
    assert novelty({"rename"}, []) == 1
    assert novelty({"rename", "order"}, [{"rename"}, {"depth"}]) == Fraction(1, 2)
