"""The search on virtual time: hundreds of orders, stops after any commit, vetoes at any moment."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.searches.chase.search import run
from evoscope.engine.searches.chase.setup import ChaseSetup
from tests.engine.searches.chase.arena import Delayed, ledger, setup
from tests.replay_kit import Kit, Life

SIZES = {"evo": 3, "disc": 2, "conf1": 1, "cert": 2}
SEED = 1
STRIDE = 12
"""Commits of a short life."""
ORDERS = [range(first, first + 100) for first in range(0, 500, 100)]
"""Five hundred interleavings, in parts that can run side by side."""


@lru_cache(maxsize=1)
def tiny() -> ChaseSetup:
    """One round over a handful of tasks; whatever destroys nothing less is archived."""
    own = setup(SEED, rounds=1, methods=["chase", "compass"], eta="0", rollouts_conf=1)
    splits = {name: ledger().released.splits[name][:size] for name, size in SIZES.items()}
    ids = [task for many in splits.values() for task in many]
    released = replace(ledger().released.subset(ids), splits=splits)
    neutral = replace(ledger().neutral.subset(ids), splits=splits)
    return replace(own, released=released, neutral=neutral)


def kit_of(folder: Path) -> Kit:
    return Kit(
        lambda: lambda ctx: run(ctx, tiny()),
        folder,
        lambda seed: {"off": Delayed(seed)},
        concurrency=16,
    )


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return kit_of(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run that nobody disturbed, and its digest."""
    own = kit_of(tmp_path_factory.mktemp("whole"))
    path = own.file("whole")
    assert own.finish(path, 1).state == "finished"
    return path, own.digest(path)


def assert_one_digest(kit: Kit, seeds: Iterable[int], wanted: str) -> None:
    for seed in seeds:
        path = kit.file("run")
        assert kit.finish(path, seed).state == "finished"
        assert kit.digest(path) == wanted, f"order {seed}"
    assert kit.verify(path).mismatches == []


def test_some_orders_give_one_digest(kit: Kit, whole: tuple[Path, str]) -> None:
    assert_one_digest(kit, range(2, 22), whole[1])


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", ORDERS, ids=str)
def test_any_order_of_completion_gives_the_same_run(
    kit: Kit, whole: tuple[Path, str], seeds: range
) -> None:
    assert_one_digest(kit, seeds, whole[1])


@pytest.mark.parametrize(
    ("first", "every"), [(31, 80), pytest.param(1, 7, marks=pytest.mark.thorough)]
)
def test_a_stop_after_any_commit_resumes_to_the_same_run(
    kit: Kit, whole: tuple[Path, str], first: int, every: int
) -> None:
    stops = 0
    for stop in range(first, 10_000, every):
        path = kit.file("cut")
        if kit.live(path, 2, Life(stop_after=stop)) is not None:
            break
        stops += 1
        assert kit.finish(path, 3).state == "finished"
        assert kit.digest(path) == whole[1], f"stopped after commit {stop}"
    assert stops >= 2


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def decided(path: Path) -> list[tuple[str, list[str], list[str]]]:
    """Step, chosen nodes and vetoes of every decision."""
    sql = "SELECT step, chosen, vetoes FROM decision ORDER BY seq"
    return [(step, json.loads(chosen), json.loads(gone)) for step, chosen, gone in rows(path, sql)]


def targets(path: Path) -> tuple[str, str]:
    """The harness that was chosen in the round, and the counterfactual that was archived."""
    steps = {step: chosen for step, chosen, _ in decided(path) if chosen}
    (harness,), (counterfactual,) = steps["select"], steps["confirm"]
    return harness, counterfactual


def veto(node: str) -> dict[str, object]:
    return {"id": f"veto-{node}", "kind": "veto", "args": {"node": node}}


def assert_followed(kit: Kit, path: Path, node: str) -> bool:
    """Whether the veto was seen by a decision; then that decision left the node out."""
    assert kit.verify(path).mismatches == []
    found = [(step, chosen) for step, chosen, gone in decided(path) if node in gone]
    assert all(node not in chosen for _, chosen in found)
    if "final" in [step for step, _ in found]:
        (text,) = rows(path, "SELECT result FROM unit WHERE id = 'certification'")[0]
        result = json.loads(text)
        assert node not in result["archive"]
        assert node != result["methods"]["chase"]["harness"]
    return bool(found)


KINDS = pytest.mark.parametrize("kind", ["harness", "counterfactual"])


def known(kit: Kit, path: Path, node: str, more: int) -> bool:
    """Short lives until the node stands in the file, and some more; whether the run still goes."""
    for seed in range(200):
        if rows(path, f"SELECT 1 FROM node WHERE id = '{node}'"):
            more -= 1
        if more < 0:
            return True
        if kit.live(path, seed, Life(stop_after=STRIDE)) is not None:
            return False
    raise AssertionError(f"{node} never came")


@KINDS
@pytest.mark.parametrize("more", [0, 2])
def test_a_veto_between_two_lives_is_followed_and_replays(
    kit: Kit, whole: tuple[Path, str], kind: str, more: int
) -> None:
    node = targets(whole[0])[kind == "counterfactual"]
    path = kit.file("vetoed")
    assert known(kit, path, node, more)
    kit.command(path, veto(node))
    assert kit.finish(path, 3).state == "finished"
    assert assert_followed(kit, path, node)
    assert kit.digest(path) != whole[1]


@KINDS
def test_a_veto_that_is_taken_back_before_a_decision_leaves_no_trace(
    kit: Kit, whole: tuple[Path, str], kind: str
) -> None:
    node = targets(whole[0])[kind == "counterfactual"]
    path = kit.file("undone")
    assert known(kit, path, node, 0)
    kit.command(path, {**veto(node), "id": "1"})
    kit.command(path, {**veto(node), "id": "2", "kind": "unveto"})
    assert kit.finish(path, 3).state == "finished"
    assert [outcome for (outcome,) in rows(path, "SELECT outcome FROM command")] == ["done"] * 2
    assert not any(gone for _, _, gone in decided(path))
    assert kit.digest(path) == whole[1]


@pytest.mark.slow
@pytest.mark.parametrize("every", [60, pytest.param(12, marks=pytest.mark.thorough)])
@KINDS
def test_vetoes_at_any_moment_are_followed_and_replay(
    kit: Kit, whole: tuple[Path, str], kind: str, every: int
) -> None:
    node = targets(whole[0])[kind == "counterfactual"]
    followed = []
    for after in range(5, 400, every):
        path = kit.file("vetoed")
        assert kit.live(path, after, Life(commands=[(after, veto(node))])) is not None
        followed.append(assert_followed(kit, path, node))
    assert any(followed) and not all(followed)


def test_a_veto_after_the_seal_contests_the_certificate_and_chooses_nothing_anew(
    kit: Kit, whole: tuple[Path, str]
) -> None:
    path = kit.copy(whole[0], "after")
    harness = targets(whole[0])[0]
    before = decided(path)
    kit.command(path, veto(harness))
    assert kit.finish(path, 5).state == "finished"
    assert rows(path, f"SELECT vetoed FROM node WHERE id = '{harness}'") == [(1,)]
    assert decided(path) == before
    assert kit.verify(path).mismatches == []
