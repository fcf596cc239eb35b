"""A cegar run while it goes on: its labels, classes and verdicts, each read once.

For screens that ask again and again: labels and complete verdicts never change once they are
recorded, so they are kept for as long as the file is open. Nothing is run.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from threading import Lock
from weakref import WeakKeyDictionary, proxy

from ..errors import DataError, UsageError
from ..searches.cegar.cells import unpack_some
from ..searches.cegar.metric import Score, score
from ..searches.cegar.partition import BlindSpot, blind_spots
from ..searches.cegar.pool import pool_flags
from ..searches.cegar.training import LABELS, Labelled, labelled
from ..searches.cegar.verdicts import LETTERS, Member, Verdict, letters, signatures
from ..store.reader import Reader
from .cegar_held import held_file, held_out, read_outcomes
from .cegar_read import rounds_of, served, training_split

__all__ = [
    "ABSTAIN", "FLAG", "BlindSpot", "Facts", "Held", "Member", "Said", "facts_of", "letters",
    "trouble",
]  # fmt: skip

_ROWS = "SELECT planes, reasons FROM matrix WHERE node = ? AND electorate = ? ORDER BY shard"
_COMPLETE = "SELECT planes FROM matrix WHERE node = ? AND electorate = ? AND shard = 0"
_DETAILS = "SELECT reasons FROM matrix WHERE node = ? ORDER BY shard"
_START = "SELECT id FROM node WHERE grp = 'start' AND idx > 0 ORDER BY idx"
_BASELINE = "SELECT 1 FROM unit WHERE id = 'baseline' AND state = 'done'"
FLAG, ABSTAIN = LETTERS[Verdict.FLAG], LETTERS[Verdict.ABSTAIN]
VETOES = 6
"""Of more vetoed operators no combination is tried to find a target's class again."""


@dataclass(frozen=True, slots=True)
class Said:
    """An operator on the training programs it was run on, duplicates apart.

    `verdicts` has a letter (F, A, P) a program by number; `reasons` say why it abstained where
    that was not its own choice.
    """

    verdicts: Mapping[int, str]
    reasons: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Held:
    """The pool on the held-out split; `score` is None while not everything has been scored, or
    where `trouble` says why the split cannot be read."""

    score: Score | None
    trouble: str = ""


class Facts:
    """What is known of a run whose baseline is finished. One per open file: `facts_of`."""

    def __init__(self, reader: Reader) -> None:
        self._reader: Reader = proxy(reader)  # a strong one would keep it in `_KEPT` for ever
        self.split: Labelled = asyncio.run(labelled(training_split(reader), served(reader)))
        self.starting = tuple(node for (node,) in reader.rows(_START))
        self.details = dict(self._read_details())
        self.kinds = {sample.member: sample.fault for sample in self.split.raw()}
        self._columns: dict[str, Mapping[Member, Verdict]] = {}
        self._behaviours: dict[str, frozenset[int]] = {}
        self._spots: dict[tuple[str, ...], list[BlindSpot]] = {}
        self._scores: dict[str, Score] = {}
        self._held: tuple[object, Held | None] = (None, None)

    def _read_details(self) -> Iterator[tuple[Member, str]]:
        """Why a sample fails the hidden suite, as the labeller noted it."""
        rows = self._reader.rows(_DETAILS, (LABELS,))
        for task, (reasons,) in zip(self.split.tasks, rows, strict=True):
            for place, detail in json.loads(reasons).get("details", {}).items():
                yield Member(task.id, int(place)), str(detail)

    def column(self, node: str) -> Mapping[Member, Verdict] | None:
        """An operator's verdicts on every training member; None while not all are there."""
        if node not in self._columns:
            row = self._reader.row(_COMPLETE, (node, self.split.electorate))
            if row is None:
                return None
            verdicts = unpack_some(row[0], len(self.split.programs))
            self._columns[node] = self.split.column(verdicts)
        return self._columns[node]

    def said(self, node: str) -> Said:
        """What an operator has said so far, of the programs it was run on."""
        verdicts: dict[int, str] = {}
        reasons: dict[int, str] = {}
        count = len(self.split.programs)
        for planes, told in self._reader.rows(_ROWS, (node, self.split.electorate)):
            if len(verdicts) < count:  # the row of a complete operator comes first and has all
                found = unpack_some(planes, count)
                verdicts |= {number: LETTERS[verdict] for number, verdict in found.items()}
            abstained = json.loads(told).get("abstained", {})
            reasons |= {int(number): str(reason) for number, reason in abstained.items()}
        return Said(verdicts, reasons)

    def behaviour(self, node: str) -> frozenset[int] | None:
        """The programs of decidable tasks that an operator flags; None where it was not run on all
        of them."""
        if node not in self._behaviours:
            said = self.said(node).verdicts
            asked = [
                number
                for number, program in enumerate(self.split.programs)
                if program.task in self.split.decidable
            ]
            if not all(number in said for number in asked):
                return None
            self._behaviours[node] = frozenset(n for n in asked if said[n] == FLAG)
        return self._behaviours[node]

    def score(self, node: str) -> Score | None:
        """An operator by itself on the training split; None while it has not run everywhere."""
        column = self.column(node)
        if column is not None and node not in self._scores:
            flagged = {member for member, said in column.items() if said is Verdict.FLAG}
            self._scores[node] = score(self.split.votes(flagged.__contains__))
        return self._scores.get(node)

    def spots(self, admitted: Sequence[str]) -> list[BlindSpot] | None:
        """The blind spots under the starting pool and these operators, largest first; None while
        one of them has not run everywhere."""
        nodes = (*self.starting, *admitted)
        if nodes not in self._spots:
            columns = [column for column in map(self.column, nodes) if column is not None]
            if len(columns) < len(nodes):
                return None
            correct = self.split.correct
            self._spots[nodes] = blind_spots(signatures(columns, sorted(correct)), correct)
        return self._spots[nodes]

    def target(self, key: str, admitted: Sequence[str], vetoed: frozenset[str]) -> BlindSpot | None:
        """The class with this key, under the operators admitted before it was a target.

        Which of the vetoed ones were gone by then is not recorded, so it is tried.
        """
        gone = [node for node in admitted if node in vetoed][:VETOES]
        for size in range(len(gone) + 1):
            for some in combinations(gone, size):
                pool = [node for node in admitted if node not in some]
                for spot in self.spots(pool) or ():
                    if spot.key == key:
                        return spot
        return None

    def held(
        self, admitted: Sequence[str], config: dict[str, object], *, read: bool = True
    ) -> Held | None:
        """The pool's held-out score, None where nothing was scored; read when the file changes.

        That takes seconds; without `read` there is what was read last, None if that is of another
        pool or file.
        """
        path = held_file(self._reader.path)
        if not path.exists():
            return None
        key = (tuple(admitted), path.stat().st_mtime_ns)
        if read and self._held[0] != key:
            self._held = (key, self._read_held(frozenset(admitted), config))
        known, found = self._held
        return found if known == key else None

    def _read_held(self, admitted: frozenset[str], config: dict[str, object]) -> Held:
        authored = [found.admitted for found in rounds_of(self._reader)]
        pool = tuple(one for one in authored if one is not None and one.node in admitted)
        done = {place.node for place in read_outcomes(held_file(self._reader.path))}
        if not done >= admitted:  # while it is being scored, spare drawing the split each time
            return Held(None)
        try:
            judged = held_out(self._reader.path, config, pool)
        except DataError as error:  # the tasks' own files may be elsewhere by now
            return Held(None, str(error))
        if judged is None:
            return Held(None)
        flags = pool_flags([dict(judged.columns[one.node]) for one in pool], judged.split)
        return Held(score(judged.split.votes(flags.__getitem__)))


_KEPT: WeakKeyDictionary[Reader, Facts | str] = WeakKeyDictionary()
_LOCK = Lock()


def facts_of(reader: Reader) -> Facts | None:
    """The facts of an open run; None while its baseline is under way, or where `trouble` says
    that the file does not hold them."""
    with _LOCK:
        if reader not in _KEPT:
            if reader.row(_BASELINE) is None:
                return None
            try:
                _KEPT[reader] = Facts(reader)
            except UsageError as error:
                _KEPT[reader] = str(error)
        known = _KEPT[reader]
    return None if isinstance(known, str) else known


def trouble(reader: Reader) -> str:
    """Why an open run has no facts although its baseline is finished; "" if nothing is wrong."""
    known = _KEPT.get(reader)
    return known if isinstance(known, str) else ""
