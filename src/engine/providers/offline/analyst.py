"""The analyst: a catalogue of complexity axes that fits the benchmark's fields."""

from ...model.llm import Json
from .analyst_axes import CATALOGUE, Draft

PROMISE = "It changes case inputs only; the expected output stays correct."
GUIDANCE = (
    "List the facts that carry the expected output before anything is changed.",
    "Keep every such fact in the inputs, with its figures and negations.",
    "Say which everyday process of writing or publishing leaves such a trace.",
    "Plant no contradiction, and leave nothing out.",
)


def axes(data: dict[str, Json]) -> Json:
    """The axes reply for `task` and `cases`: 8 to 11 axes, one of them domain realism."""
    kinds = _kinds(data)
    has_table = "table" in kinds.values()
    wanted = [
        draft
        for draft in CATALOGUE
        if not (draft.needs == "table" and not has_table)
        and not (draft.needs == "prose" and has_table)
    ]
    return {"axes": [_axis(draft, kinds) for draft in wanted[:11]]}


def _kinds(data: dict[str, Json]) -> dict[str, str]:
    """The mutable fields' names, each as table, list or text, as the first case has them."""
    cases, task = data.get("cases"), data.get("task")
    first = cases[0] if isinstance(cases, list) and cases else {}
    fields = first.get("input") if isinstance(first, dict) else None
    shape = {n: _kind(v) for n, v in fields.items()} if isinstance(fields, dict) else {}
    inputs = task.get("inputs") if isinstance(task, dict) else None
    mutable = [
        name
        for name, about in (inputs.items() if isinstance(inputs, dict) else ())
        if isinstance(about, dict) and about.get("mutable") is True
    ]
    return {name: shape.get(name, "text") for name in mutable} or shape or {"input": "text"}


def _kind(value: Json) -> str:
    if not isinstance(value, list):
        return "text"
    return "table" if any(isinstance(entry, list) for entry in value) else "list"


def _axis(draft: Draft, kinds: dict[str, str]) -> dict[str, Json]:
    tables = [name for name, kind in kinds.items() if kind == "table"]
    prose = [name for name, kind in kinds.items() if kind != "table"]
    targets: list[Json] = list((tables if draft.needs == "table" else prose) or kinds)
    guidance: list[Json] = [f"Work on {' and '.join(map(str, targets))}.", *GUIDANCE]
    return {
        "axis_name": draft.name,
        "definition": f"{draft.definition} {PROMISE}",
        "goal": draft.goal,
        "distinctive_focus": draft.focus,
        "target_artifact_types": targets,
        "subtypes": list(draft.subtypes),
        "prompt_guidance": guidance,
        "priority": draft.priority,
    }
