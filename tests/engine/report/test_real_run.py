"""A real offline search, reported: its figures are those that the search counted itself."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from evoscope.engine.benchmarks.load import load
from evoscope.engine.calls.prices import Prices
from evoscope.engine.config import RunConfig
from evoscope.engine.model.harden import CaseResult
from evoscope.engine.model.llm import Params
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.report.harden import HardenRun
from evoscope.engine.report.harden_calls import (
    saved_by_futility,
    saved_greedy,
    saved_rollouts,
    saved_votes,
)
from evoscope.engine.report.harden_gates import axis_table
from evoscope.engine.report.harden_read import read_harden
from evoscope.engine.report.harden_report import harden_report
from evoscope.engine.report.harden_scores import case_table, hardened_table
from evoscope.engine.searches.harden.search import run as harden
from evoscope.engine.searches.harden.setup import ROLES, HardenSetup, Profile
from evoscope.engine.session import Session, Setup
from evoscope.engine.store.database import create, initialise
from evoscope.engine.store.reader import Reader
from evoscope.engine.store.status import read_status

CONFIG = RunConfig.model_validate(
    {
        "search": "harden",
        "benchmark": {"kind": "pubmedqa", "sample": 6},
        "providers": {"offline": {"kind": "offline", "careless": 0.4}},
        "models": {role: {"provider": "offline", "model": "offline"} for role in ROLES},
        "harden": {"generations": 2, "offspring": 5, "survivors": 2},
    }
)


async def search(path: Path) -> None:
    profiles = {role: Profile("offline", role, Params()) for role in ROLES}
    profiles["task"] = Profile("offline", "reader", Params(temperature=1.0))
    setup = HardenSetup(load("pubmedqa"), CONFIG.harden, profiles, sample=6)
    providers = {"offline": OfflineProvider("offline", CONFIG.providers["offline"])}
    prices = Prices(CONFIG.models, CONFIG.providers)
    session = Session(
        path, Setup(lambda ctx: harden(ctx, setup), 42, 4, providers, CONFIG.providers, prices)
    )
    await session.open()
    try:
        end = await session.run()
    finally:
        await session.close()
    assert end.state == "finished"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "real.evo"
    create(path)
    meta = {
        "search": "harden", "name": "real", "seed": "42", "offline": "1", "state": "starting",
        "config": CONFIG.model_dump_json(), "progress_total": "6", "progress_unit": "case",
    }  # fmt: skip
    initialise(path, meta, {})
    asyncio.run(search(path))
    return path


@pytest.fixture(scope="module")
def facts(finished: Path) -> HardenRun:
    with Reader(finished) as reader:
        return read_harden(reader)


@pytest.fixture(scope="module")
def results(finished: Path) -> list[CaseResult]:
    with Reader(finished) as reader:
        rows = reader.rows("SELECT result FROM unit WHERE kind = 'case' ORDER BY ord")
    return [CaseResult.from_json(json.loads(text)) for (text,) in rows]


def test_scores_are_those_that_the_search_decided_by(
    facts: HardenRun, results: list[CaseResult]
) -> None:
    assert len(facts.cases) == len(results) == 6
    for case, result in zip(facts.cases, results, strict=True):
        assert case.before and case.after
        pairs = [(case.before, result.score_before, result.fresh_before)]
        pairs.append((case.after, result.score_after, result.fresh_after))
        for version, chosen, fresh in pairs:
            assert version.selection and version.fresh
            assert (version.selection.score, version.fresh.score) == (chosen, fresh)
        assert case.before.selection
        assert case.before.selection.entropy(facts.recipe.base) == result.entropy_before


def test_axes_and_savings_are_those_that_the_search_counted(
    facts: HardenRun, results: list[CaseResult]
) -> None:
    counted: Counter[tuple[str, str]] = Counter()
    for result in results:
        for axis, counts in result.axes.items():
            counted[axis, "applied"] += counts.applied
            counted[axis, "passed"] += counts.passed
            counted[axis, "improved"] += counts.improved
    shown: Counter[tuple[str, str]] = Counter()
    for row in axis_table(facts).rows:
        for name, place in (("applied", 1), ("passed", 2), ("improved", 4)):
            shown[str(row[0]), name] += int(str(row[place]))
    assert +shown == +counted
    assert saved_votes(facts) == sum(r.saved_by_vote_stopping for r in results) > 0
    assert saved_rollouts(facts) == sum(r.saved_by_racing for r in results)
    assert saved_greedy(facts) == sum(r.saved_greedy for r in results) > 0
    assert saved_by_futility(facts) == sum(r.skipped_by_futility for r in results)


def test_report_and_status_say_the_same(finished: Path, facts: HardenRun) -> None:
    effect = read_status(finished).effect
    report = harden_report(facts, {})
    fresh = report.tables["accuracy"].rows[0]
    assert effect.fresh_before is not None and effect.fresh_after is not None
    assert fresh[2] == float(100 * effect.fresh_before)
    assert fresh[5] == float(100 * effect.fresh_after)
    assert hardened_table(facts).rows[0][1] == effect.hardened
    assert case_table(facts).rows[-1][1] == effect.cases


def test_every_completed_call_is_in_the_spend_table(finished: Path, facts: HardenRun) -> None:
    completed = read_status(finished).calls.completed
    assert sum(spend.calls for spend in facts.spend) == completed > 0
    assert sum(facts.purposes.values()) == completed


def test_careless_mutations_are_tagged_and_some_are_caught(facts: HardenRun) -> None:
    table = harden_report(facts, {}).tables["careless"]
    last = table.rows[-1]
    assert int(str(last[1])) > 0
    assert 0 < int(str(last[2])) <= int(str(last[1]))


def test_no_log_prob_of_the_offline_models_is_lost(facts: HardenRun) -> None:
    rows = harden_report(facts, {}).tables["uncertainty"].rows
    assert {row[2] for row in rows} == {len(facts.done)}
