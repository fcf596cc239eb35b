"""The inputs that a level-2 operator may run: visible arguments, then perturbed ones (Appendix A).

The k-th perturbed input of a task depends on the task and k alone, so a longer list begins with
the shorter one.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

INPUTS = 32
"""Inputs a task: 600 observations over a candidate and 16 peers are 35 each."""
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Inputs:
    """Tuples of arguments; the first `unperturbed` are those of the visible checks."""

    arguments: tuple[tuple[Any, ...], ...]
    unperturbed: int


def inputs(task: str, known: Sequence[tuple[Any, ...]], count: int = INPUTS) -> Inputs:
    """At most `count` inputs for a task with these visible arguments, no two alike.

    Fewer, where the arguments admit no more changes; none where no visible check gives any.
    """
    made: list[tuple[Any, ...]] = []
    seen: set[str] = set()
    for arguments in known[:count]:
        if key(arguments) not in seen:
            seen.add(key(arguments))
            made.append(arguments)
    unperturbed = len(made)
    for k in range(_TRIES * count if made else 0):
        if len(made) == count:
            break
        rng = _rng(task, k)
        changed = _arguments(made[rng.randrange(unperturbed)], rng)
        if key(changed) not in seen:
            seen.add(key(changed))
            made.append(changed)
    return Inputs(tuple(made), unperturbed)


def key(value: Any) -> str:
    """A value as text that does not depend on the order in which sets are walked.

    As long as the value's own `repr` and a word for each container, however deep they nest.
    """
    match value:
        case set() | frozenset():
            parts = sorted(map(key, value))
        case list() | tuple():
            parts = [key(part) for part in value]
        case dict():
            parts = [f"{key(name)}: {key(kept)}" for name, kept in value.items()]
        case _:
            return repr(value)
    return f"{type(value).__name__}({', '.join(parts)})"


def _rng(task: str, k: int) -> random.Random:
    return random.Random(hashlib.sha256(f"{task}:{k}".encode()).digest())


def _arguments(arguments: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    """One or two arguments changed."""
    changed = list(arguments)
    for _ in range(rng.choice((1, 1, 2))):
        if changed:
            place = rng.randrange(len(changed))
            changed[place] = perturbed(changed[place], rng)
    return tuple(changed)


def perturbed(value: Any, rng: random.Random) -> Any:
    """A value of the same type nearby; itself where nothing is known about its type."""
    match value:
        case bool():
            return not value
        case int():
            return rng.choice(
                (value + 1, value - 1, -value, 0, value * 2, value + rng.randint(2, 9))
            )
        case float():
            return rng.choice((value + 1.0, -value, value / 2, 0.0, value + rng.randint(1, 9) / 4))
        case complex():
            return value + complex(rng.randint(-2, 2), rng.randint(-2, 2))
        case str():
            return _text(value, rng)
        case list() | tuple():
            return type(value)(_sequence(list(value), rng))
        case set() | frozenset():
            return type(value)(_sequence(sorted(value, key=key), rng))
        case dict():
            return _mapping(value, rng)
    return value


def _text(value: str, rng: random.Random) -> str:
    """A letter dropped, doubled, moved or changed in case; all reversed; nothing left."""
    if not value:
        return rng.choice(("a", "0", " "))
    at = rng.randrange(len(value))
    other = rng.choice(value)
    return rng.choice(
        (
            value[:at] + value[at + 1 :],
            value[:at] + value[at] + value[at:],
            value[:at] + other + value[at + 1 :],
            value[:at] + value[at].swapcase() + value[at + 1 :],
            value[::-1],
            value + other,
            value * 2,
            "",
        )
    )


def _sequence(items: list[Any], rng: random.Random) -> list[Any]:
    """An item dropped, doubled or changed; all reversed or shuffled; fewer; none."""
    if not items:
        return items
    at = rng.randrange(len(items))
    move = rng.choice(
        ("drop", "double", "change", "change", "change", "reverse", "shuffle", "cut", "none")
    )
    if move == "change":
        return [*items[:at], perturbed(items[at], rng), *items[at + 1 :]]
    if move == "shuffle":
        return rng.sample(items, len(items))
    made = {
        "drop": items[:at] + items[at + 1 :],
        "double": [*items[: at + 1], *items[at:]],
        "reverse": items[::-1],
        "cut": items[: at + 1],
        "none": [],
    }
    return made[move]


def _mapping(value: dict[Any, Any], rng: random.Random) -> dict[Any, Any]:
    """One value changed or one entry dropped."""
    if not value:
        return value
    key = rng.choice(list(value))
    if rng.random() < 0.3:
        return {name: kept for name, kept in value.items() if name != key}
    return {name: perturbed(kept, rng) if name == key else kept for name, kept in value.items()}
