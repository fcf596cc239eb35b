"""What a careless mutation breaks: a needed number, sentence, negation, or an absence."""

import re
from collections.abc import Callable

from ....model.llm import Json
from ..evidence import Need, holds
from ..words import NUMBER, value_of
from .draft import Draft

VERB = re.compile(r"\b(is|are|was|were|shall|may|will|can|did|does|has|have|had)\b(?! not)")
NEGATED = re.compile(r" \b(?:not|no)\b")


def break_evidence(draft: Draft) -> str | None:
    """Break one thing that the output needs; None where nothing that it needs can be found."""
    order = list(draft.needs)
    draft.rng.shuffle(order)
    for need in order:
        done = _break(draft, need)
        if done is not None:
            return done
    return None


def _break(draft: Draft, need: Need) -> str | None:
    if need.kind == "absence":
        return _state(draft, need.value)
    if need.kind == "row":
        return _drop(draft, need)
    if need.kind == "number":
        return _alter(draft, need.value) if draft.rng.random() < 0.6 else _drop(draft, need)
    flip = draft.rng.random() < 0.5
    return (_negate(draft, need) if flip else None) or _drop(draft, need)


def _state(draft: Draft, statement: str) -> str | None:
    for name, passages in draft.prose():
        if draft.grows(name):
            passages.insert(draft.rng.randint(0, len(passages)), statement)
        else:
            passages[-1] = f"{passages[-1]} {statement}"
        draft.put(name, passages)
        return "A clause was added that rounds the document off."
    return None


def _alter(draft: Draft, number: str) -> str | None:
    """Change a needed number wherever it stands."""
    size = abs(value_of(number))
    changed = False

    def other(match: re.Match[str]) -> str:
        nonlocal changed
        if abs(abs(value_of(match.group())) - size) > 1e-9:
            return match.group()
        changed = True
        return _misprint(match.group())

    for name, value in draft.fields.items():
        draft.fields[name] = _map(value, lambda text: NUMBER.sub(other, text))
    return "A figure was restated." if changed else None


def _misprint(number: str) -> str:
    """The number with its first digit raised by one (9 becomes 2)."""
    at = next(i for i, char in enumerate(number) if char.isdigit())
    digit = int(number[at])
    return number[:at] + str(digit + 1 if digit < 9 else 2) + number[at + 1 :]


def _drop(draft: Draft, need: Need) -> str | None:
    """Leave out the row or clause that holds the need, and other places of a number."""
    changed = False
    for name, rows in draft.tables():
        kept = [row for i, row in enumerate(rows) if i == 0 or not _is(need, " | ".join(row))]
        if len(kept) != len(rows) and len(kept) > 1:
            draft.put_table(name, kept)
            changed = True
    for name, passages in draft.prose():
        shorter = [_without(part, need) for part in passages]
        if not draft.grows(name):
            shorter = [new or old for new, old in zip(shorter, passages, strict=True)]
        if shorter != passages and any(part.strip() for part in shorter):
            left = [p for p, old in zip(shorter, passages, strict=True) if p or not old]
            draft.put(name, left)
            changed = True
    return "A part that seemed to repeat others was left out." if changed else None


def _is(need: Need, line: str) -> bool:
    if line == need.line:
        return True
    return need.kind == "number" and holds(line, abs(value_of(need.value)))


def _without(passage: str, need: Need) -> str:
    if need.line and need.line in passage:
        return passage.replace(need.line, "").strip()
    if need.kind == "number" and holds(passage, abs(value_of(need.value))):
        size = abs(value_of(need.value))
        parts = re.split(r"(?<=[.;])\s+", passage)
        return " ".join(part for part in parts if not holds(part, size))
    return passage


def _negate(draft: Draft, need: Need) -> str | None:
    """Turn the statement around: take a negation out, or put one in."""
    turned = NEGATED.sub("", need.line, count=1)
    if turned == need.line:
        turned = VERB.sub(r"\1 not", need.line, count=1)
    if turned == need.line:
        return None
    for name, passages in draft.prose():
        changed = [part.replace(need.line, turned) for part in passages]
        if changed != passages:
            draft.put(name, changed)
            return "A statement was worded more plainly."
    return None


def _map(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map(part, change) for part in value]
    return value
