"""A chase run recorded once: its responses must give its decisions for ever.

Where this fails, see `test_recorded.py`: raise REPLAY_VERSION of `searches/chase/search.py` if the
change was meant, and make the file anew:

    python -m tests.test_recorded_chase

A few tasks of Syn-Ledger, so that the file stays small; it says so in its name.
"""

import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from evoscope.engine.config_file import load_config
from evoscope.engine.context import Context
from evoscope.engine.searches.chase.search import run, total
from evoscope.engine.searches.chase.setup import ChaseSetup
from evoscope.engine.verify import verify
from tests.engine.searches.chase.arena import Delayed, ledger, setup
from tests.recorded_kit import assert_as_recorded, distinct, keep, recorded
from tests.replay_kit import Kit

DEMO = Path(__file__).resolve().parents[1] / "examples" / "demo-chase.toml"
LARGEST_BYTES = 1_500_000
SIZES = {"evo": 2, "disc": 1, "conf1": 1, "conf2": 1, "cert": 1}
SEED = 42
MODELS = 1


def recorded_setup() -> ChaseSetup:
    """Two rounds of CHASE and of HarnessCompass on six tasks."""
    whole = ledger()
    splits = {name: whole.released.splits[name][:size] for name, size in SIZES.items()}
    ids = [task for many in splits.values() for task in many]
    variants = (replace(env.subset(ids), splits=splits) for env in (whole.released, whole.neutral))
    released, neutral = variants
    chosen = setup(MODELS, rounds=2, methods=["chase", "compass"], rollouts_conf=1, eta="0")
    return replace(chosen, released=released, neutral=neutral)


def search() -> Callable[[Context], Awaitable[None]]:
    """The recorded search."""
    return lambda ctx: run(ctx, recorded_setup())


def record() -> None:
    """Make the recorded run and its digest anew, in as few bytes as SQLite can."""
    with tempfile.TemporaryDirectory() as folder:
        kit = Kit(search, Path(folder), lambda seed: {"off": Delayed(seed)}, concurrency=64)
        path = kit.file("chase")
        if kit.finish(path, 1).state != "finished":
            sys.exit("the run did not finish")
        keep(path, "chase", page=4096, meta=_meta())


def _meta() -> dict[str, str]:
    """What a run from a configuration says of itself."""
    own = recorded_setup()
    config = load_config(DEMO).model_copy(update={"chase": own.settings})
    return {
        "search": "chase", "name": "chase", "offline": "1", "state": "finished", "reason": "",
        "seed": str(SEED), "progress_unit": "round", "progress_total": str(total(own) - 3),
        "config": config.model_dump_json(), "started": "2026-11-30T08:00:00.000Z",
        "updated": "2026-11-30T08:02:00.000Z",
    }  # fmt: skip


async def test_the_recorded_run_replays_to_its_digest(tmp_path: Path) -> None:
    path = Path(shutil.copy(recorded("chase"), tmp_path / "elsewhere.evo"))
    found = await verify(path, SEED, search(), {"off": Delayed(0)})
    assert_as_recorded(path, "chase", found)
    assert found.calls > 300 and found.decisions > 6


def test_the_recorded_run_holds_what_a_search_can_meet() -> None:
    assert {"adopt", "archive", "promote", "open_seal"} <= distinct("chase", "kind", "decision")
    assert {"firewall", "generalization"} <= distinct("chase", "gate", "verdict")
    states = {"survivor", "discarded", "rejected", "promoted"}
    assert states <= distinct("chase", "state", "node")
    assert recorded("chase").stat().st_size < LARGEST_BYTES


if __name__ == "__main__":
    record()
