"""Words, sentences and numbers of plain text, for the offline models."""

import re
from functools import lru_cache

TOKEN = re.compile(r"[a-z]+|\d+(?:[.,]\d+)*")
YEAR = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?![\d,]|\.\d)")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?![a-z\d])")
SENTENCE = re.compile(r"(?<=[a-z0-9)\"”%][.?!;])\s+(?=[A-Z(“\"\d])|\n+")
WORDS = re.compile(r"\S+")
STOP = frozenset(
    WORDS.findall(
        "a an the of in on at to for from by with and or as is are was were be been being it its "
        "this that these those what which who whom how much many did do does there than then s t "
        "if any all such not no per into between during under over our we their his her they he "
        "she i you your will would shall should may can could has have had but"
    )
)
SUFFIXES = (
    ("ations", "at"), ("ation", "at"), ("ements", "e"), ("ement", "e"), ("ments", ""), ("ment", ""),
    ("ings", ""), ("ing", ""), ("ies", "y"), ("sses", "ss"), ("ers", ""), ("ed", ""), ("es", ""),
    ("ly", ""), ("s", ""),
)  # fmt: skip


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem of a lower-case word; numbers lose their thousands commas."""
    if not word.isalpha():
        return word.replace(",", "")
    if word.endswith("ss"):
        return word
    for suffix, replacement in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return (word[: -len(suffix)] + replacement).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


def stems(text: str) -> list[str]:
    """The stems of a text in order, without stop words."""
    return [stem(word) for word in TOKEN.findall(text.lower()) if word not in STOP]


def sentences(text: str) -> list[str]:
    """Sentences and lines of a text, blank ones left out."""
    return [part for part in (piece.strip() for piece in SENTENCE.split(text)) if part]


def years(text: str) -> list[int]:
    """The years named in a text, in order."""
    return [int(year) for year in YEAR.findall(text)]


def value_of(number: str) -> float:
    """The value of a number as `NUMBER` finds it; 0.0 where it is too long for a float."""
    try:
        value = float(number.replace(",", ""))
    except ValueError:
        return 0.0
    return value if abs(value) < 1e300 else 0.0


def overlap(wanted: set[str] | frozenset[str], found: set[str] | frozenset[str]) -> float:
    """Share of the wanted stems that are found; 0 for none wanted."""
    return len(wanted & found) / len(wanted) if wanted else 0.0
