"""Fewer memory mappings: a fork copies each one, and a job's end takes each one down again."""

import ctypes
import itertools
import mmap
from typing import NamedTuple

_libc = ctypes.CDLL(None, use_errno=True)
_READ, _CODE, _DATA = "r--", "r-x", "rw-"
_JOINED = {
    frozenset({_READ, _CODE}): mmap.PROT_READ | mmap.PROT_EXEC,
    frozenset({_READ, _DATA}): mmap.PROT_READ | mmap.PROT_WRITE,
}


class Mapping(NamedTuple):
    """One line of /proc/self/maps; `rights` without the mark for shared or private."""

    start: int
    end: int
    rights: str
    path: str


def merge() -> None:
    """Join each library's read-only parts with its code, and its relocated part with its data.

    Neighbours of one file with the same rights become one mapping, so five become two. Nothing
    becomes both writable and executable. What a loader protects from slips is writable then;
    code that means harm could always have made it so. A library that the kernel will not change
    stays as it is.
    """
    found = own()
    for left, right in itertools.pairwise(found):
        rights = _JOINED.get(frozenset({left.rights, right.rights}))
        if rights is None or left.end != right.start or left.path != right.path:
            continue
        if left.path.startswith("/"):
            part = left if left.rights == _READ else right
            size = ctypes.c_size_t(part.end - part.start)
            _libc.mprotect(ctypes.c_void_p(part.start), size, rights)


def own() -> list[Mapping]:
    """This process's mappings, in order."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        return [_read(line) for line in file]


def _read(line: str) -> Mapping:
    span, rights, _, _, _, *path = line.split(None, 5)
    start, end = (int(word, 16) for word in span.split("-"))
    return Mapping(start, end, rights[:3], path[0].strip() if path else "")
