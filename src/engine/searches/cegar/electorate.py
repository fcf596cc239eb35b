"""Peers and their pinned electorate: what a level-2 operator's verdict depends on (cegar.md, 1)."""

import hashlib
import json
from collections.abc import Mapping, Sequence

PEERS = 16
OBSERVATIONS = 600
"""Runs that one operator call may ask for."""


def code_hash(code: str) -> str:
    """SHA-256 of a program's text; a lone surrogate counts as a question mark."""
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()


def peers(raw: Sequence[str], own: str, limit: int = PEERS) -> list[str]:
    """The other programs of a task: raw samples in order, one copy of `own` dropped, the first 16.

    Duplicates stay: how many agree is what a plurality counts.
    """
    others = list(raw)
    if own in others:
        others.remove(own)
    return others[:limit]


def electorate_hash(
    samples: Mapping[str, Sequence[str]],
    visible: Mapping[str, Sequence[str]],
    *,
    peer_limit: int = PEERS,
    observations: int = OBSERVATIONS,
) -> str:
    """What a pool's level-2 verdicts are pinned to, as one hash.

    `samples` are each task's raw programs in order, `visible` its visible asserts, from which the
    inputs of ctx come.
    """
    tasks = [
        [task, [code_hash(code) for code in samples[task]], list(visible[task])]
        for task in sorted(samples)
    ]
    text = json.dumps([peer_limit, observations, tasks], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
