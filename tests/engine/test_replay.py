"""The toy search passes the replay kit: the ground under every other search."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from evoscope.engine.providers.base import Provider
from tests.replay_kit import HashProvider, Kit, Life
from tests.toy_search import Toy

UNITS = 2


def providers(seed: int) -> dict[str, Provider]:
    return {"toy": HashProvider("toy", seed, faults=0.1)}


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(lambda: Toy(UNITS), tmp_path, providers)


def veto(node: str, kind: str = "veto", number: int = 0) -> dict[str, object]:
    return {"id": f"{kind}{number}", "kind": kind, "args": {"node": node}}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, 125))
def test_any_order_of_completion_gives_the_same_run(kit: Kit, first: int) -> None:
    digests = set()
    for seed in [0, *range(first, first + 125)]:
        path = kit.file("run")
        assert kit.finish(path, seed).state == "finished"
        digests.add(kit.digest(path))
    assert len(digests) == 1


def test_a_stop_after_any_commit_resumes_to_the_same_run(kit: Kit) -> None:
    path = kit.file("whole")
    kit.finish(path, 1)
    whole = kit.digest(path)
    stop = 1
    while True:
        path = kit.file("cut")
        if kit.live(path, 2, Life(stop_after=stop)) is not None:
            break
        assert kit.finish(path, 3).state == "finished"
        assert kit.digest(path) == whole, f"stopped after commit {stop}"
        stop += 1
    assert stop > 20


def test_many_stops_in_one_run_lose_nothing_and_pay_nothing_twice(tmp_path: Path) -> None:
    made: list[HashProvider] = []

    def watched(seed: int) -> dict[str, Provider]:
        made.append(HashProvider("toy", seed))
        return {"toy": made[-1]}

    kit = Kit(lambda: Toy(UNITS), tmp_path, watched)
    path = kit.file("whole")
    kit.finish(path, 0)
    needed = sorted(made[0].sent)
    made.clear()
    path = kit.file("cut")
    lives = 0
    while kit.live(path, lives, Life(stop_after=9)) is None:
        lives += 1
    sent = [request for provider in made for request in provider.sent]
    assert lives > 3
    assert set(sent) == set(needed)
    extra = len(sent) - len(needed)
    assert 0 <= extra <= kit.ambiguous(path)


@pytest.mark.parametrize("undo", [False, True])
def test_vetoes_at_any_moment_replay_to_the_same_run(kit: Kit, undo: bool) -> None:
    draw = random.Random(7)
    changed = 0
    path = kit.file("plain")
    kit.finish(path, 5)
    plain = kit.digest(path)
    for after in range(2, 60, 2):
        node = f"u{draw.randrange(UNITS)}/g{draw.randrange(1, 3)}/i{draw.randrange(3)}"
        commands = [(after, veto(node))]
        if undo:
            commands.append((after + 6, veto(node, "unveto")))
        path = kit.file("vetoed")
        assert kit.live(path, after, Life(commands=commands)) is not None
        final = kit.digest(path)
        changed += final != plain
        assert kit.verify(path).mismatches == []
        assert kit.verify(kit.copy(path, "copy")).ok
    assert changed > 0 or undo


def test_a_veto_survives_a_stop_after_any_later_commit(kit: Kit) -> None:
    for stop in range(12, 60, 3):
        path = kit.file("vetoed")
        life = Life(stop_after=stop, commands=[(9, veto("u0/g1/i1"))])
        if kit.live(path, 11, life) is None:
            kit.finish(path, stop)
        assert kit.verify(path).mismatches == []


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


def test_a_pause_survives_a_stop_and_a_resume_lifts_it(kit: Kit) -> None:
    path = kit.file("run")
    kit.finish(path, 1)
    whole = kit.digest(path)
    path = kit.file("paused")
    pause = {"id": "p", "kind": "pause"}
    assert kit.live(path, 2, Life(stop_after=15, commands=[(5, pause)])) is None or True
    kit.command(path, {"id": "r", "kind": "resume"})
    kit.finish(path, 3)
    assert kit.digest(path) == whole


def test_parked_units_are_retried_and_come_out_the_same(tmp_path: Path) -> None:
    path_kit: Callable[[float], Kit] = lambda rate: Kit(  # noqa: E731
        lambda: Toy(UNITS), tmp_path, lambda seed: {"toy": HashProvider("toy", seed, faults=rate)}
    )
    path = path_kit(0.0).file("whole")
    path_kit(0.0).finish(path, 1)
    whole = path_kit(0.0).digest(path)
    path = path_kit(0.0).file("outage")
    end = path_kit(0.9).finish(path, 2)
    assert end.exit_code == 3 and "parked" in end.reason
    path_kit(0.0).command(path, {"id": "again", "kind": "retry"})
    assert path_kit(0.0).finish(path, 3).state == "finished"
    assert path_kit(0.0).digest(path) == whole
