"""A run recorded once and kept: what it decided must come out of its responses for ever.

Where this fails, either a change broke replay by accident, or it was meant to: then raise
REPLAY_VERSION in `src/engine/searches/harden/search.py` and, in the same commit, make the file
anew:

    python -m tests.test_recorded

A prompt or bundled case that changed asks for a new file too; the replay version stays then.
"""

from pathlib import Path

from tests.recorded_kit import distinct, record, recorded, replayed

LARGEST_BYTES = 300_000
CONFIG = {
    "search": "harden",
    "seed": 13,
    "benchmark": {"kind": "pubmedqa", "sample": 1},
    "providers": {"offline": {"kind": "offline", "careless": 0.3}},
    "models": {
        "task": {"provider": "offline", "model": "reader", "temperature": 1.0},
        "analysis": {"provider": "offline", "model": "analyst"},
        "mutation": {"provider": "offline", "model": "mutator"},
        "gates": {"provider": "offline", "model": "auditor"},
    },
    "harden": {"generations": 2, "offspring": 4, "survivors": 1, "rollouts": 5, "shards": 1},
}


async def test_the_recorded_run_replays_to_its_digest(tmp_path: Path) -> None:
    found = await replayed("harden", tmp_path)
    assert found.calls > 60 and found.decisions > 3


def test_the_recorded_run_holds_what_a_search_can_meet() -> None:
    assert {"race", "select", "promote"} <= distinct("harden", "kind", "decision")
    purposes = {"axes", "rubric", "mutate", "extract", "audit", "realism", "rollout"}
    assert purposes <= distinct("harden", "purpose", "call")
    assert {"pass", "fail"} <= distinct("harden", "outcome", "verdict")
    assert recorded("harden").stat().st_size < LARGEST_BYTES


if __name__ == "__main__":
    record(CONFIG)
