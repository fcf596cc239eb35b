"""How far the rollouts are that a chase run plays now.

They are recorded together when all of an evaluation have ended, so until then the calls tell. There
may be a hundred thousand of them: what has ended is counted once and kept beside the reader.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from ...engine.store.reader import Reader

_ROLLED = (
    "SELECT DISTINCT node, context, split FROM rollout JOIN item ON item.id = rollout.item "
    "WHERE unit = ?"
)
_CALLS = (
    "SELECT seq, node, purpose, number, status = 'failed' OR "
    "coalesce(finish, 'tool_calls') <> 'tool_calls' FROM call "
    "WHERE unit = ? AND seq > ? AND role = 'agent' ORDER BY seq"
)
_OPEN = "SELECT min(seq) FROM call WHERE unit = ? AND status NOT IN ('completed', 'failed')"
ROLLOUTS = {"evo": "rollouts_evo", "disc": "rollouts_disc", "conf": "rollouts_conf"}
"""The setting that says how often a split's tasks are played; sealed ones as D_cert's."""

Place = tuple[str, str, str]
"""Harness, benchmark, split."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Rollouts that have ended, of those that a node's evaluation under way will have."""

    done: int
    total: int

    @property
    def text(self) -> str:
        """`12/32`."""
        return f"{self.done}/{self.total}"


@dataclass(slots=True)
class Seen:
    """A unit's calls up to `upto`, all of them answered: by evaluation, the rollouts that gave an
    answer in them, each as its task and number."""

    upto: int = 0
    answered: dict[Place, set[tuple[str, int]]] = field(default_factory=dict)


_SEEN: WeakKeyDictionary[Reader, dict[str, Seen]] = WeakKeyDictionary()


def read_progress(
    reader: Reader, units: Sequence[str], settings: Mapping[str, Any]
) -> dict[str, Progress]:
    """What the open units evaluate now: by harness on D_evo and D_cert, else by counterfactual."""
    if not units:
        return {}
    splits = dict(reader.rows("SELECT id, split FROM item"))
    sizes = Counter(splits.values())
    found: dict[str, Progress] = {}
    for unit in units:
        for (node, benchmark, split), done in _under_way(reader, unit, splits).items():
            part = split[:4]
            total = sizes[split] * int(settings.get(ROLLOUTS.get(part, "rollouts_cert"), 1))
            own = benchmark if part in ("disc", "conf") and benchmark != "rel" else node
            old = found.get(own, Progress(0, 0))
            found[own] = Progress(old.done + min(done, total), old.total + total)
    return found


def _under_way(reader: Reader, unit: str, splits: Mapping[str, str]) -> dict[Place, int]:
    """Rollouts with an answer, of every evaluation that has begun and is not recorded yet.

    A policy may ask for the answer once more, so one rollout can give several.
    """
    seen = _SEEN.setdefault(reader, {}).setdefault(unit, Seen())
    first = reader.row(_OPEN, (unit,))
    settled = first[0] if first is not None and first[0] is not None else float("inf")
    newer: dict[Place, set[tuple[str, int]]] = {}
    for seq, node, purpose, number, answered in reader.rows(_CALLS, (unit, seen.upto)):
        benchmark, _, task = purpose.removeprefix("agent:").partition(":")
        place = (node, benchmark, splits.get(task, ""))
        kept = seen.answered if seq < settled else newer
        own = kept.setdefault(place, set())
        if answered:
            own.add((task, number))
        if seq < settled:
            seen.upto = seq
    found = {
        place: len(seen.answered.get(place, set()) | newer.get(place, set()))
        for place in (*seen.answered, *newer)
    }
    for node, benchmark, split in reader.rows(_ROLLED, (unit,)):
        found.pop((node, benchmark, split), None)
    return found
