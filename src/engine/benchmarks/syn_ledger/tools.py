"""The four tools of a Syn-Ledger task (CHASE, appendix D.1)."""

from collections.abc import Sequence

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
from .manifest import Placement, Style
from .model import DOCUMENTS, RECORDS, WINDOW, Task
from .render import window_text
from .search import ranked

LIMITS = Limits((("search", 4), ("open", 6), ("calculator", 2)), steps=24, seconds=600)
"""Twelve calls a task; turns and seconds leave room for them."""
RESULTS = 4
MOST_ASKED = 1_000

_TEXT: dict[str, Json] = {"type": "string"}
LIST_FILES = Tool(
    "list_files",
    "List the paths of all ledger files.",
    {"type": "object", "properties": {}, "additionalProperties": False},
)
SEARCH = Tool(
    "search",
    "Search the ledger files by words. With mode all a file must hold every word, with any at "
    "least one; files that hold more of them come first.",
    {
        "type": "object",
        "properties": {
            "query": _TEXT,
            # no maximum: twelve is the answer of some tasks
            "limit": {"type": "integer", "minimum": 1},
            "mode": {"type": "string", "enum": ["all", "any"]},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
OPEN_FILE = Tool(
    "open_file",
    "Read three records of a ledger file: the first three, or from start 4 the last three.",
    {
        "type": "object",
        "properties": {"path": _TEXT, "start": {"type": "integer", "enum": [1, 1 + WINDOW]}},
        "required": ["path"],
        "additionalProperties": False,
    },
)
CALCULATOR = Tool(
    "calculator",
    "Evaluate an arithmetic expression.",
    {
        "type": "object",
        "properties": {"expression": _TEXT},
        "required": ["expression"],
        "additionalProperties": False,
    },
)
TOOLS = (LIST_FILES, SEARCH, OPEN_FILE, CALCULATOR)


def operations(task: Task, placements: Sequence[Placement], style: Style) -> tuple[Operation, ...]:
    """The tools on one task's documents as the manifest shows them."""
    return (
        Operation(LIST_FILES, "search", lambda _: _listing(placements)),
        Operation(SEARCH, "search", lambda a: _found(task, placements, a)),
        Operation(OPEN_FILE, "open", lambda a: _opened(task, placements, style, a)),
        Operation(CALCULATOR, "calculator", calculated),
    )


def _listing(placements: Sequence[Placement]) -> Json:
    ordered = sorted(placements, key=lambda p: (p.name, p.folder))
    return {"files": [p.path for p in ordered]}


def _found(task: Task, placements: Sequence[Placement], arguments: Arguments) -> Json:
    query = text_argument(arguments, "query")
    limit = whole_argument(arguments, "limit", RESULTS, 1, MOST_ASKED)
    if limit > DOCUMENTS:
        raise ToolError("limit: there are fewer files")
    mode = choice_argument(arguments, "mode", ("all", "any"))
    places = ranked(task, placements, query, mode == "all")
    # no count of the matches: ten to twelve could be an answer
    results: list[Json] = [{"path": placements[i].path} for i in places[:limit]]
    return {"results": results, "more": len(places) > limit}


def _opened(
    task: Task, placements: Sequence[Placement], style: Style, arguments: Arguments
) -> Json:
    path = text_argument(arguments, "path")
    start = whole_argument(arguments, "start", 1, 1, RECORDS)
    if start not in (1, 1 + WINDOW):
        raise ToolError(f"start: 1 or {1 + WINDOW} is needed")
    for document, placement in zip(task.documents, placements, strict=True):
        if placement.path == path:
            text = window_text(document, placement, style, start - 1)
            following: Json = 1 + WINDOW if start == 1 else None
            return {"path": path, "text": text, "continues_at": following}
    raise ToolError(f"no file {path!r}")
