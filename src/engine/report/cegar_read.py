"""What a cegar run's file holds, put together again: labels, operators, rounds, certificate.

Everything is derived from recorded outcomes with the search's own functions; nothing is run.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..benchmarks.code_tasks.sources import Split
from ..benchmarks.code_tasks.tasks import Task
from ..context import Work
from ..errors import UsageError
from ..model.outcomes import Outcomes, Place
from ..searches.cegar.bench import Bench, Operator
from ..searches.cegar.operators import starting_pool
from ..searches.cegar.outcome import RoundResult
from ..searches.cegar.partition import BlindSpot, blind_spots
from ..searches.cegar.pool import pool_flags
from ..searches.cegar.training import Labelled, Settle, labelled
from ..searches.cegar.verdicts import Member, Verdict, signatures
from ..store.memory import unpack
from ..store.reader import Reader

OUTCOMES = "SELECT node, electorate, shard, planes, reasons FROM matrix"
ITEMS = (
    "SELECT i.id, b.codec, b.data FROM item i JOIN blob b ON b.hash = i.content_hash "
    "WHERE i.split = 'training' ORDER BY i.ord"
)
ROUNDS = "SELECT result FROM unit WHERE kind = 'target' AND state = 'done' ORDER BY ord"

Columns = Mapping[str, Mapping[Member, Verdict]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled split with the verdicts of operators on it, by node."""

    split: Labelled
    columns: Columns


@dataclass(frozen=True, slots=True)
class Attempted:
    """One authored operator: its way through the gates. `stopped` is empty for admitted ones."""

    node: str
    unit: str
    name: str
    level: int
    stopped: str
    reason: str
    figures: Mapping[str, Any]
    state: str


@dataclass(frozen=True, slots=True)
class CegarRun:
    """A run as its tables see it. `admitted` leaves out what people have vetoed since."""

    name: str
    seed: int
    training: Judged
    starting: tuple[Operator, ...]
    admitted: tuple[Operator, ...]
    vetoed: tuple[str, ...]
    rounds: tuple[RoundResult, ...]
    attempts: tuple[Attempted, ...]
    ended: str
    certificate: Mapping[str, Any] | None
    calls: int

    @property
    def spots(self) -> list[BlindSpot]:
        """The blind spots of the pool as it stands."""
        columns = [self.training.columns[o.node] for o in (*self.starting, *self.admitted)]
        correct = self.training.split.correct
        return blind_spots(signatures(columns, sorted(correct)), correct)

    def flagged(self, judged: Judged) -> dict[Member, bool]:
        """What the pool flags on a split."""
        return pool_flags([dict(judged.columns[o.node]) for o in self.admitted], judged.split)


def read_cegar(reader: Reader) -> CegarRun:
    """The run in an open file. Raises UsageError before its baseline is finished."""
    meta = reader.meta()
    done = reader.row("SELECT state FROM unit WHERE id = 'baseline'")
    if done is None or done[0] != "done":
        raise UsageError(f"{meta.get('name', reader.path)}: its baseline is not finished yet")
    rounds = tuple(RoundResult.from_json(json.loads(r)) for (r,) in reader.rows(ROUNDS))
    vetoed = {node for (node,) in reader.rows("SELECT id FROM node WHERE vetoed = 1")}
    authored = [r.admitted for r in rounds if r.admitted is not None]
    admitted = tuple(operator for operator in authored if operator.node not in vetoed)
    starting = _starting(reader)
    ending = reader.row("SELECT result FROM unit WHERE id = 'ending' AND state = 'done'")
    (calls,) = reader.row("SELECT count(*) FROM call WHERE status = 'completed'") or (0,)
    return CegarRun(
        name=meta.get("name", ""),
        seed=int(meta.get("seed", 0)),
        training=judge(training_split(reader), (*starting, *authored), served(reader)),
        starting=starting,
        admitted=admitted,
        vetoed=tuple(o.node for o in authored if o.node in vetoed),
        rounds=rounds,
        attempts=tuple(_attempts(reader)),
        ended=json.loads(ending[0])["ended"] if ending else "",
        certificate=_certificate(reader),
        calls=calls,
    )


def judge(split: Split, operators: tuple[Operator, ...], settle: Settle) -> Judged:
    """Labels and complete columns by way of `settle`."""

    async def all_of() -> Judged:
        found = await labelled(split, settle)
        bench = Bench(found, settle)
        columns = {o.node: found.column(await bench.complete(o, {}, 1)) for o in operators}
        return Judged(found, columns)

    return asyncio.run(all_of())


def training_split(reader: Reader) -> Split:
    """The training tasks and samples that the run keeps."""
    tasks: list[Task] = []
    samples: dict[str, tuple[str, ...]] = {}
    for name, codec, data in reader.rows(ITEMS):
        held = json.loads(unpack(codec, data))
        visible = tuple(held["visible"])
        tasks.append(Task(name, "own", held["prompt"], held["entry"], "", visible, ()))
        samples[name] = tuple(held["samples"])
    return Split(tuple(tasks), samples)


def served(reader: Reader) -> Settle:
    """Outcomes as the file has them. What is missing raises UsageError."""
    kept = {
        Place(node, electorate, shard): Outcomes(planes, json.loads(reasons))
        for node, electorate, shard, planes, reasons in reader.rows(OUTCOMES)
    }

    async def settle(place: Place, work: Work) -> Outcomes:
        if place not in kept:
            raise UsageError(f"{reader.path}: outcomes {place.key} are missing; resume the run")
        return kept[place]

    return settle


def _starting(reader: Reader) -> tuple[Operator, ...]:
    (known,) = reader.row("SELECT count(*) FROM node WHERE grp = 'start' AND idx > 0") or (0,)
    if not known:
        return ()
    return tuple(Operator(f"hand/{o.name}", o.level, o.source, o.name) for o in starting_pool())


def _attempts(reader: Reader) -> list[Attempted]:
    nodes = reader.rows(
        "SELECT id, unit, description, json_extract(origin, '$.level'), state, vetoed FROM node "
        "WHERE kind = 'operator' AND grp <> 'start' ORDER BY seq"
    )
    details = "SELECT b.codec, b.data FROM blob b WHERE b.hash = ?"
    found = []
    for node, unit, name, level, state, vetoed in nodes:
        rows = reader.rows(
            "SELECT gate, outcome, reason, detail_hash FROM verdict WHERE node = ? ORDER BY seq",
            (node,),
        )
        gate, outcome, reason, detail = rows[-1] if rows else ("", "fail", "", None)
        blob = reader.row(details, (detail,)) if detail and gate == "admission" else None
        figures = json.loads(unpack(*blob)) if blob else {}
        stopped = gate if outcome == "fail" else ""
        shown = "vetoed" if vetoed else state
        found.append(Attempted(node, unit, name, level, stopped, reason, figures, shown))
    return found


def _certificate(reader: Reader) -> Mapping[str, Any] | None:
    row = reader.row(
        "SELECT codec, data FROM text JOIN blob ON hash = content_hash "
        "WHERE name = 'cegar/certificate'"
    )
    if row is None:
        return None
    found: Mapping[str, Any] = json.loads(unpack(*row))
    return found
