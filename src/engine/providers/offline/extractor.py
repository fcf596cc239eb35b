"""The extractor: lists what a parent's expected output rests on, for the audits to look for."""

from ...model.llm import Json
from .evidence import Need, asked, needs

TASK_ITEM = "requested_task_semantics"
WHERE = {
    "number": "the figure, in any authentic notation, in a line that bears the same label",
    "row": "the table row under this exact label, with all of its figures",
    "passage": "a statement that says the same, with the same negations and figures",
    "absence": "no statement anywhere that settles this",
}


def extract(data: dict[str, Json]) -> Json:
    """The extraction reply for `input`, `expected_output` and `baseline_prompt`."""
    parent, gold = data.get("input"), data.get("expected_output")
    fields = parent if isinstance(parent, dict) else {}
    question = asked(fields) or asked(data)
    items: list[Json] = [_task(question, data)]
    found = needs(fields, gold, question)
    items += [_item(i, need) for i, need in enumerate(found, start=1)]
    labels: list[Json] = [item["semantic_label"] for item in items if isinstance(item, dict)]
    return {
        "necessary_information": items,
        "relationships": [
            {"type": "AND", "items": labels, "description": "all of them carry the output together"}
        ],
        "reasoning": f"{len(found)} parts of the input were linked to the expected output.",
    }


def _task(question: str, data: dict[str, Json]) -> Json:
    prompt = data.get("baseline_prompt")
    request = question or (prompt if isinstance(prompt, str) else "") or "the task as it is put"
    return {
        "source": "question" if question else "baseline prompt",
        "semantic_label": TASK_ITEM,
        "value": request[:600],
        "decision_criteria": "The same thing is asked, about the same subject and period.",
        "description": "What is asked for.",
        "reason": "Every part of the output answers this request.",
    }


def _item(index: int, need: Need) -> Json:
    return {
        "source": need.field or "whole input",
        "semantic_label": f"{need.kind} {index}",
        "value": need.value,
        "decision_criteria": f"Valid: {WHERE[need.kind]}. Invalid: it is missing or altered.",
        "description": need.line or need.value,
        "reason": "The expected output was reached through it.",
    }
