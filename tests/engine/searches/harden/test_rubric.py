"""Rubric, reference profile and source registry: validation, freezing, evidence."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import DataError
from evoscope.engine.searches.harden.registry import Source, read_registry, split_records
from evoscope.engine.searches.harden.rubric import (
    FrozenRubric,
    freeze,
    read_profile,
    read_rubric,
)
from tests.engine.searches.harden.artifacts import (
    dimension,
    flag,
    registry,
    rubric,
    source,
    sourced_rubric,
)


def sources() -> tuple[Source, ...]:
    found, errors = read_registry(registry())
    assert errors == []
    return found


def frozen(**change: Any) -> FrozenRubric:
    value = rubric(**change)
    reply, errors = read_rubric(value, ())
    assert reply is not None and errors == []
    return freeze(reply, value["reference_profile"], calibrated=False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"dimensions": [dimension("D1"), dimension("D2")]}, "dimensions"),
        ({"dimensions": [dimension(f"D{k}") for k in range(6)]}, "dimensions"),
        ({"dimensions": [dimension("D1"), dimension("D2"), dimension("D2")]}, "D2 is given 2"),
        ({"dimensions": [dimension(n, met_threshold=0) for n in "abc"]}, "met_threshold"),
        ({"dimensions": [dimension(n, met_threshold=6) for n in "abc"]}, "met_threshold"),
        ({"dimensions": [dimension(n, met_threshold=4.0) for n in "abc"]}, "met_threshold"),
        ({"dimensions": [dimension(n, met_threshold=True) for n in "abc"]}, "met_threshold"),
        ({"dimensions": [dimension(n, high_anchor="") for n in "abc"]}, "high_anchor"),
        ({"dimensions": [dimension(n, low_anchor="like a record") for n in "abc"]}, "anchors"),
        ({"minimum_mean_score": 5.5}, "minimum_mean_score"),
        ({"minimum_mean_score": "4"}, "minimum_mean_score"),
        ({"red_flags": [flag("R1", blocking="yes")]}, "blocking"),
        ({"red_flags": [flag("D1")]}, "D1 is given 2"),
        ({"red_flags": None}, "red_flags"),
    ],
)
def test_a_faulty_rubric_is_refused_with_the_reason(change: dict[str, Any], reason: str) -> None:
    _, errors = read_rubric(rubric(**change), ())
    assert any(reason in error for error in errors), errors


@pytest.mark.parametrize(
    ("evidence", "enough"),
    [
        (("b1", "b2"), True),
        (("b1", "p1"), True),
        (("b1",), False),
        (("p1",), False),
        (("b1", "b1"), False),
        ((), False),
        (("b1", "unknown"), False),
    ],
)
def test_a_blocking_flag_needs_two_families_or_a_family_and_a_primary_source(
    evidence: tuple[str, ...], enough: bool
) -> None:
    value = sourced_rubric()
    value["red_flags"][0]["evidence"] = list(evidence)
    assert (read_rubric(value, sources())[1] == []) == enough


def test_two_benchmarks_of_one_family_are_one_witness() -> None:
    value = registry()
    value["sources"].append(source("b3", family="family of b1"))
    found, errors = read_registry(value)
    assert errors == []
    assert read_rubric(sourced_rubric("b1", "b3"), found)[1]


def test_dimensions_and_profile_must_cite_where_there_are_sources() -> None:
    value = sourced_rubric()
    value["dimensions"][0]["sources"] = []
    assert "dimension D1: cites no source" in read_rubric(value, sources())[1]
    assert read_profile({"patterns": ["short"]}, sources())[1]
    assert read_profile({"patterns": ["short"], "from": ["p1"]}, sources())[1] == []
    assert read_profile({"patterns": ["short"]}, ())[1] == []
    assert read_profile({}, ())[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "blog"}, "kind"),
        ({"is_target_family": True}, "is_target_family"),
        ({"licence": ""}, "licence"),
        ({"url": None}, "url"),
        ({"sha256": "0" * 64}, "sha256"),
        ({"records": ["same", "same"]}, "two different records"),
        ({"family": "FinQA mirror"}, "excluded family finqa"),
        ({"url": "https://example.test/finqa/data"}, "excluded family finqa"),
    ],
)
def test_a_source_that_may_not_be_used_is_named(change: dict[str, Any], reason: str) -> None:
    value = registry()
    value["sources"][0] = source("b1", **change)
    _, errors = read_registry(value, blocked=["finqa"])
    assert any(reason in error for error in errors), errors


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_two_benchmark_families_and_a_primary_source_are_the_least(left_out: int) -> None:
    value = registry()
    del value["sources"][left_out]
    assert read_registry(value)[1]


def test_a_source_is_listed_once() -> None:
    value = registry()
    value["sources"].append(source("b1"))
    assert "source b1 is listed twice" in read_registry(value)[1]


@given(st.lists(st.integers(0, 30), min_size=2, max_size=40), st.randoms(use_true_random=False))
def test_probe_and_held_out_records_are_disjoint_and_fixed(records: list[int], random: Any) -> None:
    probe, heldout = split_records(records)
    assert not set(probe) & set(heldout)
    assert len(probe) <= 5 and len(heldout) <= 5
    random.shuffle(records)
    assert split_records(records) == (probe, heldout)


def test_research_never_sees_held_out_records() -> None:
    for found in sources():
        shown = found.for_research()["records"]
        assert shown == list(found.probe)
        assert not set(found.heldout) & set(found.probe)


def test_a_frozen_rubric_is_checked_at_every_use() -> None:
    good = frozen()
    rules, as_json, profile = good.verified()
    assert rules.minimum_mean_score == 4
    assert as_json == {k: v for k, v in rubric().items() if k != "reference_profile"}
    assert profile == rubric()["reference_profile"]
    for changed in (
        replace(good, text=good.text.replace('"met_threshold":4', '"met_threshold":1')),
        replace(good, profile_text='{"shared_patterns":[]}'),
    ):
        with pytest.raises(DataError, match="it was frozen as"):
            changed.verified()


def test_the_hash_is_of_the_content_and_not_of_its_layout() -> None:
    value = rubric()
    turned = dict(reversed(list(value.items())))
    turned["dimensions"] = [dict(reversed(list(d.items()))) for d in value["dimensions"]]
    again, _ = read_rubric(turned, ())
    assert again is not None
    assert freeze(again, value["reference_profile"], calibrated=False) == frozen()
    assert frozen(minimum_mean_score=4).sha256 == frozen().sha256
    assert frozen(minimum_mean_score=3.7).sha256 != frozen().sha256


def test_thresholds_are_read_as_decimals() -> None:
    assert frozen(minimum_mean_score=3.7).verified()[0].minimum_mean_score == Fraction(37, 10)
