"""A manifest's entries are judged one by one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import MalformedReply
from evoscope.engine.searches.harden.manifest import read_manifest

AXES = ("shorthand", "layout")


def entry(index: Any, **change: Any) -> dict[str, Any]:
    return {
        "individual_index": index,
        "axes": ["shorthand"],
        "subtypes": ["one"],
        "description": "clipped",
        "fields": {"text": f"t{index}"},
        **change,
    }


def test_a_whole_manifest_is_taken_by_index_whatever_its_order() -> None:
    entries = read_manifest({"mutations": [entry(2), entry(0), entry(1)]}, 3, AXES)
    assert [(e.index, e.position, e.problem) for e in entries] == [
        (0, 1, None), (1, 2, None), (2, 0, None),
    ]  # fmt: skip


def test_a_missing_index_is_a_rejected_candidate_and_no_application() -> None:
    entries = read_manifest({"mutations": [entry(0)]}, 2, AXES)
    assert entries[1].problem == "the manifest has no entry for individual_index 1"
    assert entries[1].axis is None


def test_duplicates_and_strays_are_invalid_alone_and_the_rest_go_on() -> None:
    listed = [entry(0), entry(1), entry(1), entry(7), entry(-1), entry("2"), entry(True), "x"]
    entries = read_manifest({"mutations": listed}, 3, AXES)
    assert [e.problem is None for e in entries[:3]] == [True, False, False]
    assert [e.position for e in entries[3:]] == [2, 3, 4, 5, 6, 7]
    assert all(e.problem for e in entries[3:])
    assert sum(e.axis == "shorthand" for e in entries) == 7


def test_true_is_no_index() -> None:
    entries = read_manifest({"mutations": [entry(0), entry(True)]}, 2, AXES)
    assert entries[1].position is None
    assert entries[2].problem == "individual_index is missing or out of range"


@pytest.mark.parametrize(
    ("change", "axis", "reason"),
    [
        ({"axes": ["shorthand", "layout"]}, None, "exactly one axis"),
        ({"axes": []}, None, "axes"),
        ({"axes": ["novel"]}, None, "unknown axis novel"),
        ({"axes": "shorthand"}, None, "axes"),
        ({"description": ""}, "shorthand", "description"),
        ({"description": None}, "shorthand", "description"),
        ({"subtypes": "one"}, "shorthand", "subtypes"),
        ({"fields": "all"}, "shorthand", "fields"),
        ({"fields": None}, "shorthand", "fields"),
    ],
)
def test_a_faulty_entry_is_invalid_and_counts_for_its_known_axis(
    change: dict[str, Any], axis: str | None, reason: str
) -> None:
    found = read_manifest({"mutations": [entry(0, **change), entry(1)]}, 2, AXES)
    assert reason in (found[0].problem or "")
    assert found[0].axis == axis
    assert found[1].problem is None


def test_one_axis_may_serve_several_candidates_of_a_call() -> None:
    assert all(
        e.problem is None for e in read_manifest({"mutations": [entry(0), entry(1)]}, 2, AXES)
    )


def test_the_careless_tag_is_kept_beside_the_entry() -> None:
    found = read_manifest({"mutations": [entry(0, careless=True), entry(1)]}, 2, AXES)
    assert [e.careless for e in found] == [True, None]


@pytest.mark.parametrize("value", [{}, {"mutations": None}, {"mutations": {"0": entry(0)}}])
def test_no_list_of_mutations_is_a_malformed_manifest(value: dict[str, Any]) -> None:
    with pytest.raises(MalformedReply):
        read_manifest(value, 2, AXES)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["individual_index", "axes", "subtypes", "description", "fields"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.lists(json_values, max_size=6), st.integers(1, 4))
def test_every_index_comes_once_and_first_whatever_a_model_writes(
    listed: list[Any], offspring: int
) -> None:
    entries = read_manifest({"mutations": listed}, offspring, AXES)
    assert len(entries) >= offspring
    assert [e.index for e in entries[:offspring]] == list(range(offspring))
    assert len([e for e in entries if e.position is not None]) == len(listed)
