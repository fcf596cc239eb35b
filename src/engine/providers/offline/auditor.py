"""The auditor: looks in a candidate for each piece of necessary information."""

from ...model.llm import Json
from .chance import uniform
from .evidence import ASKING
from .extractor import TASK_ITEM
from .matching import (
    Line,
    absence_score,
    number_score,
    page_of,
    passage_score,
    request_score,
)
from .prompts import texts
from .words import NUMBER, WORDS

NOISE = 0.06
"""Half the width of what a member's judgement of one item wavers by."""
THRESHOLDS = {"number": 0.62, "row": 0.62, "passage": 0.56, "absence": 0.5, "request": 0.5}


def audit(data: dict[str, Json], key: bytes) -> Json:
    """The audit reply; `key` sets how this member wavers."""
    lines = data.get("candidate_lines")
    whole = (
        "\n".join(line for line in lines if isinstance(line, str))
        if isinstance(lines, list)
        else ""
    )
    page = page_of(whole)
    prompt = data.get("baseline_prompt")
    baseline = prompt if isinstance(prompt, str) else ""
    items = data.get("necessary_information")
    kept: list[Json] = []
    missing: list[Json] = []
    for place, item in enumerate(items if isinstance(items, list) else []):
        label = _text(item, "semantic_label") or f"item {place}"
        kind, score = _score(page, whole, baseline, item)
        score += NOISE * (2 * uniform(key, "audit", place) - 1)
        (kept if score >= THRESHOLDS[kind] else missing).append(label)
    return {
        "pass": not missing,
        "preserved_information": kept,
        "missing_information": missing,
        "rationale": f"{len(kept)} of {len(kept) + len(missing)} items were found.",
        "validation_reasoning": "Each value was looked for beside the words that name it.",
    }


def _score(page: tuple[Line, ...], whole: str, baseline: str, item: Json) -> tuple[str, float]:
    label, value, context = (
        _text(item, "semantic_label"), _text(item, "value"), _text(item, "description"),
    )  # fmt: skip
    if label == TASK_ITEM:
        return "request", request_score(value, whole, baseline)
    if label.startswith("absence"):
        return "absence", absence_score(page_of(_without_request(whole, value)), value)
    if label.startswith("row"):
        return "row", min(_row_scores(page, context))
    number = NUMBER.search(value)
    if number is not None and len(WORDS.findall(value)) <= 3:
        return "number", number_score(page, number.group(), context)
    return "passage", passage_score(page, value)


def _without_request(whole: str, statement: str) -> str:
    """The candidate without the field that puts the statement up for judgement."""
    kept: list[str] = []
    asking = False
    for line in whole.split("\n"):
        asking = line.strip().removesuffix(":") in ASKING or (asking and line.strip() in statement)
        if not asking:
            kept.append(line)
    return "\n".join(kept)


def _row_scores(page: tuple[Line, ...], row: str) -> list[float]:
    numbers = NUMBER.findall(row.partition(" | ")[2])
    return [number_score(page, number, row) for number in numbers] or [passage_score(page, row)]


def _text(item: Json, name: str) -> str:
    """A part of an item as text; "" where it is missing."""
    if not isinstance(item, dict):
        return ""
    value = item.get(name)
    if isinstance(value, str):
        return value
    return " ".join(texts(value)) if isinstance(value, list | dict) else str(value or "")
