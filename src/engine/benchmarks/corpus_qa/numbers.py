"""Reading numbers, units and text out of answers, as OfficeQA's scorer does.

Behaviour follows the released scorer (Databricks OfficeQA, version of June 2026); the golden
vectors of the shared data hold it to that, oddities included.
"""

import re
from dataclasses import dataclass

_SPACE = re.compile(r"\s+")
_CURRENCY = "$£€¥₹¢₩₽"
_ACCOUNTING = re.compile(
    rf"\(\s*(?P<sign>[{_CURRENCY}])?\s*"
    r"(?P<number>\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+(?:\.\d+)?)\s*\)"
)
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)")
_NUMBER = re.compile(r"-?\d+\.?\d*%?")
_AROUND = 20
"""Characters on either side of a number in which its unit is looked for."""

_UNITS = (
    ("trillion", re.compile(r"\btrillions?\b")),
    ("billion", re.compile(r"\bbillions?\b|\bb\b")),
    ("million", re.compile(r"\bmillions?\b|\bm\b")),
    ("thousand", re.compile(r"\bthousands?\b|\bk\b")),
)
_UNIT_WORDS = re.compile(r"\b(?:(?:tr|b|m)illions?|thousands?|hundreds?|percent(?:age)?)\b")
FIRST_YEAR, LAST_YEAR = 1900, 2100


@dataclass(frozen=True, slots=True)
class Number:
    """A number as printed, before any unit is applied, and the unit word near it."""

    value: float
    unit: str | None = None

    @property
    def year(self) -> bool:
        """Whether it may be a year that is mentioned beside an answer."""
        return FIRST_YEAR <= self.value <= LAST_YEAR and self.value.is_integer()


def one_line(text: str) -> str:
    """White space collapsed, the typographic minus made plain."""
    return _SPACE.sub(" ", text.replace("\u2212", "-")).strip()


def plain_figures(text: str) -> str:
    """Accounting brackets turned into a minus, currency signs dropped.

    A bracketed year without a currency sign is left alone.
    """

    def negative(match: re.Match[str]) -> str:
        number = match["number"]
        if match["sign"] is None and Number(float(number.replace(",", ""))).year:
            return match.group()
        return f"-{number}"

    return re.sub(f"[{_CURRENCY}]", "", _ACCOUNTING.sub(negative, text))


def numbers(text: str) -> list[Number]:
    """All numbers of a text in order, each with its unit; raises ValueError on an empty text."""
    if not text:
        raise ValueError("an empty text holds no numbers")
    plain = plain_figures(one_line(text))
    plain = _THOUSANDS.sub(lambda match: match.group().replace(",", ""), plain)
    return [
        Number(float(match.group().rstrip("%")), _unit(plain, match))
        for match in _NUMBER.finditer(plain)
    ]


def _unit(text: str, match: re.Match[str]) -> str | None:
    near = text[max(0, match.start() - _AROUND) : match.end() + _AROUND].lower()
    return next((name for name, pattern in _UNITS if pattern.search(near)), None)


def wording(text: str) -> str:
    """What is left of a text without numbers, unit words and punctuation, lower case."""
    rest = _NUMBER.sub("", one_line(text).lower()).replace(",", "")
    rest = re.sub(r"[^\w\s]", " ", _UNIT_WORDS.sub("", rest))
    return _SPACE.sub(" ", rest).strip()


def has_wording(text: str) -> bool:
    """Whether more than one character of wording is left."""
    return len(wording(text)) >= 2
