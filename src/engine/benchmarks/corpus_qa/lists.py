"""Answers that are one bracketed list of numbers: compared in order, commas read either way."""

import re
from collections.abc import Sequence

from .numbers import Number, one_line, plain_figures

_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_ITEM = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")


def bracketed(text: str) -> str | None:
    """The inside of the text's only pair of brackets, where no digit stands outside it."""
    plain = one_line(text)
    found = list(_BRACKETS.finditer(plain))
    if len(found) != 1:
        return None
    outside = plain[: found[0].start()] + plain[found[0].end() :]
    return None if re.search(r"\d", outside) else found[0][1]


def readings(text: str, length: int) -> list[tuple[float, ...]]:
    """Every way to read the text as a comma-separated list of `length` numbers.

    `8,152,260` is 8 and 152260, or 8152 and 260, as a list of two. Fewer than two is no list.
    """
    body = bracketed(text) or one_line(text)
    chunks = body.split(",")
    if length < 2 or len(chunks) < length:
        return []
    known: dict[tuple[int, int], list[tuple[float, ...]]] = {}
    return list(dict.fromkeys(_read(chunks, 0, length, known)))


def _read(
    chunks: Sequence[str],
    start: int,
    items: int,
    known: dict[tuple[int, int], list[tuple[float, ...]]],
) -> list[tuple[float, ...]]:
    if items == 0:
        return [()] if start == len(chunks) else []
    if (start, items) not in known:
        known[start, items] = [
            (value, *tail)
            for end in range(start + 1, len(chunks) - items + 2)
            if (value := _item(",".join(chunks[start:end]))) is not None
            for tail in _read(chunks, end, items - 1, known)
        ]
    return known[start, items]


def _item(raw: str) -> float | None:
    text = raw.strip()
    if not text or re.search(r"\s,|,\s", text):
        return None
    text = plain_figures(one_line(text))
    if _ITEM.fullmatch(text) is None:
        return None
    return float(text.rstrip("%").replace(",", ""))


def gold_list(answer: str, found: Sequence[Number]) -> bool:
    """Whether the answer is one bracketed list of exactly the numbers found in it."""
    body = bracketed(answer)
    if body is None or len(found) < 2:
        return False
    return tuple(number.value for number in found) in readings(body, len(found))
