"""Values cross as what they are, by exact type; nothing else gets through."""

import random
import struct
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evoscope.engine.sandbox.inside import codec

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary(),
    st.complex_numbers(allow_nan=False),
)  # fmt: skip
keys = st.one_of(st.none(), st.integers(), st.text(), st.tuples(st.integers(), st.text()))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(keys, inner),
        st.sets(keys), st.frozensets(keys), st.lists(inner).map(deque),
        st.dictionaries(keys, inner).map(OrderedDict),
        st.dictionaries(keys, st.integers()).map(Counter),
    ),
    max_leaves=20,
)  # fmt: skip


def same(a: Any, b: Any) -> bool:
    """Equal, of equal types all the way down."""
    alike = type(a) is type(b) and a == b
    if isinstance(a, list | tuple | deque):
        return alike and all(map(same, a, b))
    if isinstance(a, dict):
        return alike and all(same(a[key], b[key]) for key in a)
    return alike


@given(values)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert same(codec.decode(codec.encode(value)), value)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(values, max_size=4))
def test_parts_are_the_elements_encodings(elements: list[Any]) -> None:
    each = [codec.encode(element) for element in elements]
    assert codec.parts(codec.encode(tuple(elements))) == each
    assert codec.joined(each) == codec.encode(tuple(elements))


@given(st.binary(max_size=60))
def test_whatever_parts_accepts_can_be_decoded(data: bytes) -> None:
    try:
        found = codec.parts(b"t" + data)
    except codec.Malformed:
        return
    assert len(codec.decode(b"t" + data)) == len(found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(values, st.randoms(use_true_random=False))
def test_damaged_bytes_are_refused_or_a_value(value: Any, chance: random.Random) -> None:
    data = bytearray(codec.encode((value,)))
    for _ in range(3):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        codec.parts(bytes(data))
    except codec.Malformed:
        return
    assert type(codec.decode(bytes(data))) is tuple


def test_nan_and_infinities_come_through() -> None:
    nan, infinite = codec.decode(codec.encode((float("nan"), float("-inf"))))
    assert nan != nan and infinite == float("-inf")


def test_a_default_dict_loses_its_factory() -> None:
    back = codec.decode(codec.encode(defaultdict(list, {1: [2]})))
    assert type(back) is defaultdict and back == {1: [2]} and back.default_factory is None


class Text(str):
    """Not exactly a string."""


@pytest.mark.parametrize("value", [Text("x"), object(), len, int, range(3), iter([])])
def test_another_type_is_opaque_and_equals_nothing(value: object) -> None:
    back = codec.decode(codec.encode([value]))[0]
    assert type(back) is codec.Opaque and back.type_name == type(value).__name__
    assert back != value and back != back and back not in [value, 1, "x"]


def test_an_opaque_value_keeps_its_truth() -> None:
    class Strange:
        def __bool__(self) -> bool:
            raise ValueError

    full, empty, strange = codec.decode(codec.encode((Text("x"), Text(""), Strange())))
    assert full and not empty and strange.truth is None
    with pytest.raises(TypeError):
        bool(strange)
    assert codec.decode(codec.encode(empty)).truth is False


def test_a_class_that_equals_int_is_not_taken_for_it() -> None:
    class Meta(type):
        def __eq__(cls, other: object) -> bool:
            return True

        def __hash__(cls) -> int:
            return hash(int)

    class Spoof(metaclass=Meta):
        pass

    assert type(codec.decode(codec.encode(Spoof()))) is codec.Opaque


@pytest.mark.parametrize("value", ["x" * 200, 1 << 2000, [1] * 100, {n: n for n in range(99)}])
def test_a_value_beyond_the_cap_is_refused(value: object) -> None:
    with pytest.raises(codec.TooBig):
        codec.encode(value, 100)


def test_a_graph_that_unfolds_stops_at_the_cap() -> None:
    value: list[Any] = []
    for _ in range(60):
        value = [value, value]
    with pytest.raises(codec.TooBig):
        codec.encode(value, 1000)


def test_what_is_too_deep_is_opaque_and_its_bytes_refused() -> None:
    value: list[Any] = []
    for _ in range(1000):
        value = [value]
    assert codec.decode(codec.encode(value)) != value
    with pytest.raises(codec.Malformed, match="deep"):
        codec.decode(b"l\x01" * 1000 + b"N")
    with pytest.raises(codec.Malformed, match="deep"):
        codec.parts(b"t\x01" * 1000 + b"N")


def test_big_hashed_containers_are_only_built_on_request() -> None:
    data = codec.encode({n: n for n in range(600)})
    with pytest.raises(codec.TooCostly):
        codec.decode(data, 512)
    assert len(codec.decode(data)) == 600
    assert len(codec.parts(codec.joined([data]))) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"", b"x", b"NN", b"i", b"i\x05\x01", b"f\0", b"s\x01\xff", b"l\x02N", b"d\x01l\0N",
        b"S\x01d\0", b"o\x01x\x07", b"t\xff\xff\xff\xff\xff\xff\xff\x01", b"d\x01t\x01l\0N",
        b"c" + struct.pack(">d", 1.0),
    ],
)  # fmt: skip
def test_bytes_that_are_no_value_are_refused(data: bytes) -> None:
    with pytest.raises(codec.Malformed):
        codec.decode(data)
    with pytest.raises(codec.Malformed):
        codec.parts(codec.joined([data]))
