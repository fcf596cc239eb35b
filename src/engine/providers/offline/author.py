"""The offline author of operators: draws one from a grammar, by the request's content.

At level 1 it can only look at the syntax tree, where most of its ideas see nothing of the fault;
some look for words of the samples, which the screens refuse. At level 2 it compares the candidate
with its peers; how many inputs, what counts as agreement and how sure it wants to be are drawn.
"""

import re

from ...model.llm import Json
from .author_level1 import level1
from .author_level2 import level2
from .author_texts import texts1, texts2
from .chance import generator

Document = dict[str, Json]


def author(data: Document, key: bytes) -> Json:
    """An operator for the request; another one where an earlier attempt had the same source."""
    tried = _tried(data)
    rng = generator(key, "author")
    makers = (texts1, texts2) if "answers" in data else (level1, level2)
    make = makers[data.get("level") == 2]
    name, rationale, source = make(rng, _names(data))
    for _ in range(40):
        if source not in tried:
            break
        name, rationale, source = make(rng, _names(data))
    return {"name": name, "rationale": rationale, "source": source}


def _tried(data: Document) -> set[str]:
    failed = data.get("failed_attempts")
    return {
        str(one["source"])
        for one in (failed if isinstance(failed, list) else [])
        if isinstance(one, dict) and "source" in one
    }


def _names(data: Document) -> list[str]:
    """Names in the first wrong sample, for an author that fits to what it was shown."""
    shown = data.get("incorrect")
    first = shown[0] if isinstance(shown, list) and shown else {}
    code = str(first.get("code", first.get("text", ""))) if isinstance(first, dict) else ""
    return sorted(set(re.findall(r"[a-z_]{5,}", code))) or ["result"]
