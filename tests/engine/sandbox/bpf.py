"""A small machine for classic BPF programs over `struct seccomp_data`."""

import struct
from collections.abc import Sequence

Instruction = tuple[int, int, int, int]


def unpacked(program: bytes) -> list[Instruction]:
    """The instructions of a packed program."""
    return [
        (code, yes, no, operand) for code, yes, no, operand in struct.iter_unpack("HBBI", program)
    ]


def decide(
    program: Sequence[Instruction], audit: int, number: int, arguments: Sequence[int]
) -> int:
    """What the filter returns for one system call."""
    six = [value & (2**64 - 1) for value in (*arguments, 0, 0, 0, 0, 0, 0)][:6]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *six)
    at = accumulator = 0
    while True:
        code, yes, no, operand = program[at]
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, operand)[0]
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x05:
            at += operand
        else:
            at += yes if _holds(code, accumulator, operand) else no


def _holds(code: int, accumulator: int, operand: int) -> bool:
    match code:
        case 0x15:
            return accumulator == operand
        case 0x25:
            return accumulator > operand
        case 0x35:
            return accumulator >= operand
        case 0x45:
            return bool(accumulator & operand)
    raise AssertionError(f"instruction {code:#x}")
