"""What the app shows of one search only: its tabs, its effect, its sides of a node."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...engine.model.llm import Json
from ...engine.store.content import fields_of
from ...engine.store.reader import Reader
from ...engine.store.status import RunStatus
from ...engine.store.views import NodeRow
from ..dossier import Dossier
from ..glyphs import Glyphs
from ..lines import Line
from ..searches.harden import score_text
from .view import View


@dataclass(frozen=True, slots=True)
class Side:
    """A tab of the inspect page. `read` runs in the reading thread; `lines` gets what it gave."""

    name: str
    read: Callable[[Reader, Dossier], Any]
    lines: Callable[[Any, int, Glyphs], list[Line]]


def origin_text(node: NodeRow) -> str:
    """What made a node: its axis, or its kind."""
    return str(node.origin.get("axis") or node.origin.get("kind") or "")


def leaves(node: NodeRow, descendants: int) -> str:
    """What a veto takes from the run, for the dialog."""
    goes = "no descendants" if not descendants else f"{descendants} descendant"
    return f"goes from every later selection, with {goes}{'s' * (descendants > 1)}"


@dataclass(frozen=True, slots=True)
class Own:
    """`views` are the tabs Tree, Axes and Archive; `effect` is what the overview says first.

    `unit` is the kind of unit that progress counts, with its plural. `sides` come before the
    shared tabs of the inspect page; `diff` says whether a node is compared with its parent, by the
    `fields` of its content. `gates` stand in the ledger's order; `ledger_hint` says what it is
    filtered by. `leaves` says what a veto takes from the run, `score` what a node is worth;
    `rollouts` whether nodes have any. `counts` gives gate, outcome and number for the ledger's top,
    by default from the counters that the engine keeps. `signs` says what a node's states mean here,
    where that is not what the help says of harden's. `read_ahead` is for what takes seconds: it
    runs in the slow thread and says whether `read_effect` knows more since.
    """

    views: tuple[type[View], type[View], type[View]]
    read_effect: Callable[[Reader], Any]
    effect: Callable[[RunStatus, Any, Glyphs], list[Line]]
    unit: tuple[str, str]
    sides: Callable[[NodeRow], tuple[Side, ...]]
    diff: Callable[[NodeRow], bool]
    gates: tuple[str, ...]
    ledger_hint: str
    fields: Callable[[str], Mapping[str, Json]] = fields_of
    leaves: Callable[[NodeRow, int], str] = leaves
    score: Callable[[NodeRow], str] = score_text
    rollouts: bool = True
    read_ahead: Callable[[Reader], bool] | None = None
    signs: Mapping[str, str] = field(default_factory=dict)
    counts: str = (
        "SELECT gate, outcome, sum(n) FROM tally "
        "WHERE gate NOT IN ('axis', 'saved') GROUP BY gate, outcome"
    )


def own_of(search: str) -> Own:
    """A search's own part of the screens, imported when a run of it is first shown."""
    own: Own = import_module(f".tabs.of_{search}", __package__).OWN
    return own
