"""What a cegar run's file holds, put together again: labels, operators, rounds, certificate.

Everything is derived from recorded outcomes with the search's own functions; nothing is run.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..benchmarks.code_tasks.sources import Split
from ..benchmarks.code_tasks.tasks import Dataset, Task
from ..context import Work
from ..errors import UsageError
from ..model.outcomes import Outcomes, Place
from ..searches.cegar.bench import Bench, Operator
from ..searches.cegar.cells import unpack_some
from ..searches.cegar.from_run import SOURCES, merged
from ..searches.cegar.operators import starting_pool
from ..searches.cegar.outcome import RoundResult
from ..searches.cegar.partition import BlindSpot, blind_spots
from ..searches.cegar.pool import pool_flags
from ..searches.cegar.training import LABELS, Labelled, Settle, labelled
from ..searches.cegar.verdicts import Member, Verdict, signatures
from ..store.memory import unpack
from ..store.reader import Reader

OUTCOMES = "SELECT node, electorate, shard, planes, reasons FROM matrix"
ITEMS = (
    "SELECT i.id, b.codec, b.data FROM item i JOIN blob b ON b.hash = i.content_hash "
    "WHERE i.split = 'training' ORDER BY i.ord"
)
CALLS = (
    "SELECT count(*) FROM call JOIN unit ON unit.id = call.unit "
    "WHERE unit.kind = 'target' AND status = 'completed'"
)
ROUNDS = "SELECT result FROM unit WHERE kind = 'target' AND state = 'done' ORDER BY ord"

Columns = Mapping[str, Mapping[Member, Verdict]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled split with the verdicts of operators on it, by node, and each task's source."""

    split: Labelled
    columns: Columns
    pools: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attempted:
    """One authored operator: its way through the gates. `stopped` is empty for admitted ones;
    `silent` says whether it abstained on all it was run on, None where it was not run."""

    node: str
    unit: str
    name: str
    level: int
    stopped: str
    reason: str
    figures: Mapping[str, Any]
    state: str
    silent: bool | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A run whose operators were merged: its name, its calls, how many of its operators."""

    name: str
    calls: int
    operators: int


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
    sources: tuple[Source, ...] = ()

    @property
    def authored(self) -> int:
        """Calls to the author, those of all merged runs where there are any."""
        return sum(source.calls for source in self.sources) or self.calls

    @property
    def contested(self) -> tuple[str, ...]:
        """The operators under the certificate that people have vetoed since."""
        pool = () if self.certificate is None else self.certificate["pool"]
        return tuple(node for node in self.vetoed if node in pool)

    @property
    def by_run(self) -> list[list[Operator]]:
        """The admitted operators that stand, by the run that authored them."""
        if not self.sources:
            return [list(self.admitted)]
        return [
            [o for o in self.admitted if o.node.startswith(f"{merged(number)}/")]
            for number in range(1, len(self.sources) + 1)
        ]

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
    rounds, vetoed, starting = rounds_of(reader), vetoed_of(reader), starting_of(reader)
    authored = [r.admitted for r in rounds if r.admitted is not None]
    training = judge(training_split(reader), (*starting, *authored), served(reader))
    admitted = tuple(operator for operator in authored if operator.node not in vetoed)
    ending = reader.row("SELECT result FROM unit WHERE id = 'ending' AND state = 'done'")
    return CegarRun(
        name=meta.get("name", ""),
        seed=int(meta.get("seed", 0)),
        training=training,
        starting=starting,
        admitted=admitted,
        vetoed=tuple(o.node for o in authored if o.node in vetoed),
        rounds=rounds,
        attempts=tuple(attempts_of(reader, training.split, "target")),
        ended=json.loads(ending[0])["ended"] if ending else "",
        certificate=_certificate(reader),
        calls=calls_of(reader),
        sources=tuple(Source(**one) for one in json.loads(reader.named_text(SOURCES) or "[]")),
    )


def rounds_of(reader: Reader) -> tuple[RoundResult, ...]:
    """How each finished target ended, in order."""
    return tuple(RoundResult.from_json(json.loads(r)) for (r,) in reader.rows(ROUNDS))


def calls_of(reader: Reader) -> int:
    """How many calls to the author the search itself has made; its comparisons' are not in it."""
    (calls,) = reader.row(CALLS) or (0,)
    return int(calls)


def vetoed_of(reader: Reader) -> set[str]:
    """The nodes that people have vetoed."""
    return {node for (node,) in reader.rows("SELECT id FROM node WHERE vetoed = 1")}


def judge(split: Split, operators: tuple[Operator, ...], settle: Settle) -> Judged:
    """Labels and complete columns by way of `settle`."""

    async def all_of() -> Judged:
        found = await labelled(split, settle)
        return Judged(found, await columns_of(found, operators, settle), split.pools)

    return asyncio.run(all_of())


async def columns_of(split: Labelled, operators: Iterable[Operator], settle: Settle) -> Columns:
    """The complete verdicts of operators by member, by way of `settle`."""
    bench = Bench(split, settle)
    return {o.node: split.column(await bench.complete(o, {}, 1)) for o in operators}


def training_split(reader: Reader) -> Split:
    """The training tasks and samples that the run keeps."""
    settings = json.loads(reader.meta()["config"])["cegar"]
    programs: Dataset = "mbpp" if settings.get("sources") else "own"  # one of EvalPlus's two
    tasks: list[Task] = []
    samples: dict[str, tuple[str, ...]] = {}
    for name, codec, data in reader.rows(ITEMS):
        held = json.loads(unpack(codec, data))
        visible = tuple(held["visible"])
        fields = held.get("fields", {})
        tasks.append(
            Task(
                name, "bundle" if fields else programs, held["prompt"], held["entry"], "",
                visible, (), fields=fields,
            )
        )  # fmt: skip
        samples[name] = tuple(held["samples"])
    return Split(tuple(tasks), samples, everything=settings.get("signatures") == "raw")


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


def starting_of(reader: Reader) -> tuple[Operator, ...]:
    """The hand-written operators that the run started from."""
    (known,) = reader.row("SELECT count(*) FROM node WHERE grp = 'start' AND idx > 0") or (0,)
    if not known:
        return ()
    return tuple(Operator(f"hand/{o.name}", o.level, o.source, o.name) for o in starting_pool())


def _silent(reader: Reader, split: Labelled) -> dict[str, bool]:
    """Whether an operator abstained on every program it was run on, by node."""
    found: dict[str, bool] = {}
    count = len(split.programs)
    for node, electorate, _, planes, _ in reader.rows(OUTCOMES):
        if node != LABELS and electorate == split.electorate:
            said = set(unpack_some(planes, count).values())
            found[node] = found.get(node, True) and said <= {Verdict.ABSTAIN}
    return found


def attempts_of(reader: Reader, split: Labelled, kind: str) -> list[Attempted]:
    """The operators that units of this kind have authored, in the order of their attempts."""
    silent = _silent(reader, split)
    nodes = reader.rows(
        "SELECT n.id, n.unit, description, json_extract(origin, '$.level'), n.state, vetoed "
        "FROM node n JOIN unit u ON u.id = n.unit WHERE u.kind = ? AND n.kind = 'operator' "
        "AND grp <> 'start' AND json_extract(origin, '$.kind') <> 'pooled' "
        "ORDER BY u.ord, n.unit, idx",
        (kind,),
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
        found.append(
            Attempted(
                node, unit, name, level, stopped, reason, figures, shown, silent.get(node)
            )
        )  # fmt: skip
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
