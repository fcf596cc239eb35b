"""The calculator tool: exact, bounded, and nothing but arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.calculator import calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1,234 - 1,187", "47"),
        ("100*1,504/3,200", "47"),
        ("1/3", "0.333333333333333"),
        ("-(2+3)*4", "-20"),
        ("2^10", "1024"),
        ("0.1+0.2", "0.3"),
        ("(1.5**2 - 1)*100", "125"),
        ("25862 \u2212 25799", "63"),
        ("7 / 2", "3.5"),
    ],
)
def test_arithmetic_is_exact(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "", "x", "__import__('os')", "1 if 1 else 2", "1/0", "0**-1", "2**65", "9**9**9", "1e5",
        "True", "'a'*3", "(1", "1_000", "0x10", "9**64**1*9**64*9**64*9**64*9**64*9**64*9**64*9**64"
        "*9**64*9**64*9**64*9**64", "1+" * 200 + "1", "abs(1)", "[1]", "2**0.5",
    ],
)  # fmt: skip
def test_anything_else_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        calculate(expression)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(1, 999))
def test_whole_results_are_whole(a: int, b: int, c: int) -> None:
    assert calculate(f"({a:,}) + ({b}) * {c}") == str(a + b * c)
    value = Fraction(a, c)
    if value.denominator == 1:
        assert calculate(f"({a})/{c}") == str(value)
