"""Pools of several cegar runs, and recorded code that is run again."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.canonical import canonical_json
from evoscope.engine.errors import ConfigError, DataError
from evoscope.engine.export_cegar import contents
from evoscope.engine.merging import pin_of, runs_to_merge
from evoscope.engine.report import cegar_rules
from evoscope.engine.report.cegar_classes import flag_set
from evoscope.engine.report.cegar_read import CegarRun, read_cegar
from evoscope.engine.report.cegar_report import cegar_report
from evoscope.engine.rerun import Rerun
from evoscope.engine.searches.cegar.cells import pack_some, unpack_some
from evoscope.engine.searches.cegar.from_run import FromRun
from evoscope.engine.searches.cegar.search import run
from evoscope.engine.searches.cegar.verdicts import Verdict
from evoscope.engine.store.cegar import cegar_effect
from evoscope.engine.store.reader import Reader
from evoscope.engine.verify import verify
from tests.engine.searches.cegar import trains
from tests.engine.searches.cegar.small import providers
from tests.replay_kit import Kit
from tests.sandbox_outcomes import OutcomeServer, ServedOutcomes

AUTHORS = (1, 2)


def kit_of(folder: Path, server: OutcomeServer, author: int, runs: tuple[FromRun, ...] = ()) -> Kit:
    return Kit(
        lambda: partial(run, setup=trains.setup(author, runs)),
        folder,
        providers,
        executor=lambda: ServedOutcomes(server, author),
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, server: OutcomeServer) -> list[Path]:
    """Finished runs that differ in their author's seed alone."""
    folder = tmp_path_factory.mktemp("sources")
    paths = []
    for author in AUTHORS:
        kit = kit_of(folder, server, author)
        path = kit.file(f"author{author}")
        assert kit.finish(path, author).state == "finished"
        paths.append(trains.described(path))
    return paths


@pytest.fixture(scope="module")
def pooled(
    sources: list[Path], tmp_path_factory: pytest.TempPathFactory, server: OutcomeServer
) -> Path:
    """The run that merges them."""
    kit = kit_of(tmp_path_factory.mktemp("pool"), server, 0, runs_to_merge(sources))
    path = kit.file("pool")
    assert kit.finish(path, 3).state == "finished"
    verified = kit.verify(path)
    assert verified.ok, verified.mismatches
    again = kit.file("again")
    kit.finish(again, 4)
    assert kit.digest(again) == kit.digest(path)
    return trains.described(path)


def opened(path: Path) -> CegarRun:
    with Reader(path) as reader:
        return read_cegar(reader)


def test_a_pool_has_the_operators_of_its_runs_with_the_verdicts_they_had(
    sources: list[Path], pooled: Path
) -> None:
    parts, whole = [opened(path) for path in sources], opened(pooled)
    assert [o.source for o in whole.admitted] == [o.source for p in parts for o in p.admitted]
    assert [len(own) for own in whole.by_run] == [len(part.admitted) for part in parts]
    for part, own in zip(parts, whole.by_run, strict=True):
        for before, now in zip(part.admitted, own, strict=True):
            assert part.training.columns[before.node] == whole.training.columns[now.node]
    with Reader(pooled) as reader:
        reasons = [r for (r,) in reader.rows("SELECT reason FROM decision WHERE kind = 'admit'")]
        effect = cegar_effect(reader)
    assert reasons and all(r.endswith("0 verdicts differ here") for r in reasons)
    assert effect["pool"] == len(whole.admitted) and effect["delta"] is not None


def vetoed(kit: Kit, path: Path, nodes: Sequence[str]) -> dict[str, Any]:
    """The effect once these operators are vetoed and the finished run has been resumed."""
    for node in nodes:
        told = {"id": node.replace("/", "-"), "kind": "veto", "args": {"node": node}, "reason": "x"}
        kit.command(path, told)
    assert kit.finish(path, 5).state == "finished"
    verified = kit.verify(path)
    assert verified.ok, verified.mismatches
    with Reader(trains.described(path)) as reader:
        return cegar_effect(reader)


def test_what_late_vetoes_leave_of_a_pool_is_scored_when_the_run_is_resumed(
    sources: list[Path], pooled: Path, server: OutcomeServer
) -> None:
    kit = kit_of(pooled.parent, server, 0, runs_to_merge(sources))
    path = kit.file("vetoed")
    path.write_bytes(pooled.read_bytes())
    nodes = [one.node for one in opened(path).admitted]
    for count in range(1, len(nodes)):
        effect, run = vetoed(kit, path, nodes[count - 1 : count]), opened(path)
        flagged = run.flagged(run.training).__getitem__
        found, null = cegar_rules.tested(run.training, flagged, 42)
        told = (effect["pool"], effect["delta"], effect["flags"], effect["p"])
        assert told == (len(nodes) - count, found.delta, found.flags, null.p)
    effect = vetoed(kit, path, nodes[-1:])
    assert (effect["pool"], effect["delta"], effect["flags"]) == (0, None, None)


def test_the_pools_report_counts_the_calls_of_its_runs_and_none_of_its_own(
    sources: list[Path], pooled: Path
) -> None:
    tables = cegar_report(opened(pooled), None, {}).tables
    calls = [opened(path).calls for path in sources]
    cost = {row[0]: row[1] for row in tables["cost"].rows}
    assert cost["author, all runs"] == sum(calls) > 0
    assert [cost[f"author, run author{a}"] for a in AUTHORS] == calls
    assert opened(pooled).calls == 0


def test_rarefaction_counts_each_runs_classes_over_every_subset(pooled: Path) -> None:
    whole = opened(pooled)
    table = cegar_report(whole, None, {}).tables["rarefaction_training"]
    units = [{flag_set(whole.training, o) for o in own} for own in whole.by_run]
    for count, expected, _ in table.rows:
        assert isinstance(count, int)
        means = [len(set().union(*some)) for some in combinations(units, count)]
        assert expected == pytest.approx(sum(means) / len(means))


def test_a_pin_tells_pools_apart(sources: list[Path]) -> None:
    whole, part = runs_to_merge(sources), runs_to_merge(sources[:1])
    assert pin_of(whole) == pin_of(runs_to_merge(sources)) != pin_of(part)


def test_runs_that_cannot_be_merged_are_refused(
    sources: list[Path], tmp_path: Path, server: OutcomeServer
) -> None:
    with pytest.raises(ConfigError, match="named twice"):
        runs_to_merge([*sources, sources[0]])
    with pytest.raises(ConfigError, match=r"pool_from: .*missing\.evo"):
        runs_to_merge([tmp_path / "missing.evo"])
    unfinished = trains.described(kit_of(tmp_path, server, 1).file("begun"))
    with pytest.raises(ConfigError, match="no finished cegar run"):
        runs_to_merge([unfinished])
    with pytest.raises(DataError, match="other training candidates"):
        trains.setup(0, runs_to_merge(sources), split_seed=7)


def test_a_vetoed_operator_is_not_merged(sources: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "vetoed.evo"
    path.write_bytes(sources[0].read_bytes())
    gone = opened(path).admitted[0].node
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE node SET vetoed = 1 WHERE id = ?", (gone,))
    assert gone not in [o.node for run_ in runs_to_merge([path]) for o, _ in run_.operators]


def test_a_veto_takes_a_merged_operator_out_of_a_finished_pool(
    sources: list[Path], tmp_path: Path, server: OutcomeServer
) -> None:
    kit = kit_of(tmp_path, server, 0, runs_to_merge(sources[:1]))
    path = kit.file("vetoed")
    kit.finish(path, 1)
    gone = opened(trains.described(path)).admitted[0].node
    kit.command(path, {"id": "v", "kind": "veto", "args": {"node": gone}, "reason": "a leak"})
    assert kit.finish(path, 2).state == "finished"
    with Reader(path) as reader:
        rows = reader.rows("SELECT vetoes, chosen FROM decision WHERE kind = 'fallback'")
    left = [one.node for one in opened(path).admitted]
    assert rows == [(f'["{gone}"]', "[]"), (f'["{gone}"]', canonical_json(left))]
    assert gone not in [o.node for o in opened(path).admitted]
    assert kit.verify(path).ok


def test_a_pool_exports_as_a_package(pooled: Path) -> None:
    texts = contents(opened(pooled))
    names = [name for name in texts if "/operators/run" in name]
    assert len(names) == len(set(names)) == len(opened(pooled).admitted)


def rerun(path: Path, server: OutcomeServer, author: int) -> Rerun:
    again = Rerun(ServedOutcomes(server))
    search = partial(run, setup=trains.setup(author))
    found = asyncio.run(verify(path, 42, search, providers(0), again))
    assert found.ok, found.mismatches
    return again


def test_code_run_again_that_says_the_same_is_not_flaky(
    sources: list[Path], server: OutcomeServer
) -> None:
    again = rerun(sources[0], server, AUTHORS[0])
    with Reader(sources[0]) as reader:
        (count,) = reader.rows("SELECT count(*) FROM matrix")[0]
    assert again.flaky == [] and again.places == count and again.jobs > count


def test_a_cell_that_comes_out_otherwise_is_flaky_and_changes_no_decision(
    sources: list[Path], tmp_path: Path, server: OutcomeServer
) -> None:
    path = tmp_path / "changed.evo"
    path.write_bytes(sources[0].read_bytes())
    training = opened(path).training.split
    spare = next(n for n, p in enumerate(training.programs) if p.task not in training.decidable)
    with closing(sqlite3.connect(path)) as db, db:
        node, shard, planes = db.execute(
            "SELECT node, shard, planes FROM matrix WHERE node LIKE 'target%' AND shard > 0 "
            "AND electorate NOT LIKE '%/rewritten' ORDER BY node, shard DESC LIMIT 1"
        ).fetchone()
        kept = unpack_some(planes, len(training.programs))
        place = spare if spare in kept else next(iter(kept))
        kept[place] = next(one for one in Verdict if one is not kept[place])
        db.execute(
            "UPDATE matrix SET planes = ? WHERE node = ? AND shard = ?",
            (pack_some(kept, len(training.programs)), node, shard),
        )
    again = Rerun(ServedOutcomes(server))
    search = partial(run, setup=trains.setup(AUTHORS[0]))
    asyncio.run(verify(path, 42, search, providers(0), again))
    assert [one.id.split("#")[1] for one in again.flaky] == [str(place)]
    assert again.flaky[0].id.startswith(node) and again.flaky[0].recorded != again.flaky[0].derived
