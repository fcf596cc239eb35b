"""Settled outcomes of running code: recorded once, served from then on (engine-decisions, 12)."""

import json
from contextlib import closing
from pathlib import Path

from .canonical import canonical_json, sha256
from .context import Work
from .errors import CallOpen
from .executor import Executor
from .model.outcomes import Outcomes, Place
from .sandbox.jobs import Job, Outcome
from .store.memory import read_only
from .store.writer import Write, Writer

INSERT = "INSERT INTO matrix(node, electorate, shard, planes, reasons) VALUES (?, ?, ?, ?, ?)"
SELECT = "SELECT node, electorate, shard, planes, reasons FROM matrix"


class OutcomeKeeper:
    """Serves what the file holds; has the rest computed and commits it."""

    def __init__(self, path: Path, writer: Writer, executor: Executor) -> None:
        self._path, self._writer, self._executor = path, writer, executor
        self._known: dict[Place, Outcomes] | None = None

    async def settle(self, place: Place, work: Work) -> Outcomes:
        """The outcomes of a place, durable once it returns. Raises CallOpen where the sandbox
        could not run something: then nothing of the place is kept."""
        if self._known is None:
            await self._writer.settled()
            self._known = recorded(self._path)
        if place not in self._known:
            found = await work(self._run)
            row = (place.node, place.electorate, place.shard, found.planes)
            await self._writer.commit(Write(INSERT, (*row, canonical_json(dict(found.reasons)))))
            self._known[place] = found
        return self._known[place]

    async def _run(self, job: Job) -> Outcome:
        outcome = await self._executor.settle(job)
        if outcome.verdict == "abstain":
            raise CallOpen(f"the sandbox could not run a program ({outcome.message}); retry it")
        return outcome


def recorded(path: Path) -> dict[Place, Outcomes]:
    """All outcomes that a file holds."""
    with closing(read_only(path)) as db:
        rows = db.execute(SELECT).fetchall()
    return {
        Place(node, electorate, shard): Outcomes(planes, json.loads(reasons))
        for node, electorate, shard, planes, reasons in rows
    }


def canonical_rows(found: dict[Place, Outcomes]) -> list[list[object]]:
    """The outcomes as rows of a digest."""
    return [
        ["matrix", place.node, place.electorate, place.shard, sha256(one.planes), dict(one.reasons)]
        for place, one in found.items()
    ]
