"""Reading an answer's last line: strictly for the score, tolerantly beside it."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from .base import Grade


def last_line(response: str, keyword: str) -> str | None:
    """What stands behind `keyword:` on the last line that starts so; None without one.

    The keyword's case and blanks around it don't matter; an empty rest is no line.
    """
    found = (match.strip() for match in reversed(_line(keyword).findall(response)))
    return next((value for value in found if value), None)


def grade_label(
    response: str,
    keyword: str,
    labels: Sequence[str],
    expected: str,
    spellings: Mapping[str, str] | None = None,
) -> Grade:
    """Exact match of the last line `keyword: label`; anything else is unparsed and scores 0.

    The last line that holds a label wins, whatever its case. `tolerant` also reads a label with
    marks around it (`**Answer:** Yes.`) and the other `spellings` (lower case, to a label).
    """
    by_lower = {label.lower(): label for label in labels}
    lines = (_lower(line.strip()) for line in reversed(_line(keyword).findall(response)))
    label = next((by_lower[line] for line in lines if line in by_lower), None)
    tolerant = label or _tolerant(response, keyword, {**by_lower, **(spellings or {})})
    problem = None if label else f"no line `{keyword}: {'|'.join(labels)}`"
    return Grade(Fraction(label == expected), label, label, problem, tolerant == expected)


def _tolerant(response: str, keyword: str, by_lower: Mapping[str, str]) -> str | None:
    words = "|".join(map(re.escape, sorted(by_lower, key=len, reverse=True)))
    marks = r"[*_`\"' \t]*"
    pattern = rf"\b{re.escape(keyword)}{marks}:{marks}({words})(?!\w)"
    found = re.findall(pattern, response, re.I | re.A)
    return by_lower[found[-1].lower()] if found else None


def _line(keyword: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*{re.escape(keyword)}[ \t]*:(.*)$", re.M | re.I | re.A)


def _lower(value: str) -> str:
    # the Kelvin sign's lower case is a plain k: only ASCII is folded
    return value.lower() if value.isascii() else value
