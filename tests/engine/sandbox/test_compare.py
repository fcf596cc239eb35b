"""Equality as Python has it, tolerance as EvalPlus has it."""

from typing import Any

import pytest

from evoscope.engine.sandbox.inside.codec import Opaque
from evoscope.engine.sandbox.inside.compare import equal

NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("got", "expected", "absolute", "verdict"),
    [
        (1, 1, 0, True), (1, 1.0, 0, True), (True, 1, 0, True), ((1,), [1], 0, False),
        ({1, 2}, {2, 1}, 0, True), ({1: 2}, {1: 2}, 0, True), (0.1 + 0.2, 0.3, 0, False),
        (0.1 + 0.2, 0.3, 1e-6, True), ([0.1 + 0.2], [0.3], 1e-6, True), (1, 1.0000001, 1e-6, False),
        ([[0.1 + 0.2], (1,)], [(0.3,), [1]], 1e-6, True), ([0.3], [0.3, 1], 1e-6, False),
        ((0.1 + 0.2,), [0.3], 1e-6, False), (NAN, NAN, 1e-6, False), (INFINITE, INFINITE, 0, True),
        (INFINITE, 1.0, 1e-6, False), ("a", "b", 1e-6, False), ([None], [0.0], 1e-6, False),
        ([0.0], [None], 1e-6, False), (10**400, 1.0, 1e-6, False), (1.0, 10**400, 1e-6, False),
        (Opaque("int", True), 1, 1e-6, False), ([Opaque("int", True)], [1], 1e-6, False),
        (1 + 1e-9j, 1 + 0j, 1e-6, True),
    ],
)  # fmt: skip
def test_equal(got: Any, expected: Any, absolute: float, verdict: bool) -> None:
    assert equal(got, expected, absolute=absolute) is verdict


def test_the_relative_part_grows_with_the_expected_value() -> None:
    assert equal(1000001.0, 1000000.0, relative=1e-6)
    assert not equal(1000001.1, 1000000.0, relative=1e-6)


def test_values_too_deep_to_compare_differ() -> None:
    a: list[Any] = []
    b: list[Any] = []
    for _ in range(100_000):
        a, b = [a], [b]
    assert equal(a, b) is False
    while a:
        a = a.pop()
    while b:
        b = b.pop()
