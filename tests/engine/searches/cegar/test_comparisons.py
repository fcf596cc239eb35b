"""Baselines and ablations on the engine: beside the loop, in any order, with stops; bought once."""

import json
import random
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.config import ProviderSettings
from evoscope.engine.model.llm import Params, RawReply, Request
from evoscope.engine.providers.base import Provider
from evoscope.engine.providers.offline.provider import OfflineProvider
from evoscope.engine.searches.cegar.judging import PORTION
from evoscope.engine.searches.cegar.search import run
from evoscope.engine.searches.cegar.setup import CegarSetup
from evoscope.engine.searches.harden.setup import Profile
from evoscope.engine.store.memory import read_only
from tests.engine.searches.cegar import small
from tests.replay_kit import Kit, Life
from tests.sandbox_outcomes import OutcomeServer, ServedOutcomes

JUDGED = "purpose = 'judge' AND status = 'completed'"
ARMS = ("recall_floor", "target_only", "undirected", "flag_overlap")


class Counting(OfflineProvider):
    """The offline models; every request that leaves is counted by what it asks."""

    def __init__(self, settings: ProviderSettings, asked: list[str]) -> None:
        super().__init__("p", settings)
        self._asked = asked

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        if request.role == "judge":
            self._asked.append(f"{request.model}|{request.system}|{request.messages[0].text}")
        return await super().send(request, timeout_s)


def setup(*, compared: bool = True) -> CegarSetup:
    changes: dict[str, Any] = {"rounds": 1, "level2_attempts": 2}
    if compared:
        changes |= {
            "judge": True, "induction_level1": 2, "induction_level2": 3, "induction_sample": 6,
            "ablations": ARMS,
        }  # fmt: skip
    whole = small.setup(**changes)
    models = {**whole.profiles, "judge": Profile("p", "glance", Params())}
    return replace(whole, profiles=models)


def kit_of(tmp_path: Path, server: OutcomeServer, asked: list[str], whole: CegarSetup) -> Kit:
    def providers(seed: int) -> dict[str, Provider]:
        value = {"kind": "offline", "faults": {"latency_s": 0.1, "jitter_s": 0.2 + seed % 5}}
        return {"p": Counting(ProviderSettings.model_validate(value), asked)}

    seeds = iter(range(1000))
    return Kit(
        lambda: partial(run, setup=whole),
        tmp_path,
        providers,
        executor=lambda: ServedOutcomes(server, next(seeds)),
    )


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def kit(tmp_path: Path, server: OutcomeServer, asked: list[str]) -> Kit:
    return kit_of(tmp_path, server, asked, setup())


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(read_only(path)) as db:
        return db.execute(sql).fetchall()


def test_the_search_itself_is_the_same_with_and_without_what_it_is_compared_with(
    kit: Kit, tmp_path: Path, server: OutcomeServer
) -> None:
    beside = kit.file("beside")
    assert kit.finish(beside, 1).state == "finished"
    bare = kit_of(tmp_path, server, [], setup(compared=False))
    alone = bare.file("alone")
    bare.finish(alone, 1)
    own = "SELECT id, kind, ord, result, digest FROM unit WHERE kind IN ('target', 'ending')"
    assert rows(beside, own) == rows(alone, own)
    units = {unit for (unit,) in rows(beside, "SELECT id FROM unit WHERE kind = 'baseline'")}
    assert {f"{arm}-1" for arm in ARMS} <= units
    assert {"induction-1", "induction-2"} <= units
    assert sum(unit.startswith("judge-") for unit in units) == 4
    assert kit.verify(beside).ok


def test_any_order_and_any_stop_give_the_same_digest(kit: Kit) -> None:
    whole = kit.file("whole")
    kit.finish(whole, 1)
    wanted = kit.digest(whole)
    other = kit.file("order")
    kit.finish(other, 2)
    assert kit.digest(other) == wanted
    first = len(rows(whole, "SELECT * FROM matrix WHERE node LIKE 'target%'"))
    last = sum(
        len(rows(whole, f"SELECT * FROM {table}")) for table in ("matrix", "verdict", "call")
    )
    for stop in random.Random(3).sample(range(first, last), 5):
        path = kit.file(f"stop{stop}")
        kit.live(path, stop, Life(stop_after=stop))
        assert kit.finish(path, stop + 1).state == "finished"
        assert kit.digest(path) == wanted


def test_the_judge_is_asked_once_about_each_distinct_candidate(kit: Kit, asked: list[str]) -> None:
    path = kit.file("whole")
    kit.finish(path, 1)
    slots = "SELECT count(*), count(DISTINCT node) FROM call WHERE purpose = 'judge'"
    ((calls, pairs),) = rows(path, slots)
    assert calls == len(asked) == len(set(asked)) == 4 * pairs > 0
    assert kit.finish(path, 2).state == "finished"
    assert len(asked) == calls


def test_a_judge_that_was_cut_off_is_asked_again_only_where_no_reply_came(
    kit: Kit, asked: list[str]
) -> None:
    whole = kit.file("whole")
    kit.finish(whole, 1)
    wanted = set(asked)
    facts = len(rows(whole, "SELECT 1 FROM matrix")) + len(rows(whole, "SELECT 1 FROM verdict"))
    asked.clear()
    path = kit.file("cut")
    kit.live(path, 5, Life(stop_after=facts))
    (kept,) = rows(path, f"SELECT count(*) FROM call WHERE {JUDGED}")[0]
    assert 0 < kept < len(wanted)
    before = set(asked)
    asked.clear()
    kit.finish(path, 6)
    # Of a free request nothing is written before its reply: how many were in flight at the cut,
    # none or all eight, is the writer's timing, and each of them goes out once more.
    assert len(asked) == len(set(asked)) == len(wanted) - kept
    assert before | set(asked) == wanted


def test_a_person_can_skip_what_is_left_of_a_judge(kit: Kit) -> None:
    path = kit.file("skipped")
    skips = [
        (at, {"id": f"skip{at}", "kind": "skip", "args": {"case": "judge-author-word"}})
        for at in range(50, 900, 3)
    ]
    kit.live(path, 1, Life(commands=skips))
    assert kit.finish(path, 2).state == "finished"
    found = {unit: json.loads(text) for unit, text in rows(path, "SELECT id, result FROM unit")}
    left, whole = (found[f"judge-author-{form}"]["calls"] for form in ("word", "reason"))
    assert left in (0, PORTION) and left < whole
    assert len(found["judge-author-word"]["verdicts"]) == left
    assert kit.verify(path).ok
