"""The catalogue's deterministic validation."""

from typing import Any

import pytest

from evoscope.engine.searches.harden.axes import read_catalogue
from tests.engine.searches.harden.artifacts import axis, catalogue


def test_a_good_catalogue_of_any_size_is_taken_in_its_order() -> None:
    for size in (0, 7, 30):
        axes, errors = read_catalogue(catalogue(*(f"axis_{k}" for k in range(size)), "shorthand"))
        assert errors == []
        assert [a.axis_name for a in axes][-2:] == ["shorthand", "domain_specific_realism"]
        assert axes[0].priority == "normal"


def test_priority_is_optional_and_one_of_three() -> None:
    bare = axis("shorthand")
    del bare["priority"]
    axes, errors = read_catalogue(
        {"axes": [bare, axis("domain_specific_realism", priority="high")]}
    )
    assert (errors, [a.priority for a in axes]) == ([], ["normal", "high"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"subtypes": ["one", "two"]}, "subtypes"),
        ({"prompt_guidance": ["a", "b", "c", "d"]}, "prompt_guidance"),
        ({"goal": ""}, "goal"),
        ({"goal": 3}, "goal"),
        ({"target_artifact_types": []}, "target_artifact_types"),
        ({"priority": "urgent"}, "priority"),
        ({"definition": "Keeps the expected output correct."}, "inputs only"),
        ({"definition": "Changes case inputs only."}, "expected output stays correct"),
        ({"axis_name": "Domain-specific realism"}, "2 times"),
    ],
)
def test_a_fault_of_one_axis_is_named(change: dict[str, Any], reason: str) -> None:
    _, errors = read_catalogue({"axes": [axis("a", **change), axis("domain_specific_realism")]})
    assert any(reason in error for error in errors), errors


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"axes": []},
        {"axes": "all"},
        {"axes": [axis("a")]},
        {"axes": [axis("domain_specific_realism"), axis("domain_specific_realism")]},
        [],
        None,
    ],
)
def test_a_catalogue_needs_exactly_one_realism_axis(value: Any) -> None:
    assert read_catalogue(value)[1]
