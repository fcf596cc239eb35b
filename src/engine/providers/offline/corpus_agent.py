"""An agent for questions over plain documents: searches by words, reads, answers with a number.

It goes by what tools say they do and by the shape of their answers, so that renamed tools and
fields are no obstacle; a text that moved into a nested field is one, unless the advice says to look
for it there.
"""

import re
from collections.abc import Mapping

from ...model.llm import Json, Tool
from .agent_talk import Call, Talk
from .corpus_tables import WORD, best_number
from .prompts import texts

Said = str | list[tuple[str, Mapping[str, Json]]]
READS = 3
_SMALL = (
    "a an and are as at by did do does for from give has how in is it its many much of on or that "
    "the this to was were what when which with would answer question value"
)
SMALL = frozenset(_SMALL.split())


def play(talk: Talk) -> Said:
    """The next turn: a search, reads of what it found, or the answer."""
    search, reading = _tool(talk, "search"), _tool(talk, "read", "open")
    if not talk.calls and search is not None:
        return [(search.name, {_text_argument(search): " ".join(_keywords(talk)[:8])})]
    opened = [c for c in talk.calls if reading is not None and c.name == reading.name]
    if reading is not None and not opened and "answer now" not in talk.note:
        found = _results(talk)
        if found:
            return [(reading.name, _as_asked(reading, result)) for result in found[:READS]]
    number = best_number(_texts(talk), set(_keywords(talk)))
    return number or "The documents that I could read do not settle it."


def _tool(talk: Talk, *cues: str) -> Tool | None:
    return next((t for t in talk.tools if t.description.lower().startswith(cues)), None)


def _properties(tool: Tool) -> Mapping[str, Json]:
    properties = tool.schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _text_argument(tool: Tool) -> str:
    required = tool.schema.get("required")
    return str(required[0]) if isinstance(required, list) and required else "query"


def _keywords(talk: Talk) -> list[str]:
    words = dict.fromkeys(WORD.findall(talk.question.lower()))
    return [word for word in words if word not in SMALL]


def _results(talk: Talk) -> list[Mapping[str, Json]]:
    found: list[Mapping[str, Json]] = []
    for call in talk.calls:
        for part in call.parts:
            for value in part.values():
                if isinstance(value, list):
                    found += [entry for entry in value if isinstance(entry, dict)]
    return found


def _as_asked(tool: Tool, result: Mapping[str, Json]) -> dict[str, Json]:
    """Arguments from the fields of a result that have the tool's own names, else its first text;
    from the line on at which the result begins, where it says so."""
    shared = {name: result[name] for name in _properties(tool) if name in result}
    first = next((value for value in result.values() if isinstance(value, str)), "")
    arguments = shared or {_text_argument(tool): first}
    start = next((name for name, s in _properties(tool).items() if _is_whole(s)), None)
    line = next((v[0] for v in result.values() if isinstance(v, list) and v), None)
    if start is not None and isinstance(line, int):
        arguments[start] = line
    return arguments


def _is_whole(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "integer"


def _texts(talk: Talk) -> list[str]:
    nested = re.search(r"nested|any field|table context", talk.advice) is not None
    return [text for call in talk.calls for text in _seen(call, nested)]


def _seen(call: Call, nested: bool) -> list[str]:
    if nested:
        return texts(call.reply)
    found: list[str] = []
    for part in call.parts:
        entries = [
            e for v in part.values() if isinstance(v, list) for e in v if isinstance(e, dict)
        ]
        for entry in [part, *entries]:
            found += [value for value in entry.values() if isinstance(value, str)]
    return found
