"""What the scoring command keeps of held-out tasks, through crashes and on a full disk."""

import resource
import signal
from pathlib import Path

import pytest

from evoscope.engine.context import Run
from evoscope.engine.errors import StoreError
from evoscope.engine.executor import SandboxExecutor
from evoscope.engine.model.outcomes import Outcomes, Place
from evoscope.engine.report.cegar_held import read_outcomes
from evoscope.engine.scoring import HeldKeeper


async def worked(run: Run) -> Outcomes:
    return Outcomes(b"planes", {"near": []})


async def kept(path: Path, *nodes: str) -> None:
    keeper = HeldKeeper(path, SandboxExecutor(None, 1))
    try:
        for node in nodes:
            await keeper.settle(Place(node, "e" * 64, 0), worked)
    finally:
        await keeper.close()


@pytest.mark.parametrize("cut", [1, 20, 60])
async def test_a_line_that_a_crash_cut_short_costs_its_own_outcome_only(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "heldout.jsonl"
    await kept(path, "a", "b")
    path.write_bytes(path.read_bytes()[:-cut])
    await kept(path, "a", "b", "c")
    assert sorted(place.node for place in read_outcomes(path)) == ["a", "b", "c"]
    whole = path.read_bytes()
    await kept(path, "a", "b", "c")
    assert path.read_bytes() == whole


async def test_a_file_that_cannot_grow_is_named_and_says_what_to_do(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(StoreError, match="make room, then score again"):
            await kept(tmp_path / "heldout.jsonl", "a")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    await kept(tmp_path / "heldout.jsonl", "a")
    assert [place.node for place in read_outcomes(tmp_path / "heldout.jsonl")] == ["a"]
