"""The offline proposer: feedback on a harness, and candidates for the next one.

It explores the edits it knows, shortcuts among them, by chance fixed by its input. Where the
constraints of an archive were violated it drops most of what leans on the protocol features that
the counterfactuals change, and takes what makes their change harmless first.
"""

from ...model.llm import Json
from .chance import generator
from .harness_edits import BY_TRACK, GUIDANCE, STRUCTURAL, Edit, Spec, held

PICKS = 4
INSIGHT = 0.85
"""How surely a violated constraint is understood."""


def propose(data: dict[str, Json], key: bytes) -> Json:
    """The reply to any of the proposer's five passes."""
    stage = data.get("pass")
    spec = data.get("harness")
    if not isinstance(spec, dict):
        return {}
    if stage in ("proactive", "hindsight"):
        return _feedback(data, str(stage))
    barred = _barred(data, key)
    if stage == "integrated":
        parts = [part for part in _specs(data) if part]
        return _candidate("both candidates' changes together", _merged(spec, parts, barred))
    return _candidate(f"{stage} changes", _drawn(spec, str(stage), barred, key))


def _candidate(rationale: str, spec: Spec) -> Json:
    return {"rationale": rationale, "harness": spec}


def _feedback(data: dict[str, Json], stage: str) -> Json:
    spec = data.get("harness")
    known = held(spec) if isinstance(spec, dict) else []
    missing = [e.name for e in (*STRUCTURAL, *GUIDANCE) if e not in known and not e.leans_on]
    findings: list[Json] = [
        {"observation": f"{stage}: nothing in the harness covers: {name}", "suggestion": name}
        for name in missing[:4]
    ]
    return {"findings": findings}


def _barred(data: dict[str, Json], key: bytes) -> set[str]:
    """Protocol features to stay away from."""
    constraints = data.get("constraints")
    features: set[str] = set()
    for one in constraints if isinstance(constraints, list) else []:
        changes = one.get("changes") if isinstance(one, dict) else None
        features.update(str(f) for f in changes) if isinstance(changes, list) else None
    if generator(key, "insight").random() >= INSIGHT:
        return set()
    return features


def _drawn(spec: Spec, track: str, barred: set[str], key: bytes) -> Spec:
    rng = generator(key, "edits", track)
    clean = _without(spec, barred)
    edits = [e for e in BY_TRACK.get(track, GUIDANCE) if not e.leans_on & barred]
    fresh = [edit for edit in edits if edit not in held(clean)]
    weights = {
        edit.name: rng.random() * (2 if edit.leans_on else 1) + bool(edit.covers & barred) * 2
        for edit in fresh
    }
    for edit in sorted(fresh, key=lambda e: -weights[e.name])[:PICKS]:
        clean = edit.apply(clean)
    return clean


def _without(spec: Spec, barred: set[str]) -> Spec:
    for edit in GUIDANCE:
        if edit.leans_on & barred:
            spec = edit.remove(spec)
    return spec


def _specs(data: dict[str, Json]) -> list[Spec]:
    candidates = data.get("candidates")
    found = candidates if isinstance(candidates, list) else []
    return [c["harness"] for c in found if isinstance(c, dict) and isinstance(c["harness"], dict)]


def _merged(spec: Spec, parts: list[Spec], barred: set[str]) -> Spec:
    edits: list[Edit] = [edit for part in parts for edit in held(part)]
    clean = _without(spec, barred)
    for edit in edits:
        if not edit.leans_on & barred:
            clean = edit.apply(clean)
    return clean
