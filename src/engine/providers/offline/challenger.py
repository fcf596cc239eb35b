"""The offline challenger: eight protocol transformations, most of them valid.

It aims at the features that the harness's new advice names, and adds what the firewall is there
for: an operator that nobody allowed, a transformation that changes nothing, a repetition.
"""

import random
from collections.abc import Mapping

from ...model.llm import Json
from .chance import generator
from .prompts import texts

CUES = {
    "name": ("name",),
    "depth": ("shallow", "folder", "depth"),
    "rank": ("first result", "any", "rank"),
    "position": ("window",),
    "format": ("table",),
}
MISSING = {"position": "second part", "format": "csv"}
"""Features that a harness leans on as long as nothing in it speaks of them."""

VALID = 5


def challenge(data: dict[str, Json], key: bytes) -> Json:
    """The vulnerability map and the proposals."""
    operators = [o for o in _list(data, "operators") if isinstance(o, dict)]
    wanted = data.get("proposals")
    count = wanted if isinstance(wanted, int) else 8
    rng = generator(key, "challenge")
    said = " ".join(texts(data.get("changes"))).lower()
    targets = [f for f, cues in CUES.items() if any(cue in said for cue in cues)]
    whole = " ".join(texts(data.get("current"))).lower()
    targets += [f for f, cue in MISSING.items() if cue not in whole and f not in targets]
    aimed = sorted(operators, key=lambda o: (not set(targets) & set(_features(o)), rng.random()))
    proposals = [_proposal([_step(o, rng)]) for o in (*aimed, *aimed, *aimed)[:VALID]]
    proposals.append(_proposal([_step(o, rng) for o in aimed[:2]]))
    proposals.append(_proposal([{"operator": "edit_answers", "arguments": {}}]))
    proposals.append(rng.choice([_proposal([]), *proposals[:1]]))
    return {
        "vulnerabilities": [
            {"field": "guidance", "feature": feature, "reason": "advice names it, or none does"}
            for feature in targets
        ],
        "proposals": list(proposals[:count]),
    }


def _list(data: Mapping[str, Json], name: str) -> list[Json]:
    value = data.get(name)
    return value if isinstance(value, list) else []


def _features(operator: Mapping[str, Json]) -> list[str]:
    return [str(feature) for feature in _list(operator, "features")]


def _proposal(steps: list[Json]) -> Json:
    names = [str(step["operator"]) for step in steps if isinstance(step, dict)]
    return {
        "description": f"what changes: {', '.join(names) or 'nothing'}",
        "claim": "questions, answers and documents stay as they are",
        "transformation": {"operators": steps},
    }


def _step(operator: Mapping[str, Json], rng: random.Random) -> Json:
    """The operator with arguments drawn from its schema: a choice, or a number in its bounds."""
    schema = operator.get("arguments")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    arguments: dict[str, Json] = {}
    for name, field in (properties or {}).items() if isinstance(properties, dict) else ():
        if isinstance(field, dict):
            arguments |= _argument(name, field, rng)
    return {"operator": operator.get("operator"), "arguments": arguments}


def _argument(name: str, field: Mapping[str, Json], rng: random.Random) -> dict[str, Json]:
    choices, kind = field.get("enum"), field.get("type")
    if isinstance(choices, list) and choices:
        return {name: rng.choice(choices)}
    low, high = field.get("minimum"), field.get("maximum")
    if kind == "integer" and isinstance(low, int) and isinstance(high, int):
        return {name: rng.randint(low, high)}
    if kind == "boolean":
        return {name: rng.random() < 0.5}
    return {}
