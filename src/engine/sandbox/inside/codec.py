"""Plain data as bytes, by exact type only; whatever else comes along is opaque.

One tag byte, then the content; lengths are LEB128. Decoding never calls code of the sender. A
value whose type is not exactly one of the known ones becomes `Opaque`, which equals nothing.
"""

import struct
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

MAX_DEPTH, DEEPEST = 100, 104
"""Values deeper than the first are opaque when encoded, deeper than the second refused."""

_DOUBLE = struct.Struct(">d")


class Malformed(ValueError):
    """Bytes that are no encoded value."""


class TooBig(ValueError):
    """A value whose encoding would pass the cap."""


class TooCostly(ValueError):
    """A hashed container with more entries than may be built here."""


class Opaque:
    """A value that is not plain data: equal to nothing, itself included.

    `truth` is what bool() gave where it came from, None if that raised.
    """

    __slots__ = ("truth", "type_name")

    def __init__(self, type_name: str, truth: bool | None) -> None:
        self.type_name, self.truth = type_name, truth

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        if self.truth is None:
            raise TypeError(f"{self.type_name} has no truth value")
        return self.truth

    def __repr__(self) -> str:
        return f"<opaque {self.type_name}>"


def encode(value: object, cap: int = 1 << 62) -> bytes:
    """A value as bytes; raises TooBig when they would be more than `cap`."""
    out = bytearray()
    _put(out, value, cap, 0)
    if len(out) > cap:
        raise TooBig(f"more than {cap} bytes")
    return bytes(out)


def joined(parts: list[bytes]) -> bytes:
    """The encoding of a tuple whose elements are encoded already."""
    out = bytearray(b"t")
    _put_length(out, len(parts))
    return bytes(out) + b"".join(parts)


def decode(data: bytes, max_hashed: int = 1 << 62) -> Any:
    """The value; raises Malformed, or TooCostly for a hashed container beyond `max_hashed`."""
    value, end = _take(data, 0, 0, max_hashed)
    if end != len(data):
        raise Malformed("bytes after the value")
    return value


def parts(data: bytes) -> list[bytes]:
    """The encodings of a tuple's elements; checks everything, builds nothing, hashes nothing."""
    if data[:1] != b"t":
        raise Malformed("not a tuple")
    count, position = _length(data, 1)
    found = []
    for _ in range(count):
        end = _skip(data, position, 1)
        found.append(data[position:end])
        position = end
    if position != len(data):
        raise Malformed("bytes after the value")
    return found


def is_tuple(part: bytes) -> bool:
    """Whether one of the encodings that `parts` gives, and has checked, is a tuple's."""
    return part[:1] == b"t"


# -- encoding


def _put(out: bytearray, value: Any, cap: int, depth: int) -> None:
    put = _PUT.get(id(type(value)))  # by identity: a metaclass may claim to equal int
    if put is None or depth > MAX_DEPTH:
        _put_opaque(out, value)
    else:
        put(out, value, cap, depth)


def _put_length(out: bytearray, length: int) -> None:
    while length > 127:
        out.append(length & 127 | 128)
        length >>= 7
    out.append(length)


def _put_bytes(out: bytearray, tag: bytes, data: bytes) -> None:
    out += tag
    _put_length(out, len(data))
    out += data


def _put_opaque(out: bytearray, value: object) -> None:
    name = _class_name(type(value)).encode("utf-8", "replace")[:200]
    try:
        truth = b"\1" if value else b"\0"
    except MemoryError:
        raise
    except Exception:
        truth = b"\2"
    _put_bytes(out, b"o", name.decode("utf-8", "ignore").encode())
    out += truth


def _class_name(cls: type) -> str:
    name = type.__dict__["__name__"].__get__(cls)
    return name if type(name) is str else "?"


def _put_none(out: bytearray, value: None, cap: int, depth: int) -> None:
    out += b"N"


def _put_bool(out: bytearray, value: bool, cap: int, depth: int) -> None:
    out += b"T" if value else b"F"


def _put_int(out: bytearray, value: int, cap: int, depth: int) -> None:
    size = value.bit_length() // 8 + 1
    if size > cap:
        raise TooBig(f"more than {cap} bytes")
    _put_bytes(out, b"i", value.to_bytes(size, "little", signed=True))


def _put_float(out: bytearray, value: float, cap: int, depth: int) -> None:
    out += b"f" + _DOUBLE.pack(value)


def _put_complex(out: bytearray, value: complex, cap: int, depth: int) -> None:
    out += b"c" + _DOUBLE.pack(value.real) + _DOUBLE.pack(value.imag)


def _put_str(out: bytearray, value: str, cap: int, depth: int) -> None:
    if len(value) > cap:
        raise TooBig(f"more than {cap} bytes")
    _put_bytes(out, b"s", value.encode("utf-8", "surrogatepass"))


def _putter_of_bytes(tag: bytes) -> Callable[..., None]:
    def put(out: bytearray, value: bytes, cap: int, depth: int) -> None:
        if len(value) > cap:
            raise TooBig(f"more than {cap} bytes")
        _put_bytes(out, tag, value)

    return put


def _putter_of_items(tag: bytes) -> Callable[..., None]:
    def put(out: bytearray, value: Any, cap: int, depth: int) -> None:
        out += tag
        _put_length(out, len(value))
        for part in value:
            _put(out, part, cap, depth + 1)
            if len(out) > cap:
                raise TooBig(f"more than {cap} bytes")

    return put


def _putter_of_pairs(tag: bytes) -> Callable[..., None]:
    def put(out: bytearray, value: Any, cap: int, depth: int) -> None:
        out += tag
        _put_length(out, len(value))
        for key, part in value.items():
            _put(out, key, cap, depth + 1)
            _put(out, part, cap, depth + 1)
            if len(out) > cap:
                raise TooBig(f"more than {cap} bytes")

    return put


def _put_known_opaque(out: bytearray, value: Opaque, cap: int, depth: int) -> None:
    _put_bytes(out, b"o", value.type_name.encode("utf-8", "replace"))
    out += b"\2" if value.truth is None else b"\1" if value.truth else b"\0"


def _default_dict(pairs: Any) -> defaultdict[Any, Any]:
    return defaultdict(None, pairs)


_ITEMS: dict[bytes, Callable[[Any], Any]] = {
    b"l": list, b"t": tuple, b"S": set, b"Z": frozenset, b"q": deque,
}  # fmt: skip
_PAIRS: dict[bytes, Callable[[Any], Any]] = {
    b"d": dict, b"O": OrderedDict, b"C": Counter, b"D": _default_dict,
}  # fmt: skip
_BYTES: dict[bytes, Callable[[bytes], Any]] = {b"b": bytes, b"B": bytearray}
_PUTTERS: dict[type, Callable[..., None]] = {
    type(None): _put_none, bool: _put_bool, int: _put_int, float: _put_float, str: _put_str,
    complex: _put_complex, Opaque: _put_known_opaque,
    bytes: _putter_of_bytes(b"b"), bytearray: _putter_of_bytes(b"B"),
    list: _putter_of_items(b"l"), tuple: _putter_of_items(b"t"), set: _putter_of_items(b"S"),
    frozenset: _putter_of_items(b"Z"), deque: _putter_of_items(b"q"),
    dict: _putter_of_pairs(b"d"), OrderedDict: _putter_of_pairs(b"O"),
    Counter: _putter_of_pairs(b"C"), defaultdict: _putter_of_pairs(b"D"),
}  # fmt: skip
_PUT = {id(known): put for known, put in _PUTTERS.items()}
_HASHED = b"SZdOCD"


# -- decoding


def _length(data: bytes, position: int) -> tuple[int, int]:
    length = shift = 0
    while True:
        if position >= len(data) or shift > 35:
            raise Malformed("a length is cut off or too long")
        byte = data[position]
        length |= (byte & 127) << shift
        position += 1
        if byte < 128:
            break
        shift += 7
    if length > len(data) - position:
        raise Malformed("a length goes beyond the end")
    return length, position


def _span(data: bytes, position: int) -> tuple[bytes, int]:
    length, position = _length(data, position)
    return data[position : position + length], position + length


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise Malformed("text that is not UTF-8") from None


def _take(data: bytes, position: int, depth: int, max_hashed: int) -> tuple[Any, int]:
    tag, position = data[position : position + 1], position + 1
    if tag in _ITEMS or tag in _PAIRS:
        return _take_container(data, tag, position, depth, max_hashed)
    if tag in _LEAVES:
        return _LEAVES[tag](data, position)
    raise Malformed(f"unknown tag {tag!r}")


def _take_container(
    data: bytes, tag: bytes, position: int, depth: int, max_hashed: int
) -> tuple[Any, int]:
    count, position = _length(data, position)
    if depth > DEEPEST:
        raise Malformed("nested too deeply")
    if tag in _HASHED and count > max_hashed:
        raise TooCostly(f"{count} hashed entries")
    found = []
    for _ in range(count * 2 if tag in _PAIRS else count):
        part, position = _take(data, position, depth + 1, max_hashed)
        found.append(part)
    try:
        if tag in _PAIRS:
            pairs = iter(found)
            return _PAIRS[tag](dict(zip(pairs, pairs, strict=True))), position
        return _ITEMS[tag](found), position
    except TypeError:
        raise Malformed("a key that cannot be hashed") from None


def _take_int(data: bytes, position: int) -> tuple[int, int]:
    raw, end = _span(data, position)
    return int.from_bytes(raw, "little", signed=True), end


def _take_double(data: bytes, position: int) -> tuple[float, int]:
    if position + 8 > len(data):
        raise Malformed("a number is cut off")
    return _DOUBLE.unpack_from(data, position)[0], position + 8


def _take_complex(data: bytes, position: int) -> tuple[complex, int]:
    real, position = _take_double(data, position)
    imaginary, position = _take_double(data, position)
    return complex(real, imaginary), position


def _take_str(data: bytes, position: int) -> tuple[str, int]:
    raw, end = _span(data, position)
    return _text(raw), end


def _take_opaque(data: bytes, position: int) -> tuple[Opaque, int]:
    raw, end = _span(data, position)
    mark = data[end : end + 1]
    if mark not in (b"\0", b"\1", b"\2"):
        raise Malformed("an opaque value without its mark")
    return Opaque(_text(raw), None if mark == b"\2" else mark == b"\1"), end + 1


def _taker_of_bytes(build: Callable[[bytes], Any]) -> Callable[[bytes, int], tuple[Any, int]]:
    def take(data: bytes, position: int) -> tuple[Any, int]:
        raw, end = _span(data, position)
        return build(raw), end

    return take


_LEAVES: dict[bytes, Callable[[bytes, int], tuple[Any, int]]] = {
    b"N": lambda data, position: (None, position),
    b"T": lambda data, position: (True, position),
    b"F": lambda data, position: (False, position),
    b"i": _take_int, b"f": _take_double, b"c": _take_complex, b"s": _take_str, b"o": _take_opaque,
    **{tag: _taker_of_bytes(build) for tag, build in _BYTES.items()},
}  # fmt: skip
_FIXED = {b"N": 1, b"T": 1, b"F": 1, b"f": 9, b"c": 17}
"""Bytes of a value whose size its tag tells."""


def _skip(data: bytes, position: int, depth: int, as_key: bool = False) -> int:
    """Where the value that starts at `position` ends; checks it as `_take` does."""
    tag = data[position : position + 1]
    if tag in _FIXED:
        if position + _FIXED[tag] > len(data):
            raise Malformed("a number is cut off")
        return position + _FIXED[tag]
    if tag == b"i":
        length, position = _length(data, position + 1)
        return position + length
    if tag in _LEAVES:
        if as_key and tag == b"B":
            raise Malformed("a key that cannot be hashed")
        return _LEAVES[tag](data, position + 1)[1]
    if tag not in _ITEMS and tag not in _PAIRS:
        raise Malformed(f"unknown tag {tag!r}")
    if as_key and tag not in (b"t", b"Z"):
        raise Malformed("a key that cannot be hashed")
    if depth > DEEPEST:
        raise Malformed("nested too deeply")
    count, position = _length(data, position + 1)
    paired, keys = tag in _PAIRS, as_key or tag in (b"S", b"Z")
    for at in range(count * 2 if paired else count):
        position = _skip(data, position, depth + 1, keys or (paired and at % 2 == 0))
    return position
