"""The search through the replay kit: orders of completion, lost power, vetoes; equal digests."""

from pathlib import Path

import pytest

from evoscope.engine.searches.chase.search import run
from tests.engine.searches.chase.arena import Delayed, setup
from tests.replay_kit import Kit, Life

SETTINGS = {"rounds": 1, "methods": ["chase", "compass"], "eta": "0", "rollouts_conf": 1}


def kit(folder: Path) -> Kit:
    return Kit(
        lambda: lambda ctx: run(ctx, setup(SEED, **SETTINGS)),
        folder,
        lambda seed: {"off": Delayed(seed)},
        concurrency=64,
    )


SEED = 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """A run from start to end, its digest and its number of calls."""
    own = kit(tmp_path_factory.mktemp("whole"))
    path = own.file("whole")
    provider = Delayed(1)
    own.providers = lambda seed: {"off": provider}
    assert own.finish(path, 1).state == "finished"
    return path, own.digest(path), len(provider.sent)


def test_another_order_of_completion_gives_the_same_digest(
    tmp_path: Path, whole: tuple[Path, str, int]
) -> None:
    own = kit(tmp_path)
    path = own.file("other")
    assert own.finish(path, 77).state == "finished"
    assert own.digest(path) == whole[1]


def test_a_run_that_lost_its_power_goes_on_and_buys_no_rollout_twice(
    tmp_path: Path, whole: tuple[Path, str, int]
) -> None:
    own = kit(tmp_path)
    path = own.file("cut")
    providers: list[Delayed] = []

    def provider(seed: int) -> dict[str, Delayed]:
        providers.append(Delayed(seed))
        return {"off": providers[-1]}

    own.providers = provider  # type: ignore[assignment]
    for life, cut in enumerate((25, 90, 170)):
        own.live(path, life, Life(stop_after=cut))
    assert own.finish(path, 9).state == "finished"
    assert own.digest(path) == whole[1]
    bought = sum(len(one.sent) for one in providers)
    assert whole[2] <= bought <= whole[2] + 3 * own.concurrency


def test_a_finished_run_verifies_from_its_file_alone(whole: tuple[Path, str, int]) -> None:
    found = kit(whole[0].parent).verify(whole[0])
    assert found.ok, found.mismatches[:3]
    assert found.decisions >= 6


def test_a_veto_between_two_lives_is_followed_the_same_way_again(tmp_path: Path) -> None:
    own = kit(tmp_path)
    path = own.file("veto")
    veto = {"id": "veto-1", "kind": "veto", "args": {"node": "chase/r1/p0"}}
    own.live(path, 3, Life(stop_after=60, commands=[(50, veto)]))
    assert own.finish(path, 4).state == "finished"
    assert own.verify(path).ok
