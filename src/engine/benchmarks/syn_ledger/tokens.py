"""Whole integer tokens of a text: digits with valid comma grouping count as one number."""

import re

_TOKEN = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?!,?\d)|\d+")


def integer_tokens(text: str) -> set[int]:
    """Every integer that stands in the text as a whole token, without its sign.

    `12,047` is 12047 and holds neither 12 nor 47.
    """
    return {int(match.group().replace(",", "")) for match in _TOKEN.finditer(text)}


def grouped(amount: int) -> str:
    """An amount as the documents print it: thousands commas, a minus where it is negative."""
    return f"{amount:,}"
