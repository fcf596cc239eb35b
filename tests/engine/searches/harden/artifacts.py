"""Valid axes, rubrics and sources, for tests to use and to break."""

from typing import Any

from evoscope.engine.searches.harden.registry import records_hash

PROMISE = "Changes case inputs only and keeps the expected output correct."


def axis(name: str, **change: Any) -> dict[str, Any]:
    return {
        "axis_name": name,
        "definition": f"How {name} comes about. {PROMISE}",
        "goal": "harder to read",
        "distinctive_focus": "this alone",
        "target_artifact_types": ["text"],
        "subtypes": ["one", "two", "three"],
        "prompt_guidance": ["a", "b", "c", "d", "e"],
        "priority": "normal",
        **change,
    }


def catalogue(*names: str) -> dict[str, Any]:
    wanted = names or ("shorthand", "near_neighbours", "mixed_notation")
    return {"axes": [axis(name) for name in (*wanted, "domain_specific_realism")]}


def dimension(name: str, **change: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": f"name {name}",
        "description": "what is judged",
        "high_anchor": "like a record",
        "low_anchor": "like a toy",
        "met_threshold": 4,
        "sources": [],
        **change,
    }


def flag(name: str, **change: Any) -> dict[str, Any]:
    return {"id": name, "description": "torn", "blocking": True, "evidence": [], **change}


def rubric(**change: Any) -> dict[str, Any]:
    return {
        "dimensions": [dimension(name) for name in ("D1", "D2", "D3")],
        "red_flags": [flag("R1"), flag("R2", blocking=False)],
        "minimum_mean_score": 4.0,
        "reference_profile": {"shared_patterns": ["notes are short"], "sources": ["b1"]},
        **change,
    }


def sourced_rubric(*evidence: str) -> dict[str, Any]:
    cited = list(evidence or ("b1", "b2"))
    return rubric(
        dimensions=[dimension(name, sources=["b1", "p1"]) for name in ("D1", "D2", "D3")],
        red_flags=[flag("R1", evidence=cited), flag("R2", blocking=False)],
    )


def source(name: str, kind: str = "benchmark", **change: Any) -> dict[str, Any]:
    records = change.pop("records", [f"{name} record {k}" for k in range(10)])
    return {
        "id": name,
        "name": f"The {name} set",
        "family": f"family of {name}",
        "kind": kind,
        "is_target_family": False,
        "url": f"file:{name}",
        "revision": "1",
        "licence": "CC BY 4.0",
        "lineage": "its own records",
        "sha256": records_hash(records),
        "records": records,
        **change,
    }


def registry() -> dict[str, Any]:
    return {"sources": [source("b1"), source("b2"), source("p1", "primary_real_world")]}
