"""What a Syn-Ledger question asks for, read from its words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Wanted:
    """The amounts that an answer needs: (period, category) by role, and how they combine."""

    entity: str
    roles: Mapping[str, tuple[str, str]]
    formula: str
    value: Callable[[Mapping[str, int]], int]


@dataclass(frozen=True, slots=True)
class _Form:
    cue: str
    categories: Mapping[str, str]
    formula: str
    value: Callable[[Mapping[str, int]], int]


_FORMS = (
    _Form(
        "exceed its appropriation", {"x": "appropriation", "y": "appropriation"},
        "{x} - {y}", lambda a: a["x"] - a["y"],
    ),
    _Form(
        "capital adjustment", {"x": "capital adjustment", "y": "operations adjustment"},
        "{x} + {y}", lambda a: a["x"] + a["y"],
    ),
    _Form(
        "budget adjustment",
        {"x": "appropriation", "y": "budget adjustment", "z": "obligation"},
        "{x} + {y} - {z}", lambda a: a["x"] + a["y"] - a["z"],
    ),
    _Form(
        "allocated amount", {"x": "allocated amount", "y": "reference total"},
        "100 * {x} / {y}", lambda a: int(Fraction(100 * a["x"], a["y"] or 1)),
    ),
    _Form(
        "reported total",
        {"z": "reported total", "x": "primary component", "y": "secondary component"},
        "{z} - ({x} + {y})", lambda a: a["z"] - a["x"] - a["y"],
    ),
)  # fmt: skip
_ENTITY = re.compile(r"the ([A-Z]\w+ [A-Z]\w+)")
_PERIOD = re.compile(r"FY\d{4}")


@lru_cache(maxsize=2048)
def wanted(question: str) -> Wanted | None:
    """What the question asks for, None where it is in none of the five forms."""
    entity, periods = _ENTITY.search(question), _PERIOD.findall(question)
    form = next((form for form in _FORMS if form.cue in question), None)
    if entity is None or not periods or form is None:
        return None
    latest = {"y": periods[-1]} if form.cue.startswith("exceed") else {}
    roles = {
        role: (latest.get(role, periods[0]), category) for role, category in form.categories.items()
    }
    return Wanted(entity[1], roles, form.formula, form.value)
