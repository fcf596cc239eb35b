"""A cegar run as the screens read it: targets, their attempts, the pool, the effect."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...engine.store.listings import NODES
from ...engine.store.reader import Reader
from ...engine.store.status import RunStatus
from ...engine.store.views import NodeRow
from ..format import percent
from ..glyphs import Glyphs
from ..lines import Line, Span, tidy

if TYPE_CHECKING:
    from ...engine.report.cegar_live import Facts

GATES = ("author", "screens", "shrinks", "distinction", "rewritten", "admission")
"""The gates in their order; an ablation's own ones come last."""
STATE_STYLE = {
    "admitted": "accent", "rejected": "bad", "vetoed": "bad", "open": "ok", "abandoned": "warn",
    "parked": "warn", "failed": "bad", "scored": "", "starting": "dim",
}  # fmt: skip
WORDS = {"promoted": "admitted", "parent": "the pool"}
"""States of operators that have a word of their own here."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An authored operator: where it stopped, and what the admission gate saw of it."""

    node: NodeRow
    stopped: str
    reason: str
    figures: Mapping[str, Any]

    @property
    def word(self) -> str:
        """Its state in one word, a veto before everything."""
        if self.node.vetoed:
            return "vetoed"
        return WORDS.get(self.node.state, self.node.state)

    @property
    def admitted(self) -> bool:
        """Whether it came into the pool, whatever people did since."""
        return self.node.state == "promoted"

    @property
    def level(self) -> str:
        """The interface it was written for."""
        return str(self.node.origin.get("level", ""))

    @property
    def delta(self) -> Fraction | None:
        """What it changes by itself, where the gate was consulted."""
        return fraction(self.figures.get("delta"))


@dataclass(frozen=True, slots=True)
class Target:
    """A class that was, or is, to be split. `right` and `wrong` are None while unknown.

    `ended` is the word of its unit's result, `outcomes` its decisions as (kind, reason, pool).
    """

    unit: str
    state: str
    reason: str
    key: str
    right: int | None
    wrong: int | None
    fault: str
    ended: str
    attempts: tuple[Attempt, ...]
    outcomes: tuple[tuple[str, str, Mapping[str, Any]], ...]
    under_way: str

    @property
    def word(self) -> str:
        """What is to be said of it in one word."""
        return self.ended or self.state

    @property
    def size(self) -> int:
        """Members of the class; 0 while unknown."""
        return (self.right or 0) + (self.wrong or 0)

    @property
    def best(self) -> Fraction:
        """The largest Delta that the gate saw here."""
        return max((one.delta for one in self.attempts if one.delta), default=Fraction(0))


@dataclass(frozen=True)
class Search:
    """The whole search so far, as it was read."""

    targets: tuple[Target, ...] = ()
    starting: tuple[NodeRow, ...] = ()
    ending: str = ""
    vetoed: frozenset[str] = field(default_factory=frozenset)

    @property
    def admitted(self) -> list[Attempt]:
        """Every attempt that was admitted, in order, vetoed ones too."""
        return [a for target in self.targets for a in target.attempts if a.admitted]

    @property
    def standing(self) -> list[str]:
        """The nodes of the pool as it stands, the starting one left out."""
        return [one.node.id for one in self.admitted if not one.node.vetoed]

    def admitted_before(self, unit: str) -> list[str]:
        """Operators admitted on earlier targets, in order, vetoed ones too."""
        found: list[str] = []
        for target in self.targets:
            if target.unit == unit:
                break
            found += [one.node.id for one in target.attempts if one.admitted]
        return found


_UNITS = "SELECT id, state, reason, result FROM unit WHERE kind = 'target' ORDER BY ord"
_NODES = f"SELECT {NODES.columns} FROM node WHERE kind = 'operator' ORDER BY seq"
_VERDICTS = "SELECT node, gate, outcome, reason, detail_hash FROM verdict ORDER BY seq"
_DECISIONS = "SELECT unit, kind, reason, considered FROM decision ORDER BY seq"
_AUTHORED = (
    "SELECT unit, max(number), max(status NOT IN ('completed', 'failed')) FROM call "
    "WHERE purpose = 'author' GROUP BY unit"
)


def read_search(reader: Reader) -> Search:
    """Everything but the classes of targets that no decision has named yet."""
    nodes = [NODES.make(row) for row in reader.rows(_NODES)]
    last: dict[str, tuple[Any, ...]] = {row[0]: row for row in reader.rows(_VERDICTS)}
    attempts: dict[str, list[Attempt]] = {}
    for node in nodes:
        if node.group != "start":
            attempts.setdefault(node.unit, []).append(_attempt(reader, node, last.get(node.id)))
    decided: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for unit, kind, reason, considered in reader.rows(_DECISIONS):
        facts = json.loads(considered)
        decided.setdefault(unit, []).append((kind, reason, facts[0] if facts else {}))
    calls = {unit: (number, waits) for unit, number, waits in reader.rows(_AUTHORED)}
    targets = tuple(
        _target(row, attempts.get(row[0], []), decided.get(row[0], []), calls.get(row[0]))
        for row in reader.rows(_UNITS)
    )
    stop = next((reason for kind, reason, _ in decided.get("ending", []) if kind == "stop"), "")
    starting = tuple(node for node in nodes if node.group == "start" and node.index > 0)
    return Search(targets, starting, stop, frozenset(node.id for node in nodes if node.vetoed))


def _attempt(reader: Reader, node: NodeRow, last: tuple[Any, ...] | None) -> Attempt:
    if last is None:
        return Attempt(node, "", "", {})
    _, gate, outcome, reason, detail = last
    figures = _object(reader.text(detail)) if detail and gate == "admission" else {}
    return Attempt(node, gate if outcome != "pass" else "", reason, figures)


def _object(text: str) -> Mapping[str, Any]:
    value = json.loads(text)
    return value if isinstance(value, dict) else {}


def _target(
    row: tuple[Any, ...],
    attempts: Sequence[Attempt],
    decided: Sequence[tuple[str, str, Mapping[str, Any]]],
    call: tuple[int, int] | None,
) -> Target:
    unit, state, reason, result = row
    told = json.loads(result or "{}")
    named = next((facts for _, _, facts in decided if facts.get("class")), {})
    origin = attempts[-1].node.origin if attempts else {}
    key = named.get("class") or origin.get("target") or ""
    under_way = ""
    if state == "open" and call is not None and call[0] >= len(attempts):
        under_way = "is being authored" if call[1] else "is being tried"
    return Target(
        unit, state, reason, str(key), named.get("correct"), named.get("incorrect"),
        str(told.get("fault") or named.get("fault") or ""), str(told.get("ended") or ""),
        tuple(attempts), tuple(decided), under_way,
    )  # fmt: skip


def with_classes(search: Search, facts: "Facts") -> Search:
    """The search with the sizes and faults of classes that are still being tried."""
    return replace(search, targets=tuple(_with_class(t, search, facts) for t in search.targets))


def _with_class(target: Target, search: Search, facts: "Facts") -> Target:
    if not target.key or (target.right is not None and target.fault):
        return target
    spot = facts.target(target.key, search.admitted_before(target.unit), search.vetoed)
    if spot is None:
        return target
    faults = {fault.value for member in spot.incorrect if (fault := facts.kinds[member])}
    right, wrong = len(spot.correct), len(spot.incorrect)
    return replace(target, right=right, wrong=wrong, fault="; ".join(sorted(faults)))


def delta_text(delta: Fraction | None) -> str:
    """A change of selection accuracy with its sign, four places; empty if unknown."""
    return "" if delta is None else f"{float(delta):+.4f}"


def count_text(value: object) -> str:
    """A count; empty if unknown."""
    return "" if value is None else f"{value}"


def fraction(value: object) -> Fraction | None:
    """A stored fraction; None if there is none."""
    return None if value is None else Fraction(str(value))


@dataclass(frozen=True, slots=True)
class Effect:
    """What the overview says first. `pool` are the standing pool's figures on training data.

    `labelled` and `tried` count tasks and starting operators of a baseline that is under way, each
    with how many there are.
    """

    pool: Mapping[str, Any] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    ending: str = ""
    calls: int = 0
    limit: int | None = None
    labelled: tuple[int, int] = (0, 0)
    held: Any = None


_ADMITTED = "SELECT considered FROM decision WHERE kind = 'admit' ORDER BY seq DESC"
_ENDED = "SELECT json_extract(result, '$.ended'), state FROM unit WHERE kind = 'target'"
_COUNTS = (
    "SELECT (SELECT count(*) FROM matrix WHERE node = 'labels'), (SELECT count(*) FROM item), "
    "(SELECT count(*) FROM call WHERE purpose = 'author' AND status = 'completed'), "
    "(SELECT reason FROM decision WHERE kind = 'stop')"
)


def read_effect(reader: Reader) -> Effect:
    """The pool's figures, targets by state, calls, and the held-out score where there is one."""
    vetoed = {node for (node,) in reader.rows("SELECT id FROM node WHERE vetoed = 1")}
    admitted = [json.loads(row[0])[0] for row in reader.rows(_ADMITTED)]
    standing = {one["node"] for one in admitted} - vetoed
    pools = (one["pool"] for one in admitted if set(one["pool"]["members"]) == standing)
    states: dict[str, int] = {}
    for ended, state in reader.rows(_ENDED):
        word = ended or state
        states[word] = states.get(word, 0) + 1
    labelled, tasks, calls, ending = reader.row(_COUNTS) or (0, 0, 0, None)
    config = json.loads(reader.meta().get("config", "{}"))
    return Effect(
        next(pools, {}),
        states,
        ending or "",
        calls,
        (config.get("cegar") or {}).get("calls"),
        (labelled, tasks),
        _held(reader, sorted(standing), config),
    )


def _held(reader: Reader, standing: Sequence[str], config: dict[str, Any]) -> Any:
    """The held-out score; its module is big, so it is asked only where something was scored."""
    if not reader.path.with_name(f"{reader.path.name}.d").joinpath("heldout.jsonl").exists():
        return None
    from ...engine.report.cegar_live import facts_of

    facts = facts_of(reader)
    return None if facts is None else facts.held(standing, config)


def effect_lines(status: RunStatus, effect: Effect, glyphs: Glyphs) -> list[Line]:
    """Delta, pool, targets and calls of a run; its held-out figures where they are known."""
    found = status.found
    lines = [_delta_line(found, effect)]
    if effect.held is not None or status.state == "finished":
        lines.append(_held_line(effect.held))
    if found.get("pool"):
        lines.append(_pool_line(found, effect.pool))
    words = {"admitted": "split", "open": "open", "abandoned": "abandoned", "parked": "parked"}
    told = [f"{effect.states[key]} {word}" for key, word in words.items() if key in effect.states]
    lines.append(((" targets    ", "dim"), (", ".join(told) or "none yet", "")))
    of = "" if effect.limit is None else f" of {effect.limit}"
    lines.append(((" authoring  ", "dim"), (f"{effect.calls}{of} calls", "")))
    if effect.ending:
        lines.append(((" ending     ", "dim"), (tidy(effect.ending), "accent")))
    return lines


def _delta_line(found: Mapping[str, Any], effect: Effect) -> Line:
    delta = found.get("delta")
    if delta is not None:
        p = "" if found.get("p") is None else f", p {float(found['p']):.3f}"
        told = (found.get("headroom_share"), effect.pool.get("helped"), effect.pool.get("hurt"))
        rest = f"  {_change(*told)}{p}, training"
        return ((" Delta      ", "dim"), (delta_text(delta), "accent"), (rest, "dim"))
    if found.get("pool"):
        text = "not known since a veto; the next admission says it"
    elif effect.states:
        text = "no operator is admitted yet"
    else:
        text = "{} of {} tasks are labelled, then the starting pool runs".format(*effect.labelled)
    return ((" Delta      ", "dim"), (text, "dim"))


def _held_line(held: Any) -> Line:
    if held is None:
        return ((" held out   ", "dim"), ("not read yet; `evoscope score RUN` scores it", "dim"))
    if held.score is None:
        return ((" held out   ", "dim"), ("not all of the pool is scored", "warn"))
    told = _change(held.score.share, held.score.helped, held.score.hurt)
    delta: Span = (delta_text(held.score.delta), "accent")
    return ((" held out   ", "dim"), delta, (f"  {told}", "dim"))


def _change(share: Fraction | None, helped: object, hurt: object) -> str:
    part = "" if share is None else f"{percent(float(share))} of the headroom, "
    return f"{part}helped {helped}, hurt {hurt}"


def _pool_line(found: Mapping[str, Any], pool: Mapping[str, Any]) -> Line:
    count = found["pool"]
    votes = "1 operator, alone" if count == 1 else f"{count} operators, by two votes"
    caught = "" if not pool else f"  {pool['flags']} flags, {pool['caught']} on wrong programs"
    return ((" pool       ", "dim"), (votes, "accent"), (caught, "dim"))
