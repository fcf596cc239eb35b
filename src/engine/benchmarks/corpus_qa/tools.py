"""The four tools over a corpus, and how a protocol presents them and their replies."""

from collections.abc import Callable, Mapping, Sequence

from ...model.llm import Json, Tool
from ..calculator import calculated
from ..environment import (
    Arguments,
    Limits,
    Operation,
    ToolError,
    choice_argument,
    text_argument,
    whole_argument,
)
from .corpus import Document
from .passages import Passages
from .protocol import (
    FIELD_NAMES,
    TOOL_NAMES,
    Protocol,
    aliases,
    inline,
    nest,
    ordered,
    plain_fields,
    relocate,
    rename_fields,
    unnest,
)

LIMITS = Limits((("search", 10), ("open", 10), ("calculator", 5)), steps=40, seconds=1800)
RESULTS, MOST_RESULTS = 5, 10
LINES, MOST_LINES = 60, 120

_TEXT: dict[str, Json] = {"type": "string"}


def _count(most: int) -> dict[str, Json]:
    return {"type": "integer", "minimum": 1, "maximum": most}


CANONICAL: Mapping[str, tuple[str, str, dict[str, Json], tuple[str, ...]]] = {
    "list": ("search", "List all documents with their numbers of lines.", {}, ()),
    "search": (
        "search",
        "Search the documents by words; the best passages come first. With mode all a passage "
        "must hold every word, with any at least one.",
        {
            "query": _TEXT,
            "limit": _count(MOST_RESULTS),
            "mode": {"type": "string", "enum": ["all", "any"]},
        },
        ("query",),
    ),
    "open": (
        "open",
        f"Read lines of one document, {LINES} from the starting line on unless a count is given.",
        {
            "doc_id": _TEXT,
            "start": {"type": "integer", "minimum": 1},
            "count": _count(MOST_LINES),
        },
        ("doc_id",),
    ),
    "calculator": (
        "calculator",
        "Evaluate an arithmetic expression.",
        {"expression": _TEXT},
        ("expression",),
    ),
}
"""Kind: budget group, description, argument schemas, required arguments."""


class Desk:
    """A corpus's tools under one protocol."""

    def __init__(
        self, documents: Sequence[Document], passages: Passages, protocol: Protocol
    ) -> None:
        self._documents, self._passages, self._protocol = documents, passages, protocol
        self._by_id = {document.id: document for document in documents}
        self.shown = aliases(list(self._by_id), protocol)
        self.known = {alias: name for name, alias in self.shown.items()}
        self._listing = ordered(list(self._by_id), protocol.documents)

    def tools(self) -> tuple[Tool, ...]:
        """The tools as the model is told about them."""
        return tuple(self._tool(kind) for kind in CANONICAL)

    def _tool(self, kind: str) -> Tool:
        _, description, properties, required = CANONICAL[kind]
        names = FIELD_NAMES[self._protocol.fields]
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {names.get(key, key): value for key, value in properties.items()},
            "required": [names.get(key, key) for key in required],
            "additionalProperties": False,
        }
        return Tool(TOOL_NAMES[self._protocol.tools][kind], description, schema)

    def operations(self) -> tuple[Operation, ...]:
        """The tools with what they do."""
        run: dict[str, Callable[[Arguments], Json]] = {
            "list": lambda _: self._listed(),
            "search": self._found,
            "open": self._opened,
            "calculator": calculated,
        }
        return tuple(
            Operation(self._tool(kind), CANONICAL[kind][0], self._presenting(run[kind]))
            for kind in CANONICAL
        )

    def _presenting(self, run: Callable[[Arguments], Json]) -> Callable[[Arguments], Json]:
        scheme = self._protocol.fields
        return lambda arguments: rename_fields(run(self.arguments(arguments)), scheme)

    def arguments(self, arguments: Arguments) -> dict[str, Json]:
        """Arguments with this protocol's field names undone."""
        names = {alias: name for name, alias in FIELD_NAMES[self._protocol.fields].items()}
        return {names.get(key, key): value for key, value in arguments.items()}

    def _listed(self) -> Json:
        documents: list[Json] = []
        for place in self._listing:
            document = self._documents[place]
            documents.append({"doc_id": self.shown[document.id], "total": len(document.lines)})
        return {"documents": documents}

    def _found(self, arguments: Arguments) -> Json:
        query = text_argument(arguments, "query")
        limit = whole_argument(arguments, "limit", RESULTS, 1, MOST_RESULTS)
        mode = choice_argument(arguments, "mode", ("all", "any"))
        hits = self._passages.ranked(query, mode == "all")
        results: list[dict[str, Json]] = []
        for hit in hits[:limit]:
            document = self._documents[hit.document]
            text = "\n".join(document.lines[hit.first - 1 : hit.last])
            results.append({"doc_id": document.id, "lines": [hit.first, hit.last], "text": text})
        names = [f"{result['doc_id']} {result['lines']}" for result in results]
        order = ordered(names, self._protocol.results)
        shown: list[Json] = [self._present(results[i]) for i in order]
        return {"results": shown, "more": len(hits) > limit}

    def _present(self, result: dict[str, Json]) -> dict[str, Json]:
        shown = {**result, "doc_id": self.shown[str(result["doc_id"])]}
        shown = relocate(shown, self._protocol.context)
        encoding = self._protocol.encoding
        return shown if encoding is None else nest(shown, *encoding)

    def restored(self, reply: Json) -> Json:
        """A search reply's results as the released protocol would show them, in its own order."""
        plain = plain_fields(reply, self._protocol.fields)
        results = plain.get("results") if isinstance(plain, dict) else None
        if not isinstance(results, list):
            return plain
        return [self._undone(result) for result in results if isinstance(result, dict)]

    def _undone(self, result: dict[str, Json]) -> dict[str, Json]:
        encoding = self._protocol.encoding
        plain = inline(result if encoding is None else unnest(result, encoding[0]))
        return {**plain, "doc_id": self.known.get(str(plain.get("doc_id")))}

    def _opened(self, arguments: Arguments) -> Json:
        shown = text_argument(arguments, "doc_id")
        document = self._by_id.get(self.known.get(shown, ""))
        if document is None:
            raise ToolError(f"no document {shown!r}")
        total = len(document.lines)
        start = whole_argument(arguments, "start", 1, 1, total)
        count = whole_argument(arguments, "count", LINES, 1, MOST_LINES)
        last = min(start + count - 1, total)
        text = "\n".join(document.lines[start - 1 : last])
        follows: Json = last + 1 if last < total else None
        place: dict[str, Json] = {"lines": [start, last], "total": total, "continues_at": follows}
        return {"doc_id": shown, **place, "text": text}
