"""Two bits a cell: labels of raw samples, and the complete columns of operators."""

from collections.abc import Mapping, Sequence
from typing import cast

from .matrix import MISSING, pack, unpack
from .verdicts import Verdict


def pack_codes(codes: Sequence[int]) -> bytes:
    """Numbers from 0 to 3 as bit planes."""
    return pack([None if code == MISSING else cast(Verdict, code) for code in codes])


def unpack_codes(data: bytes, count: int) -> list[int]:
    """The numbers of `count` cells."""
    return [MISSING if one is None else int(one) for one in unpack(data, count)]


def pack_some(verdicts: Mapping[int, Verdict], count: int) -> bytes:
    """Verdicts on some of `count` programs; the others are missing."""
    return pack([verdicts.get(number) for number in range(count)])


def unpack_some(data: bytes, count: int) -> dict[int, Verdict]:
    """The verdicts that are there, by the program's number."""
    return {n: one for n, one in enumerate(unpack(data, count)) if one is not None}
