"""The search on the real engine: the replay kit's orders, stops, vetoes and outages."""

import asyncio
import random
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from evoscope.engine.canonical import request_body, sha256
from evoscope.engine.errors import CallFailed, ErrorClass, ProviderError
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Completion, Finish, RawReply, Request
from evoscope.engine.providers.base import Provider
from evoscope.engine.searches.harden.search import run
from evoscope.engine.searches.harden.setup import HardenSetup
from tests.engine.searches.harden.models import Scripted, harder_with_notes, setup
from tests.replay_kit import Kit, Life

CASES = 2


class ScriptedProvider:
    """Answers from the request alone, after a seeded time."""

    free = False

    def __init__(self, seed: int, faults: float = 0.0) -> None:
        self.name = "p"
        self._random, self._faults = random.Random(seed), faults
        self._script = Scripted(harder_with_notes, 0.8, 0.85)
        self.sent: list[str] = []

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        key = sha256(request_body(request))
        self.sent.append(f"{key}:{request.sample}")
        await asyncio.sleep(self._random.random())
        if self._random.random() < self._faults:
            raise ProviderError(ErrorClass.TRANSIENT, "dialled fault", status=500, maybe_paid=True)
        if int(key[:2], 16) < 6 and request.role == "audit":
            raise ProviderError(ErrorClass.PERMANENT, "declined", reason="refusal")
        said = self._script(Slot(key, request.role, number=request.sample), request)
        assert not isinstance(said, CallFailed)
        return RawReply(said.text.encode())

    def parse(self, reply: RawReply, request: Request) -> Completion:
        return Completion(reply.body.decode(), Finish.STOP)

    def estimate_input_tokens(self, request: Request) -> int:
        return 10

    async def aclose(self) -> None:
        return None


def small(scope: str = "case") -> HardenSetup:
    return replace(
        setup(
            CASES, generations=2, offspring=3, survivors=1, rollouts=4, shards=1,
            feedback_scope=scope,
        )
    )  # fmt: skip


def kit_of(folder: Path, faults: float = 0.02, scope: str = "case") -> Kit:
    def providers(seed: int) -> dict[str, Provider]:
        return {"p": ScriptedProvider(seed, faults)}

    return Kit(lambda: partial(run, setup=small(scope)), folder, providers)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return kit_of(tmp_path)


def veto(node: str, kind: str = "veto") -> dict[str, object]:
    return {"id": f"{kind}-{node.replace('/', '-')}", "kind": kind, "args": {"node": node}}


ORDERS = [
    range(100),
    *(pytest.param(range(f, f + 100), marks=pytest.mark.thorough) for f in range(100, 500, 100)),
]
"""Five hundred interleavings, in parts that can run side by side."""


@pytest.mark.slow
@pytest.mark.parametrize("seeds", ORDERS, ids=str)
def test_any_order_of_completion_gives_the_same_run(kit: Kit, seeds: range) -> None:
    assert_one_digest(kit, [0, *seeds])


def test_shards_give_the_same_run_in_any_order(tmp_path: Path) -> None:
    assert_one_digest(kit_of(tmp_path, scope="shard"), range(20))


def assert_one_digest(kit: Kit, seeds: Iterable[int]) -> None:
    digests = set()
    for seed in seeds:
        path = kit.file("run")
        end = kit.finish(path, seed)
        assert end.state == "finished", end
        digests.add(kit.digest(path))
    assert len(digests) == 1
    assert kit.verify(path).mismatches == []
    assert kit.verify(kit.copy(path, "copy")).ok


@pytest.mark.parametrize(("first", "every"), [(23, 61), pytest.param(1, 9, marks=pytest.mark.slow)])
def test_a_stop_after_any_commit_resumes_to_the_same_run(kit: Kit, first: int, every: int) -> None:
    path = kit.file("whole")
    kit.finish(path, 1)
    whole = kit.digest(path)
    stops = 0
    for stop in range(first, 10_000, every):
        path = kit.file("cut")
        if kit.live(path, 2, Life(stop_after=stop)) is not None:
            break
        stops += 1
        assert kit.finish(path, 3).state == "finished"
        assert kit.digest(path) == whole, f"stopped after commit {stop}"
    assert stops >= 2


def test_vetoes_at_any_moment_replay_to_the_same_run(kit: Kit) -> None:
    path = kit.file("plain")
    kit.finish(path, 5)
    plain, whole = kit.digest(path), kit.commits
    node = next(node for node in kit.promoted(path) if "/g1/" in node)
    changed = []
    for sixths in (1, 3, 5):
        path = kit.file("vetoed")
        life = Life(commands=[(whole * sixths // 6, veto(node))])
        assert kit.live(path, sixths, life) is not None
        changed.append(kit.digest(path) != plain)
        assert (node in kit.promoted(path)) != changed[-1]
        assert kit.verify(path).mismatches == []
    assert changed[-1], "a veto before the end came to nothing"


def test_a_veto_of_a_promoted_node_after_the_end_promotes_another(kit: Kit) -> None:
    path = kit.file("run")
    kit.finish(path, 1)
    promoted = next(node for node in kit.promoted(path) if "/g0/" not in node)
    before = kit.digest(path)
    kit.command(path, veto(promoted))
    assert kit.finish(path, 2).state == "finished"
    assert promoted not in kit.promoted(path)
    assert kit.digest(path) != before
    assert kit.verify(path).mismatches == []


def test_parked_units_are_retried_and_come_out_the_same(tmp_path: Path) -> None:
    calm, stormy = kit_of(tmp_path, 0.0), kit_of(tmp_path, 0.6)
    path = calm.file("whole")
    calm.finish(path, 1)
    whole = calm.digest(path)
    path = calm.file("outage")
    end = stormy.finish(path, 2)
    assert end.exit_code == 3 and "parked" in end.reason
    calm.command(path, {"id": "again", "kind": "retry"})
    assert calm.finish(path, 3).state == "finished"
    assert calm.digest(path) == whole
