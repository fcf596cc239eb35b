"""The fixed Generalization Gate that the comparison methods obey (CHASE, C.4).

A deterministic scan of a candidate's texts and structure; CHASE itself has schema validation only.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model.chase import CAPABILITY, Harness, changed_fields

SPAN = 8
_TOKEN = re.compile(r"[a-z0-9]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ROLE = re.compile(
    r"\bD[_ -]?(?:evo|disc|conf|cert)(?![a-z])"
    r"|\b(?:evolution|discovery|confirmation|certification)[ -](?:set|split|tasks?|questions?)\b",
    re.IGNORECASE,
)
UNCONDITIONAL = {"", "always", "in every case", "every question", "all questions", "any task"}


@dataclass(frozen=True, slots=True)
class Observed:
    """One question that a proposer may have seen, with what a candidate may not carry over."""

    id: str
    question: str
    answer: str
    sources: tuple[str, ...] = ()


def objections(
    candidate: Harness, base: Harness, kind: str, observed: Sequence[Observed]
) -> list[str]:
    """Why the gate refuses a candidate; empty where it passes.

    Refused: question ids, data-role labels, eight tokens in a row of an observed question, names of
    gold files, a question's year beside its answer, advice without a condition, and a structural
    candidate that changes no retrieval, tool or control field against `base`.
    """
    found: list[str] = []
    for text in _texts(candidate):
        found += _carried_over(text, observed)
    for module in candidate.guidance:
        if module.applies_when.strip().lower().rstrip(".") in UNCONDITIONAL:
            found.append(f"guidance {module.name!r} says no condition of use")
    if kind == "structural":
        paths = changed_fields(base, candidate)
        if not any(path.split(".")[0] in CAPABILITY for path in paths):
            found.append("a structural candidate that changes no declared policy field")
    return list(dict.fromkeys(found))


def _texts(harness: Harness) -> Iterator[str]:
    yield harness.system_prompt
    yield from harness.memory
    for module in harness.guidance:
        yield f"{module.name}. {module.applies_when}: {module.instruction}"
    yield from harness.retrieval.stop_words


def _carried_over(text: str, observed: Sequence[Observed]) -> Iterator[str]:
    if _ROLE.search(text):
        yield "a data-role label"
    tokens = _TOKEN.findall(text.lower())
    own = set(tokens)
    spans = _spans(tokens)
    for one in observed:
        if _has(text, one.id):
            yield f"the question id {one.id}"
        if spans & _spans(_TOKEN.findall(one.question.lower())):
            yield f"eight words of question {one.id}"
        if any(_has(text, name) for name in one.sources):
            yield f"a source file of question {one.id}"
        answer = _TOKEN.findall(one.answer.lower())
        years = set(_YEAR.findall(one.question))
        if answer and set(answer) <= own and years & set(_YEAR.findall(text)):
            yield f"the year and the answer of question {one.id}"


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _spans(tokens: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(tokens[k : k + SPAN]) for k in range(len(tokens) - SPAN + 1)}
