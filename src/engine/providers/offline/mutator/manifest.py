"""The mutation reply: one candidate for each index, an axis each, some of them careless."""

import json
from collections.abc import Mapping

from ....model.llm import Json
from ..chance import generator, pick, uniform
from ..evidence import asked, needs
from ..prompts import lines_of
from ..readers.contractnli import topic_of
from .careless import break_evidence
from .draft import Draft
from .moves import move_for
from .text_moves import boilerplate

MOST = 200
"""Candidates that one manifest may have."""


def manifest(data: dict[str, Json], key: bytes, careless: float) -> Json:
    """The manifest for a mutation context; `careless` is the share that breaks the evidence."""
    fields = parent_fields(data)
    question = asked(data)
    found = needs(fields, data.get("gold_output_summary"), question)
    axes = axis_order(data)
    seen = {_canonical(fields)}
    mutations: list[Json] = []
    for place, index in enumerate(_indexes(data)):
        axis = axes[place % len(axes)] if axes else {"axis_name": "domain_specific_realism"}
        draft = Draft.of(fields, found, question, flavour_of(fields, question),
                         generator(key, "mutation", index))  # fmt: skip
        entry = _entry(index, axis, draft, uniform(key, "careless", index) < careless, seen)
        entry["fields"] = _changed(fields, draft.fields)
        mutations.append(entry)
    return {"mutations": mutations}


def _entry(
    index: int, axis: Mapping[str, Json], draft: Draft, careless: bool, seen: set[str]
) -> dict[str, Json]:
    name = str(axis.get("axis_name", "domain_specific_realism"))
    description = move_for(name)(draft) or boilerplate(draft) or "Left as it is."
    broken = break_evidence(draft) if careless else None
    for _ in range(5):
        if _canonical(draft.fields) not in seen:
            break
        boilerplate(draft)
    seen.add(_canonical(draft.fields))
    listed = axis.get("subtypes")
    subtypes = [str(s) for s in listed] if isinstance(listed, list) and listed else ["general"]
    entry: dict[str, Json] = {
        "individual_index": index,
        "axes": [name],
        "subtypes": [pick(subtypes, name, index)],
        "description": f"{description} {broken or ''}".strip(),
    }
    if broken is not None:
        entry["careless"] = True
    return entry


def parent_fields(data: Mapping[str, Json]) -> dict[str, Json]:
    """The parent's mutable fields in `files`: a path is a field's own, or leads to several."""
    files, names = data.get("files"), data.get("degradable_files")
    wanted = [str(name) for name in names] if isinstance(names, list) else []
    found: dict[str, Json] = {}
    for path, content in files.items() if isinstance(files, dict) else ():
        name = path.rpartition("/")[2]
        if name in wanted or not wanted:
            found[name] = content
        elif isinstance(content, dict):
            found.update({key: value for key, value in content.items() if key in wanted})
    return found


def axis_order(data: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The axes as they are ranked, those that were tried twice in vain behind the others."""
    listed, feedback = data.get("candidate_axes"), data.get("axis_feedback")
    axes = [a for a in listed if isinstance(a, dict) and isinstance(a.get("axis_name"), str)] if (
        isinstance(listed, list)
    ) else []  # fmt: skip
    counts = feedback if isinstance(feedback, dict) else {}
    return sorted(axes, key=lambda axis: _in_vain(counts.get(str(axis["axis_name"]))))


def _in_vain(counts: Json) -> bool:
    if not isinstance(counts, dict):
        return False
    applied, improved = counts.get("applied"), counts.get("improved_fitness")
    return isinstance(applied, int) and applied >= 2 and not improved


def _indexes(data: Mapping[str, Json]) -> list[int]:
    listed = data.get("candidates")
    named = [
        entry.get("individual_index")
        for entry in (listed if isinstance(listed, list) else [])
        if isinstance(entry, dict)
    ]
    given = [index for index in named if type(index) is int]
    count = data.get("candidates_per_generation")
    if not given and isinstance(count, int):
        given = list(range(max(0, min(count, MOST))))
    return given[:MOST]


def flavour_of(fields: Mapping[str, Json], question: str) -> str:
    """The field of knowledge, by the shape of the fields and a few telling words."""
    if any(_is_table(value) for value in fields.values()):
        return "finance"
    if topic_of(question) is not None:
        return "legal"
    text = " ".join(line for value in fields.values() for line in lines_of(value))[:20000].lower()
    if text.count("agreement") + text.count("confidential") >= 4:
        return "legal"
    medical = ("patient", "stud", "clinical", "treatment", "cell", "disease", "p<", "group")
    return "biomedical" if sum(word in text for word in medical) >= 2 else "general"


def _is_table(value: Json) -> bool:
    return isinstance(value, list) and any(isinstance(row, list) for row in value)


def _changed(parent: Mapping[str, Json], fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if parent.get(name) != value}


def _canonical(fields: Mapping[str, Json]) -> str:
    return json.dumps(fields, sort_keys=True)
