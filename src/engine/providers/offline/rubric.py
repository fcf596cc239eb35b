"""The analyst's rubric: how authentic inputs of this kind look, from sources alone."""

from ...model.llm import Json

DIMENSIONS = (
    ("language", "Language", "Wording and register of the field.",
     "Reads like a document that a professional of the field wrote.",
     "Words are garbled, foreign to the field, or strung together."),
    ("structure", "Structure", "Order and shape of passages, tables and clauses.",
     "Parts stand where such documents have them, and tables are whole.",
     "Parts are torn, empty, or repeat each other without a purpose."),
    ("coherence", "Coherence", "Parts that fit each other.",
     "Every part can be read together with the others.",
     "Parts speak about different things, or contradict each other."),
    ("provenance", "Provenance", "Signs of a real process of writing and publishing.",
     "Irregularities are those that drafting, scanning or editing leave behind.",
     "Irregularities look placed, as if to trip a reader."),
)  # fmt: skip
FLAGS = (
    ("garbled_text", "A large share of the words cannot be read."),
    ("truncated_text", "The text breaks off, or hardly anything is there."),
    ("staged_artefact", "The text speaks of being a test, or of being changed."),
)


def rubric(data: dict[str, Json]) -> Json:
    """The rubric reply for `task` and `sources`; flags block only with evidence enough for it."""
    listed = data.get("sources")
    sources = [s for s in listed if isinstance(s, dict)] if isinstance(listed, list) else []
    ids: list[Json] = [s["id"] for s in sources if isinstance(s.get("id"), str)]
    blocking = _enough(sources)
    return {
        "dimensions": [_dimension(entry, ids) for entry in DIMENSIONS],
        "red_flags": [
            {"id": name, "description": text, "blocking": blocking, "evidence": ids}
            for name, text in FLAGS
        ],
        "minimum_mean_score": 4.0,
        "reference_profile": {
            "sources": ids,
            "summary": "Documents of this kind mix standard wording with small irregularities.",
        },
    }


def _dimension(entry: tuple[str, str, str, str, str], ids: list[Json]) -> dict[str, Json]:
    name, title, description, high, low = entry
    return {
        "id": name,
        "name": title,
        "description": description,
        "high_anchor": high,
        "low_anchor": low,
        "met_threshold": 3,
        "sources": list(ids),
    }


def _enough(sources: list[dict[str, Json]]) -> bool:
    """Two independent benchmark families, or one of them and a primary source (HARDEN, A.5.2)."""
    families = {str(s.get("family")) for s in sources if "benchmark" in str(s.get("kind"))}
    primary = any("primary" in str(s.get("kind")) for s in sources)
    return len(families) >= 2 or (len(families) == 1 and primary)
