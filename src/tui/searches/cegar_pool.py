"""Axes and archive of a cegar run: levels and behaviours, the pool, the blind spots."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...engine.store.reader import Reader
from ...engine.store.views import NodeRow
from ..glyphs import Glyphs
from ..lines import Column, Line, Span, tidy
from ..widgets.bars import bar
from .cegar import STATE_STYLE, Attempt, Search, count_text, delta_text, read_search

if TYPE_CHECKING:
    from ...engine.report.cegar_live import BlindSpot, Facts

STOPS = {"author": "screens", "screens": "screens", "rewritten": "screens", "shrinks": "shrinks",
         "distinction": "distinction"}  # fmt: skip
"""Gates by the column that counts them; every other one is an admission gate."""
INTERFACES = {"1": "level 1  op(task, code)", "2": "level 2  op(task, code, ctx)"}


@dataclass(frozen=True, slots=True)
class Tried:
    """Operators that have a level or a behaviour in common, and where they stopped."""

    key: str
    name: str
    note: str
    nodes: tuple[str, ...]
    stops: Mapping[str, int]
    admitted: int


def read_tried(reader: Reader) -> list[Tried]:
    """Levels first, then behaviours, the most frequent first."""
    from ...engine.report.cegar_live import facts_of

    search, facts = read_search(reader), facts_of(reader)
    attempts = [attempt for target in search.targets for attempt in target.attempts]
    return [*_levels(search, attempts), *(_behaviours(search, attempts, facts) if facts else [])]


def _levels(search: Search, attempts: Sequence[Attempt]) -> list[Tried]:
    rows: list[Tried] = []
    for level in sorted({*INTERFACES, *(one.level for one in attempts)}):
        own = [one for one in attempts if one.level == level]
        hand = sum(str(node.origin.get("level")) == level for node in search.starting)
        note = f"{len(own)} authored; {hand} hand-written ones besides, which never vote"
        name = INTERFACES.get(level, f"level {level}")
        rows.append(_tried(f"level {level}", name, note, own))
    return rows


def _tried(
    key: str, name: str, note: str, own: Sequence[Attempt], nodes: Iterable[str] | None = None
) -> Tried:
    stops = Counter(STOPS.get(one.stopped, "admission") for one in own if one.stopped)
    ids = tuple(one.node.id for one in own) if nodes is None else tuple(nodes)
    return Tried(key, name, note, ids, stops, sum(one.admitted for one in own))


def titled(node: NodeRow) -> str:
    """An operator's name; with its node where it was authored, for names repeat."""
    name = tidy(node.description)
    return name if node.group == "start" else f"{name} ({tidy(node.id)})"


def _behaviours(search: Search, attempts: Sequence[Attempt], facts: "Facts") -> list[Tried]:
    """Operators that flag the same programs of decidable tasks, as far as they were run."""
    classes: dict[frozenset[int], list[NodeRow]] = {}
    far = [one.node for one in attempts if one.stopped not in STOPS]
    for node in (*search.starting, *far):
        flags = facts.behaviour(node.id)
        if flags is not None:
            classes.setdefault(flags, []).append(node)
    authored = {attempt.node.id: attempt for attempt in attempts}
    rows: list[Tried] = []
    for flags, nodes in sorted(classes.items(), key=lambda pair: (-len(pair[1]), pair[1][0].seq)):
        wrong = sum(not facts.split.programs[number].correct for number in flags)
        tasks = len({facts.split.programs[number].task for number in flags})
        names = ", ".join(titled(node) for node in nodes)
        told = f"{wrong} wrong and {len(flags) - wrong} right programs in {tasks} tasks"
        note = f"flags {told if flags else 'nothing in decidable tasks'}"
        own = [authored[node.id] for node in nodes if node.id in authored]
        key = f"like {nodes[0].id}"
        rows.append(_tried(key, names, note, own, (node.id for node in nodes)))
    return rows


TRIED_COLUMNS = (
    Column("level, behaviour", 0),
    Column("operators", 9, "right"),
    Column("screened", 8, "right", least=72),
    Column("no split", 8, "right"),
    Column("not new", 7, "right", least=72),
    Column("gate", 4, "right"),
    Column("admitted", 8, "right"),
    Column("", 12, least=100),
)


def tried_cells(row: Tried, glyphs: Glyphs) -> list[Span]:
    """A level's or behaviour's counts by where its operators stopped, and the share admitted."""
    stops = [row.stops.get(name, 0) for name in ("screens", "shrinks", "distinction", "admission")]
    share = row.admitted / len(row.nodes) if row.nodes else 0.0
    level = row.key.startswith("level ")
    return [
        (row.name, "bold" if level else ""),
        (f"{len(row.nodes)}", ""),
        *((str(count), "" if count else "dim") for count in stops),
        (str(row.admitted), "accent" if row.admitted else "dim"),
        (bar(share, 12, glyphs), "dim"),
    ]


@dataclass(frozen=True, slots=True)
class Kept:
    """A line of the archive: an operator of the pool, or a blind spot (then `spot` is set)."""

    key: str
    name: str
    word: str
    level: str = ""
    helped: int | None = None
    hurt: int | None = None
    delta: Fraction | None = None
    flags: int | None = None
    node: str | None = None
    spot: "BlindSpot | None" = None


@dataclass(frozen=True)
class Archive:
    """The pool, the blind spots that are left, and how the search ended ("" while it goes on).

    `sealed` is the certificate's hash with the number of its distinctions, `contested` the
    operators under it that people have vetoed since.
    """

    rows: tuple[Kept, ...] = ()
    ended: str = ""
    sealed: tuple[str, int] | None = None
    contested: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    trouble: str = ""


_ENDING = "SELECT json_extract(result, '$.ended') FROM unit WHERE kind = 'ending'"


def read_archive(reader: Reader) -> Archive:
    """Pool and blind spots; the latter once the baseline is there."""
    from ...engine.report.cegar_live import facts_of, trouble

    search, facts = read_search(reader), facts_of(reader)
    pool = [_operator(one, facts) for one in search.admitted]
    starting = [_hand(node, facts) for node in search.starting]
    spots = facts.spots(search.standing) if facts is not None else None
    left = [_spot(spot, search) for spot in spots or ()]
    ended = reader.row(_ENDING)
    counts = {"pool": len(search.standing), "starting": len(starting), "spots": len(left)}
    known = json.loads(reader.named_text("cegar/certificate") or "null")
    return Archive(
        (*pool, *left, *starting), ended[0] or "" if ended else "", _sealed(known),
        tuple(node for node in (known or {}).get("pool", ()) if node in search.vetoed), counts,
        trouble(reader),
    )  # fmt: skip


def _sealed(known: Mapping[str, Any] | None) -> tuple[str, int] | None:
    if known is None:
        return None
    return str(known.get("sha256", "")), len(known.get("distinctions", ()))


def _operator(one: Attempt, facts: "Facts | None") -> Kept:
    score = facts.score(one.node.id) if facts is not None else None
    flags = score.flags if score is not None else one.figures.get("flags")
    return Kept(
        one.node.id, titled(one.node), one.word, one.level, one.figures.get("helped"),
        one.figures.get("hurt"), one.delta, flags, one.node.id,
    )  # fmt: skip


def _hand(node: NodeRow, facts: "Facts | None") -> Kept:
    score = facts.score(node.id) if facts is not None else None
    told = (None, None, None) if score is None else (score.helped, score.hurt, score.flags)
    return Kept(
        node.id, titled(node), "starting", str(node.origin.get("level", "")), told[0],
        told[1], node.score, told[2], node.id,
    )  # fmt: skip


def _spot(spot: "BlindSpot", search: Search) -> Kept:
    from ...engine.report.cegar_live import letters

    named = [target for target in search.targets if target.key == spot.key]
    word = named[-1].word if named else "untried"
    word = "reopened" if word == "admitted" else word  # a veto took out what had split it
    return Kept(f"class {spot.key}", letters(spot.signature) or "no signature yet", word, spot=spot)


POOL_COLUMNS = (
    Column("", 1),
    Column("operator, blind spot", 0),
    Column("state", 9),
    Column("level", 5, "right", least=70),
    Column("helped", 6, "right"),
    Column("hurt", 4, "right"),
    Column("Delta", 7, "right"),
    Column("flags", 6, "right", least=66),
)
WIDE_FROM = 100
WIDE_POOL = (POOL_COLUMNS[0], replace(POOL_COLUMNS[1], width=48), *POOL_COLUMNS[2:], Column("", 0))
"""Wide screens keep the figures near the names."""
FIGURES = 3
"""The first column of figures: in a blind spot's line its signature takes their place."""


def pool_columns(width: int) -> tuple[Column, ...]:
    """The columns of operators."""
    return WIDE_POOL if width >= WIDE_FROM else POOL_COLUMNS


def columns_of(row: Kept, width: int) -> tuple[Column, ...]:
    """The columns of a line: a blind spot has its signature where operators have figures."""
    columns = pool_columns(width)
    if row.spot is None:
        return columns
    figures = [column.width for column in columns[FIGURES:] if width >= column.least]
    wide = width >= WIDE_FROM
    return (*columns[:FIGURES], Column("", 0 if wide else sum(figures) + len(figures) - 1))


def kept_cells(row: Kept, glyphs: Glyphs) -> list[Span]:
    """A line of the archive, for the columns of `columns_of`."""
    style = STATE_STYLE.get(row.word, "dim")
    sign = {"admitted": glyphs.promoted, "starting": glyphs.scored, "vetoed": glyphs.vetoed,
            "abandoned": glyphs.unimprovable, "open": glyphs.running}  # fmt: skip
    if row.spot is not None:
        right, wrong = len(row.spot.correct), len(row.spot.incorrect)
        return [
            (sign.get(row.word, glyphs.dot), style),
            (f"{right} right {wrong} wrong", ""),
            (row.word, style),
            (row.name, "dim"),
        ]
    return [
        (sign.get(row.word, glyphs.dot), style),
        (row.name, "" if row.word == "admitted" else "dim"),
        (row.word, style),
        (row.level, "dim"),
        (count_text(row.helped), "ok" if row.helped else "dim"),
        (count_text(row.hurt), "bad" if row.hurt else "dim"),
        (delta_text(row.delta), "accent" if row.delta and row.delta > 0 else "dim"),
        (count_text(row.flags), ""),
        ("", ""),
    ]


def archive_head(archive: Archive) -> list[Line]:
    """The certificate, or why there is none; then how much there is."""
    counts = archive.counts
    lines = [_certificate_line(archive)]
    if archive.contested:
        nodes = tidy(", ".join(archive.contested))
        lines.append(((" contested ", "warn"), (f"  since a veto of {nodes}", "warn")))
    if archive.trouble:
        return [*lines, ((f" {tidy(archive.trouble)}", "bad"),)]
    spots = counts.get("spots", 0)
    told = (
        f" {counts.get('pool', 0)} in the pool, {spots} blind spot{'s' * (spots != 1)} left, "
        f"{counts.get('starting', 0)} hand-written"
    )
    return [*lines, ((told, "dim"),)]


def _certificate_line(archive: Archive) -> Line:
    if archive.sealed is not None:
        digest, count = archive.sealed
        text = f" {count} distinction{'s' * (count != 1)} that no operator could express"
        return ((" certificate ", "dim"), (tidy(digest)[:16], "accent"), (text, ""))
    why = {
        "": "none yet: the search goes on",
        "separated": "none: no blind spot is left",
        "incomplete": "none: incomplete, blind spots are left that were not fully tried",
        "pooled": "none: operators of other runs, merged",
    }
    return ((" certificate ", "dim"), (why.get(archive.ended, archive.ended), "warn"))
