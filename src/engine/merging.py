"""The runs that `cegar.pool_from` names, read for a pool of several runs."""

import json
from collections.abc import Sequence
from pathlib import Path

from .canonical import canonical_json, sha256
from .errors import ConfigError, StoreError
from .report.cegar_read import calls_of, rounds_of, vetoed_of
from .run_files import run_name
from .searches.cegar.bench import COMPLETE
from .searches.cegar.from_run import FromRun
from .store.reader import Reader

PLANES = "SELECT planes FROM matrix WHERE node = ? AND electorate = ? AND shard = ?"


def runs_to_merge(paths: Sequence[Path]) -> tuple[FromRun, ...]:
    """Each run's admitted operators that no person has vetoed, with their recorded verdicts.

    Raises ConfigError for a file that is no finished cegar run, or is named twice.
    """
    known = [path.resolve() for path in paths]
    for path in known:
        if known.count(path) > 1:
            raise ConfigError(f"cegar.pool_from: {path} is named twice; name each run once")
    return tuple(_run(path) for path in paths)


def pin_of(runs: Sequence[FromRun]) -> str:
    """A hash of what is merged: a run that changes later is noticed at resume."""
    told = [
        [run.calls, run.electorate, [[o.node, o.level, o.source] for o, _ in run.operators]]
        for run in runs
    ]
    return sha256(canonical_json(told).encode())


def _run(path: Path) -> FromRun:
    try:
        with Reader(path) as reader:
            ended = reader.row("SELECT state FROM unit WHERE id = 'ending'")
            if reader.meta().get("search") != "cegar" or ended is None or ended[0] != "done":
                raise ConfigError(
                    f"cegar.pool_from: {path} is no finished cegar run; finish it, or leave it out"
                )
            return _found(reader)
    except StoreError as error:
        raise ConfigError(f"cegar.pool_from: {error}") from None


def _found(reader: Reader) -> FromRun:
    (result,) = reader.row("SELECT result FROM unit WHERE id = 'baseline'") or ("{}",)
    electorate = str(json.loads(result)["electorate"])
    vetoed = vetoed_of(reader)
    operators = []
    for one in (round_.admitted for round_ in rounds_of(reader)):
        if one is not None and one.node not in vetoed:
            row = reader.row(PLANES, (one.node, electorate, COMPLETE))
            if row is None:
                raise StoreError(f"{reader.path} lacks the verdicts of {one.node}; resume the run")
            operators.append((one, bytes(row[0])))
    offline = reader.meta().get("offline") == "1"
    return FromRun(run_name(reader.path), calls_of(reader), electorate, tuple(operators), offline)
