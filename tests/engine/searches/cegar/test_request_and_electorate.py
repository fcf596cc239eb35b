"""What the author sees, whom and what an operator may run, and how verdicts are kept."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import StoreError
from evoscope.engine.searches.cegar.electorate import electorate_hash, peers
from evoscope.engine.searches.cegar.inputs import inputs, key
from evoscope.engine.searches.cegar.matrix import pack, unpack
from evoscope.engine.searches.cegar.partition import BlindSpot
from evoscope.engine.searches.cegar.request import Fault, Sample, balanced, scope, shown
from evoscope.engine.searches.cegar.verdicts import Member, Verdict


def sample(task: str, place: int, code: str, kind: str) -> Sample:
    return Sample(Member(task, place), code, visible=kind != "visible", correct=kind == "right")


SAMPLES = [
    sample("b", 0, "bbbb", "hidden"),
    sample("a", 0, "aa", "right"),
    sample("a", 1, "a1", "hidden"),
    sample("a", 2, "a2", "visible"),
    sample("b", 1, "b1", "right"),
    sample("c", 0, "c0", "hidden"),
]
SPOT = BlindSpot((Verdict.PASS,), (Member("b", 1),), (Member("b", 0),))


def test_a_request_covers_every_fault_of_the_kind_and_every_correct_sample() -> None:
    whole = scope(SPOT, SAMPLES)
    assert whole.faults == (Fault.HIDDEN,)
    assert [s.code for s in whole.incorrect] == ["a1", "bbbb", "c0"]
    assert [s.code for s in whole.correct] == ["aa", "b1"]
    both = BlindSpot((), (Member("b", 1),), (Member("b", 0), Member("a", 2)))
    assert scope(both, SAMPLES).faults == (Fault.VISIBLE, Fault.HIDDEN)
    assert len(scope(both, SAMPLES).incorrect) == 4


def test_over_the_cap_the_pair_comes_first_then_the_tasks_in_turn_without_copies() -> None:
    copies = [sample("a", n, "a1", "hidden") for n in range(3, 6)]
    whole = scope(SPOT, [*SAMPLES, *copies])
    wrong, right = shown(whole, 1000)
    assert len(wrong) == 6 and len(right) == 2
    assert [s.code for s in shown(whole, 6)[0]] == ["bbbb"]
    assert [s.code for s in shown(whole, 6)[1]] == ["b1"]
    wrong, right = shown(whole, 10)
    assert ([s.code for s in wrong], [s.code for s in right]) == (["bbbb", "a1", "c0"], ["b1"])
    wrong, right = shown(whole, 12)
    assert ([s.code for s in wrong], [s.code for s in right]) == (
        ["bbbb", "a1", "c0"],
        ["b1", "aa"],
    )


def test_induction_draws_halves_by_the_given_order() -> None:
    order = {s.member: f"{n:02}" for n, s in enumerate(reversed(SAMPLES))}
    drawn = balanced(SAMPLES, 4, order)
    assert [s.code for s in drawn] == ["c0", "a2", "b1", "aa"]


def test_peers_are_the_first_sixteen_without_one_copy_of_the_own_code() -> None:
    raw = ["x", "me", "y", "me"] + [f"p{n}" for n in range(20)]
    assert peers(raw, "me")[:4] == ["x", "y", "me", "p0"]
    assert len(peers(raw, "me")) == 16
    assert peers(raw, "stranger") == raw[:16]


def test_the_electorate_is_pinned_to_samples_order_asserts_and_limits() -> None:
    base = electorate_hash({"t": ["a", "b"]}, {"t": ["assert f(1) == 2"]})
    assert base == electorate_hash({"t": ["a", "b"]}, {"t": ["assert f(1) == 2"]})
    others = {
        electorate_hash({"t": ["b", "a"]}, {"t": ["assert f(1) == 2"]}),
        electorate_hash({"t": ["a", "b", "b"]}, {"t": ["assert f(1) == 2"]}),
        electorate_hash({"t": ["a", "b"]}, {"t": []}),
        electorate_hash({"t": ["a", "b"]}, {"t": ["assert f(1) == 2"]}, peer_limit=48),
        electorate_hash({"t\ud800": ["a\ud800"]}, {"t\ud800": []}),
    }
    assert len(others) == 5 and base not in others


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
        | st.tuples(inner, inner)
        | st.sets(st.integers(), max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(st.tuples(plain, plain), max_size=3), st.integers(0, 20))
def test_inputs_begin_with_the_visible_ones_and_longer_lists_with_shorter(
    known: list[tuple[Any, ...]], count: int
) -> None:
    short, long = inputs("t", known, count), inputs("t", known, count + 5)
    assert len(short.arguments) <= count
    assert [key(a) for a in long.arguments[: len(short.arguments)]] == [
        key(a) for a in short.arguments
    ] or short.unperturbed < long.unperturbed
    texts = [key(arguments) for arguments in short.arguments]
    assert len(texts) == len(set(texts))
    assert all(key(a) in {key(k) for k in known} for a in short.arguments[: short.unperturbed])
    assert all(len(a) == 2 for a in short.arguments)


def test_inputs_do_not_depend_on_the_order_in_which_sets_are_walked() -> None:
    program = (
        "from evoscope.engine.searches.cegar.inputs import inputs, key\n"
        "known = [({'a', 'b', 'c'}, ['x', {'d', 'e'}]), ({'q'}, [])]\n"
        "print([key(a) for a in inputs('t', known, 24).arguments])\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(seen) == 1


@given(st.lists(st.sampled_from([*Verdict, None]), max_size=70))
def test_a_packed_matrix_gives_its_verdicts_back(verdicts: list[Verdict | None]) -> None:
    assert unpack(pack(verdicts), len(verdicts)) == verdicts


def test_a_matrix_of_another_size_is_refused() -> None:
    with pytest.raises(StoreError, match="do not hold 20 cells"):
        unpack(pack([Verdict.FLAG] * 3), 20)
    with pytest.raises(StoreError, match="backup"):
        unpack(b"nonsense", 3)


def test_a_matrix_takes_two_bits_a_cell_before_it_is_compressed() -> None:
    cells = [Verdict(n * 7919 % 3) for n in range(8000)]
    assert len(pack(cells)) < 2100


def test_the_text_of_a_deeply_nested_value_stays_as_long_as_the_value() -> None:
    value: object = "it's"
    for depth in range(60):
        value = {"a": value} if depth % 2 else [value]
    assert len(key(value)) < 4 * len(repr(value))


def test_texts_tell_kinds_of_containers_and_nestings_apart() -> None:
    values = [[1, 2], (1, 2), {1, 2}, [[1], 2], [1, [2]], ["1, 2"], {1: 2}, [(1, 2)], "list(1, 2)"]
    assert len({key(value) for value in values}) == len(values)
