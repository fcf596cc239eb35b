"""An operator's verdicts over a pinned order of candidates, two bits a cell (table `matrix`)."""

import zlib
from collections.abc import Sequence

import numpy as np

from ...errors import StoreError
from .verdicts import Verdict

MISSING = 3
"""Both bits: the operator has not been run on this candidate."""


def pack(verdicts: Sequence[Verdict | None]) -> bytes:
    """Two bit planes (low bits, then high bits of each cell), deflated; None is missing."""
    codes = np.array([MISSING if v is None else int(v) for v in verdicts], dtype=np.uint8)
    planes = np.concatenate([np.packbits(codes & 1), np.packbits(codes >> 1)])
    return zlib.compress(planes.tobytes(), 6)


def unpack(data: bytes, count: int) -> list[Verdict | None]:
    """The verdicts of `count` cells; raises StoreError where the planes don't have that many."""
    try:
        planes = np.frombuffer(zlib.decompress(data), dtype=np.uint8)
    except zlib.error as error:
        raise StoreError(f"matrix: {error}; restore the file from a backup") from error
    if len(planes) != 2 * ((count + 7) // 8):
        raise StoreError(
            f"matrix: {len(planes)} bytes do not hold {count} cells; restore the file from a backup"
        )
    low, high = np.split(planes, 2)
    codes = np.unpackbits(low, count=count) + 2 * np.unpackbits(high, count=count)
    return [None if code == MISSING else Verdict(int(code)) for code in codes]
