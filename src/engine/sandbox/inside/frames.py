"""Frames between the engine and a job: four bytes of length, one byte of kind, the body."""

import os
import struct

HEADER = struct.Struct("!IB")

READY, JOB, RESULT, REQUEST, ANSWER, OUTPUT_LIMIT, MEMORY = b"RJrqaom"
"""Kinds of frame. The engine sends JOB and ANSWER, a job everything else."""


def frame(kind: int, body: bytes = b"") -> bytes:
    """One frame as bytes."""
    return HEADER.pack(len(body), kind) + body


def write(descriptor: int, kind: int, body: bytes = b"") -> None:
    """Write one frame to a blocking descriptor."""
    view = memoryview(frame(kind, body))
    while view:
        view = view[os.write(descriptor, view) :]


def read(descriptor: int) -> tuple[int, bytes] | None:
    """One frame (kind, body) from a blocking descriptor; None at its end."""
    header = _exactly(descriptor, HEADER.size)
    if header is None:
        return None
    length, kind = HEADER.unpack(header)
    body = _exactly(descriptor, length)
    return None if body is None else (kind, body)


def _exactly(descriptor: int, size: int) -> bytes | None:
    chunks = []
    while size:
        chunk = os.read(descriptor, min(size, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)
