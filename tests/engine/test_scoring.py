"""What the scoring command keeps of held-out tasks, through crashes and on a full disk."""

import asyncio
import json
import resource
import signal
from pathlib import Path

import pytest

from evoscope.engine.context import Run
from evoscope.engine.errors import DataError, StoreError
from evoscope.engine.executor import SandboxExecutor
from evoscope.engine.model.outcomes import Outcomes, Place
from evoscope.engine.report.cegar_held import held_file, held_out, read_outcomes, read_suites
from evoscope.engine.scoring import HeldKeeper, _score
from evoscope.engine.searches.cegar.plan import splits_of
from evoscope.engine.searches.cegar.settings import CegarSettings
from tests.engine.searches.cegar.test_splits import source


async def worked(run: Run) -> Outcomes:
    return Outcomes(b"planes", {"near": []})


async def kept(path: Path, *nodes: str) -> None:
    keeper = HeldKeeper(path, SandboxExecutor(None, 1), "f" * 64)
    try:
        for node in nodes:
            await keeper.settle(Place(node, "e" * 64, 0), worked)
    finally:
        await keeper.close()


@pytest.mark.parametrize("cut", [1, 20, 60, 250])
async def test_a_line_that_a_crash_cut_short_costs_its_own_outcome_only(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "heldout.jsonl"
    await kept(path, "a", "b")
    path.write_bytes(path.read_bytes()[:-cut])
    await kept(path, "a", "b", "c")
    assert sorted(place.node for place in read_outcomes(path)) == ["a", "b", "c"]
    assert read_suites(path) == "f" * 64
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


async def score(path: Path, settings: CegarSettings) -> int:
    """Label the held-out split; how many samples are right."""
    executor = SandboxExecutor(None, 1)
    split = await _score(path, splits_of(settings, 42)[1], (), executor)
    return sum(map(sum, split.right))


async def test_labels_of_a_hidden_suite_that_has_changed_since_are_refused(tmp_path: Path) -> None:
    told = source(tmp_path, "a", 0, training=2)
    settings = CegarSettings.model_validate({"sources": [told]})
    path = tmp_path / "run.evo"
    assert await score(path, settings) == 2
    tasks, kept = Path(str(told["tasks"])), held_file(path).read_bytes()
    config = {"cegar": settings.model_dump(mode="json"), "seed": 42}
    assert await score(path, settings) == 2
    assert await asyncio.to_thread(held_out, path, config, ()) is not None
    assert held_file(path).read_bytes() == kept
    lines = [json.loads(line) for line in tasks.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["plus_input"] = line["base_input"][:1]
    tasks.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(DataError, match=r"heldout\.jsonl: the hidden tests of held-out tasks have"):
        await score(path, settings)
    with pytest.raises(DataError, match="move the file away and run `evoscope score` again"):
        await asyncio.to_thread(held_out, path, config, ())
    older = kept.splitlines(keepends=True)[1:]
    held_file(path).write_bytes(b"".join(older))
    assert await asyncio.to_thread(held_out, path, config, ()) is not None
    assert await score(path, settings) == 2
    assert held_file(path).read_bytes() == b"".join(older)
