"""Two trajectories side by side: a harness and the one it came from, on the task that tells most.

A trajectory is what stands in its last call's request: questions, tool calls, replies, notes.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ...engine.model.llm import Json
from ...engine.store.content import Turn, reply_text, turns_of
from ...engine.store.reader import Reader
from ..dossier import Dossier, call_by_slot, read_call
from ..glyphs import Glyphs
from ..lines import Line, one, tidy
from ..text import clean_lines
from ..widgets.diff import compare, render, wrap_spans
from .chase import BASE

_ROLLOUTS = (
    "SELECT r.context, r.item, r.sample, r.node, r.num, r.den, r.parsed, r.slot, i.split "
    "FROM rollout r JOIN item i ON i.id = r.item "
    "WHERE r.node IN (?, ?) AND r.slot IS NOT NULL "
    "AND (i.split IN ('evo', 'disc') OR i.split LIKE 'conf%')"
)
SPLITS = ("evo", "disc")
SHOWN = 4
"""Results of a list that are named."""
LONGEST = 160
_TAG = re.compile(r"</?\w+>")


@dataclass(frozen=True, slots=True)
class Rolled:
    """One recorded rollout."""

    context: str
    item: str
    sample: int
    node: str
    score: Fraction | None
    answer: str
    slot: str
    split: str


@dataclass(frozen=True, slots=True)
class Paths:
    """Both trajectories as lines: the other harness's first. `why` says why this task was taken."""

    other: str
    head: str
    why: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def read_paths(reader: Reader, dossier: Dossier) -> Paths | None:
    """The pair of rollouts of a harness and of its parent that differs most; None without one."""
    node = dossier.node
    other = node.parents[0] if node.parents else None
    for against in dict.fromkeys((BASE, other)):
        if against is None or against == node.id:
            continue
        pair = most_different(_rolled(reader, node.id, against), node.id)
        if pair is not None:
            return _paths(reader, against, *pair)
    return None


def _rolled(reader: Reader, node: str, other: str) -> list[Rolled]:
    return [
        Rolled(context, item, sample, name, Fraction(num, den) if den else None, parsed or "",
               slot, split)
        for context, item, sample, name, num, den, parsed, slot, split in reader.rows(
            _ROLLOUTS, (node, other)
        )
    ]  # fmt: skip


def most_different(rows: Iterable[Rolled], node: str) -> tuple[Rolled, Rolled] | None:
    """(other's, own) rollout of one task under one benchmark: the largest difference in score,
    then another answer, D_evo before other splits, the released benchmark before others."""
    pairs: dict[tuple[str, str, int], dict[bool, Rolled]] = {}
    for row in rows:
        pairs.setdefault((row.context, row.item, row.sample), {})[row.node == node] = row
    both = [(pair[False], pair[True]) for pair in pairs.values() if len(pair) == 2]
    return min(both, key=_rank, default=None)


def _rank(pair: tuple[Rolled, Rolled]) -> tuple[object, ...]:
    before, after = pair
    known = before.score is not None and after.score is not None
    apart = abs((before.score or Fraction(0)) - (after.score or Fraction(0))) if known else 0
    place = SPLITS.index(after.split) if after.split in SPLITS else len(SPLITS)
    other = before.answer == after.answer
    return -apart, other, place, after.context != "rel", after.context, after.item, after.sample


def _paths(reader: Reader, other: str, before: Rolled, after: Rolled) -> Paths:
    scores = [score_of(row.score) for row in (before, after)]
    head = f"task {after.item} under {after.context}, rollout {after.sample}"
    if before.score != after.score:
        why = f"of all tasks that both played, it differs most: {scores[0]} and {scores[1]}"
    else:
        why = f"no task is scored differently; both {scores[0]} here"
    lines = (trajectory_lines(*_texts(reader, row)) for row in (before, after))
    return Paths(other, head, why, *(tuple(own) for own in lines))


def score_of(score: Fraction | None) -> str:
    """A score in words."""
    return "no score" if score is None else f"score {float(score):g}"


def _texts(reader: Reader, row: Rolled) -> tuple[str, str]:
    call = call_by_slot(reader, row.slot)
    if call is None:
        return "", ""
    request, reply = read_call(reader, call)
    return request, reply_text(reply) if reply is not None else ""


def trajectory_lines(request: str, answer: str) -> list[str]:
    """A rollout step by step: the question, each call with a short reply, notes, the answer."""
    turns = turns_of(request)
    if not turns:
        return ["unknown: the call is not in the file"]
    lines = [line for turn in turns for line in _turn_lines(turn)]
    return [*lines, *(f"answer: {line}" for line in clean_lines(answer.strip()))]


def _turn_lines(turn: Turn) -> list[str]:
    if turn.role == "tool":
        return [f"  {line}" for line in reply_lines(turn.text)]
    said = [
        f"{turn.role}: {line}"
        for line in clean_lines(turn.text)
        if line.strip() and not _TAG.fullmatch(line.strip())
    ]
    return [*said, *(f"{tidy(name)}  {call_text(own)}" for name, own in turn.calls)]


def call_text(arguments: Json) -> str:
    """A call's arguments in one line."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return _short(tidy(str(arguments)))
    if not isinstance(arguments, dict):
        return ""
    return _short(tidy(", ".join(f"{name} {value}" for name, value in arguments.items())))


def reply_lines(text: str) -> list[str]:
    """A tool's reply in a few lines: what a list holds, how a text begins, an error whole."""
    try:
        value = json.loads(text)
    except ValueError:
        return [_short(line) for line in clean_lines(text)[:SHOWN]]
    if not isinstance(value, dict):
        return [_short(tidy(str(value)))]
    return [line for name, part in value.items() for line in _part_lines(name, part)]


def _part_lines(name: str, part: Json) -> list[str]:
    if isinstance(part, list):
        lines = [f"{tidy(name)}: {len(part)}", *(f"  {_named(one)}" for one in part[:SHOWN])]
        more = len(part) - SHOWN
        return [*lines, f"  and {more} more"] if more > 0 else lines
    if isinstance(part, str) and "\n" in part:
        return [f"{tidy(name)}: {part.count(chr(10)) + 1} lines"]
    return [f"{tidy(name)}: {_short(tidy(str(part)))}"]


def _named(value: Json) -> str:
    texts = [str(part) for part in value.values()] if isinstance(value, dict) else [str(value)]
    return _short(tidy(", ".join(texts)))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def path_lines(paths: Paths | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Both trajectories side by side where it is wide enough, unified below."""
    if paths is None:
        return [one("unknown: no task was played under this harness and another one yet", "warn")]
    head = [
        one(f"{tidy(paths.other)} before, this harness after: {tidy(paths.head)}", "accent"),
        one(tidy(paths.why), "dim"),
        (),
    ]
    lines: list[Line] = [part for line in head for part in wrap_spans(line, width)]
    changes = compare(list(paths.before), list(paths.after))
    return lines + render([("trajectory", changes)], width, glyphs, unfolded=True)
