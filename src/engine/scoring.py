"""The scoring command: the only reader of held-out tasks (cegar.md, 4 and 6).

Outcomes on the held-out split are kept in the run's folder, not in its file: nothing that the
search does can ever have read them. An interrupted scoring goes on where it stopped.
"""

import asyncio
import base64
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from .benchmarks.code_tasks.sources import Split
from .canonical import canonical_json
from .context import Work
from .errors import DataError, SandboxUnavailable, StoreError, UsageError
from .executor import SandboxExecutor, accepted
from .held_judge import judge_held
from .launch import require_keys
from .model.llm import Json
from .model.outcomes import Outcomes, Place
from .report.cegar_compared import read_compared
from .report.cegar_held import SUITES, held_file, read_outcomes, read_suites, same_suites
from .report.cegar_read import read_cegar
from .run import stored_config
from .sandbox.jobs import Job, Outcome
from .searches.cegar.bench import Bench, Operator
from .searches.cegar.judging import balance
from .searches.cegar.plan import splits_of, suites_hash
from .searches.cegar.training import Labelled, electorate_of, labelled
from .store.reader import Reader

STAGE = 1


def score_run(path: Path) -> None:
    """Label the held-out split of a run and run its pool on it, as far as that is not done; the
    operators of its baselines and ablations too, and the judge where the run has one.

    Raises UsageError for another search's run and where judging had to stop, ConfigError where
    the judge's key is missing, DataError where the files have changed since the search,
    SandboxUnavailable where nothing can be run.
    """
    config = stored_config(path)
    if config.search != "cegar":
        raise UsageError(f"{path}: a {config.search} run has no held-out tasks to score")
    if config.cegar.judge:
        require_keys(path, os.environ)
    with Reader(path) as reader:
        run, levels = read_cegar(reader), accepted(reader.meta())
        others = read_compared(reader, run).operators
    training, heldout = splits_of(config.cegar, config.seed)
    unchanged(path, training, run.training.split.electorate)
    operators = (*run.starting, *run.admitted, *others)
    cache = held_file(path).with_suffix(".cache")
    executor = SandboxExecutor(cache, config.cegar.workers, accept=levels)
    split = asyncio.run(_score(path, heldout, operators, executor))
    if config.cegar.judge:
        asyncio.run(judge_held(path, config, split, balance(run.training.split)))


def unchanged(path: Path, training: Split, electorate: str) -> None:
    """Raise DataError where the tasks' files are not those of the search: the split drawn from
    others may hold out what the search has read."""
    if electorate_of(training) != electorate:
        raise DataError(
            f"{path}: the task or sample files have changed since the search, so its training "
            "tasks may now be held-out ones; put them back, then score"
        )


async def _score(
    path: Path, heldout: Split, operators: Sequence[Operator], executor: SandboxExecutor
) -> Labelled:
    """The held-out split with its labels; every operator has been run on it. Raises DataError
    where labels of other hidden tests are there."""
    suites = suites_hash(heldout)
    same_suites(path, suites)
    keeper = HeldKeeper(held_file(path), executor, suites)
    try:
        split = await labelled(heldout, keeper.settle)
        bench = Bench(split, keeper.settle)
        for operator in operators:
            await bench.complete(operator, {}, STAGE)
        return split
    finally:
        await keeper.close()


class HeldKeeper:
    """Held-out outcomes in a file of lines, one a place; the first says what suites they are of."""

    def __init__(self, path: Path, executor: SandboxExecutor, suites: str) -> None:
        self._known = read_outcomes(path)
        first = not self._known and read_suites(path) is None
        self._head: list[dict[str, Json]] = [{SUITES: suites}] if first else []
        self._executor = executor
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab+")
            self._file.seek(-min(1, self._file.tell()), os.SEEK_END)
            if self._file.read(1) not in (b"", b"\n"):  # a crash cut the last line short
                self._file.write(b"\n")
        except OSError as error:
            raise StoreError(f"{path} cannot be written ({error.strerror})") from None

    async def settle(self, place: Place, work: Work) -> Outcomes:
        """The outcomes of a place, run now if they are not there."""
        if place not in self._known:
            found = await work(self._run)
            row: dict[str, Json] = {
                "node": place.node, "electorate": place.electorate, "shard": place.shard,
                "planes": base64.b64encode(found.planes).decode(), "reasons": dict(found.reasons),
            }  # fmt: skip
            try:
                for one in (*self._head, row):
                    self._file.write(f"{canonical_json(one)}\n".encode())
                self._head = []
                self._file.flush()
            except OSError as error:
                raise StoreError(
                    f"{self._file.name} cannot be written ({error.strerror}); make room, then "
                    "score again"
                ) from None
            self._known[place] = found
        return self._known[place]

    async def close(self) -> None:
        """End the sandbox and give the file up."""
        with contextlib.suppress(OSError):  # on a full disk the last line cannot be written
            self._file.close()
        await self._executor.close()

    async def _run(self, job: Job) -> Outcome:
        outcome = await self._executor.settle(job)
        if outcome.verdict == "abstain":
            raise SandboxUnavailable(f"a program could not be run ({outcome.message}); score again")
        return outcome
