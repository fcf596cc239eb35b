"""Splitting items in two halves that no result can influence (EvalCEGAR, Appendix F)."""

import hashlib
from collections.abc import Iterable


def halves(ids: Iterable[str], seed: int) -> tuple[frozenset[str], frozenset[str]]:
    """Halves A and B of distinct ids by the order of SHA-256("seed:id"); A has the odd one."""
    ordered = sorted(set(ids), key=lambda name: (_key(seed, name), name))
    middle = (len(ordered) + 1) // 2
    return frozenset(ordered[:middle]), frozenset(ordered[middle:])


def _key(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()
