"""A cegar run recorded once: its responses and settled outcomes must give its decisions for ever.

Where this fails, see `test_recorded.py`: raise REPLAY_VERSION of `searches/cegar/search.py` if the
change was meant, and make the file anew:

    python -m tests.test_recorded_cegar
"""

from pathlib import Path

from tests.recorded_kit import distinct, record, recorded, replayed

LARGEST_BYTES = 300_000
CONFIG = {
    "search": "cegar",
    "seed": 42,
    "benchmark": {"kind": "code"},
    "providers": {"offline": {"kind": "offline"}},
    "models": {"author": {"provider": "offline", "model": "grammar", "seed": 2}},
    "cegar": {
        "candidates": 6, "starting_pool": False, "rounds": 3, "level1_attempts": 1,
        "level2_attempts": 3, "prompt_characters": 20_000,
    },
}  # fmt: skip


async def test_the_recorded_run_replays_to_its_digest_and_runs_no_program(tmp_path: Path) -> None:
    found = await replayed("cegar", tmp_path)
    assert found.calls > 3 and found.decisions > 1


def test_the_recorded_run_holds_what_a_search_can_meet() -> None:
    assert {"admit", "abandon", "stop"} <= distinct("cegar", "kind", "decision")
    assert {"screens", "shrinks", "rewritten", "admission"} <= distinct("cegar", "gate", "verdict")
    assert recorded("cegar").stat().st_size < LARGEST_BYTES


if __name__ == "__main__":
    record(CONFIG)
