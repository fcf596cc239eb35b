"""Cases back into ContractNLI's official format: documents, annotations, spans."""

from collections.abc import Sequence

from ..model.llm import Json
from .base import Case
from .records import as_object

SHORT = 20


def dataset(cases: Sequence[Case]) -> Json:
    """The official object `{documents, labels}` of the cases.

    Hypotheses of one document whose contract reads the same stay in one document; a hypothesis
    whose contract was changed gets a copy with the same id. In a changed contract the spans that
    still stand there word for word are located anew and evidence refers to those.
    """
    groups: dict[tuple[str, str], list[Case]] = {}
    labels: dict[str, Json] = {}
    for case in cases:
        source = as_object(case.source, case.id)
        labels.update(as_object(source["labels"], case.id))
        document = as_object(source["document"], case.id)
        groups.setdefault((str(document["id"]), str(case.fields["contract"])), []).append(case)
    return {"documents": [_document(group) for group in groups.values()], "labels": labels}


def _document(cases: Sequence[Case]) -> Json:
    sources = [as_object(case.source, case.id) for case in cases]
    document = as_object(sources[0]["document"], cases[0].id)
    annotations = _annotations(document)
    kept = {str(source["hypothesis"]): annotations[str(source["hypothesis"])] for source in sources}
    text = str(cases[0].fields["contract"])
    if text == document["text"]:
        return {**document, "annotation_sets": [{**_set(document), "annotations": kept}]}
    spans, numbers = _relocated(document, text)
    moved: dict[str, Json] = {key: _moved(value, numbers) for key, value in kept.items()}
    sets: Json = [{**_set(document), "annotations": moved}]
    return {**document, "text": text, "spans": spans, "annotation_sets": sets}


def _set(document: dict[str, Json]) -> dict[str, Json]:
    sets = document["annotation_sets"]
    return as_object(sets[0] if isinstance(sets, list) else None, str(document["id"]))


def _annotations(document: dict[str, Json]) -> dict[str, Json]:
    return as_object(_set(document)["annotations"], str(document["id"]))


def _relocated(document: dict[str, Json], text: str) -> tuple[list[Json], dict[Json, int]]:
    """The spans that still stand in `text`, in order, and their new numbers by old number."""
    old = str(document["text"])
    spans: list[Json] = []
    numbers: dict[Json, int] = {}
    at = 0
    for number, span in enumerate(_list(document.get("spans"))):
        words = _words(old, span)
        found = text.find(words, at) if words.strip() else -1
        # a short span such as "1." would be found anywhere, so it must come next
        if found >= 0 and (len(words) >= SHORT or not text[at:found].strip()):
            at = found + len(words)
            numbers[number] = len(spans)
            spans.append([found, at])
    return spans, numbers


def _words(text: str, span: Json) -> str:
    match span:
        case [int(start), int(end)]:
            return text[start:end]
    return ""


def _moved(annotation: Json, numbers: dict[Json, int]) -> Json:
    value = as_object(annotation, "annotation")
    spans: list[Json] = [numbers[n] for n in _list(value.get("spans")) if n in numbers]
    return {**value, "spans": spans}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
