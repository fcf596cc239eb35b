"""Normalised integer exact match (CHASE, appendix D.1)."""

import re
from fractions import Fraction

from ..base import Grade

_INTEGER = re.compile(r"([+-]?)((?:[1-9]\d{0,2}(?:,\d{3})+)|0|[1-9]\d*)", re.ASCII)
_MINUS = str.maketrans({"\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2013": "-"})


def read_integer(response: str) -> int | None:
    """The integer that the whole response is, None where it is anything else.

    White space around it, a sign, a typographic minus and valid thousands commas are normalised
    away. Explanations, several numbers, decimals and leading zeros are no integer.
    """
    match = _INTEGER.fullmatch(response.strip().translate(_MINUS))
    if match is None:
        return None
    value = int(match[2].replace(",", ""))
    return -value if match[1] == "-" else value


def grade(answer: int, response: str) -> Grade:
    """1 where the response is the answer, else 0."""
    value = read_integer(response)
    if value is None:
        return Grade(Fraction(0), None, None, problem="the answer is not one plain integer")
    return Grade(Fraction(int(value == answer)), str(value), str(value))
