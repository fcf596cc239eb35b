"""Numbers as people write them: `1,234`, `$ 1.2 million`, `(5)`, `12%`, `twenty-five`, a dash.

For tolerant readings and for locating evidence, never for an official score. Ours.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

MAX_DIGITS = 40
"""Longer runs of digits are no figures that a report prints."""

_SCALES = {
    "thousand": 10**3, "k": 10**3, "million": 10**6, "mm": 10**6, "mn": 10**6, "m": 10**6,
    "billion": 10**9, "bn": 10**9, "b": 10**9, "trillion": 10**12, "tn": 10**12,
}  # fmt: skip
_PERCENT = r"%|percent(?:age points?)?\b|per cent\b|pct\b"
_NUMBER = re.compile(
    rf"""(?P<digits>\d{{1,3}}(?:[,\u00a0\u2009\u202f]\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?:[ \t\u00a0-]?[ ]?(?:(?P<scale>thousand|million|billion|trillion|mm|mn|bn|tn|[kmb])s?\b
    |(?P<percent>{_PERCENT})|(?P<bps>bps\b|basis\ points?\b)))?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: n for n, word in enumerate(_UNITS)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
_WORD = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<ones>{'|'.join(_UNITS[1:10])}))?"
    rf"|(?P<unit>{'|'.join(_UNITS)}))\b(?:[ ](?P<scale>thousand|million|billion|trillion)\b)?",
    re.IGNORECASE | re.ASCII,
)
_DASH = re.compile(r"\s*\$?\s*[-\u2010-\u2015\u2212]+\s*%?\s*|\s*(?:nil|none)\s*", re.IGNORECASE)
_MINUS = "-\u2010\u2011\u2012\u2013\u2212"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a text: its printed value, and what it is printed in."""

    value: Fraction
    scale: int = 1
    percent: bool = False

    @property
    def readings(self) -> frozenset[Fraction]:
        """Every value that the figure may stand for, sign aside.

        A percentage is also its ratio. A scaled figure is its value in units, thousands, millions
        and so on down to the printed one; a plain one with trailing thousands also drops them.
        """
        value = abs(self.value)
        if self.percent:
            return frozenset({value, value / 100})
        if self.scale > 1:
            return frozenset({value} | {value * 1000**k for k in range(1, _power(self.scale) + 1)})
        return frozenset({value} | {value / d for d in (10**3, 10**6) if _whole(value / d)})


def figures_in(text: str) -> Iterator[Figure]:
    """All figures of a text, in digits or small number words; a lone dash is zero."""
    if _DASH.fullmatch(text[:20]) and len(text) <= 20:
        yield Figure(Fraction(0))
    for match in _NUMBER.finditer(text):
        if len(match["digits"]) <= MAX_DIGITS:
            yield _figure(match)
    for match in _WORD.finditer(text):
        word = match["tens"] or match["unit"]
        value = _WORDS[word.lower()] + _WORDS[(match["ones"] or "zero").lower()]
        yield Figure(Fraction(value), _SCALES[match["scale"].lower()] if match["scale"] else 1)


def read_figure(text: str) -> Fraction | None:
    """The one number that a cell or argument holds, tolerantly; None where it holds none.

    Accounting negatives `(5)` and `- 5`, currency signs, thousands separators, percentages (as
    ratios), scale words and dashes for zero are understood. Of `-5 ( 5 )`, the first counts.
    """
    text = text.strip()
    if len(text) > 100:
        return None
    if _DASH.fullmatch(text):
        return Fraction(0)
    match = _NUMBER.search(text)
    if match is None or len(match["digits"]) > MAX_DIGITS:
        return None
    if re.search(r"[^\W\d_]", text[: match.start()]):
        return None
    figure, before = _figure(match), text[: match.start()]
    negative = any(sign in before for sign in _MINUS) or "(" in before
    value = figure.value / 100 if figure.percent else figure.value * figure.scale
    return -value if negative else value


def _figure(match: re.Match[str]) -> Figure:
    value = Fraction(re.sub(r"[^\d.]", "", match["digits"]))
    if match["bps"]:
        return Figure(value / 100, percent=True)
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
    return Figure(value, scale, bool(match["percent"]))


def _power(scale: int) -> int:
    return (len(str(scale)) - 1) // 3


def _whole(value: Fraction) -> bool:
    """Whether a shortened figure is still one that says something: a whole number from 100."""
    return value.denominator == 1 and value >= 100
