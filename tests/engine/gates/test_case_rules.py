"""Validity and evidence: rules about a candidate case."""

from dataclasses import replace
from typing import Any

import pytest

from evoscope.engine.benchmarks.base import Case
from evoscope.engine.gates.evidence import check_evidence
from evoscope.engine.gates.validity import build_candidate, fingerprint
from tests.engine.searches.harden.bench import LabelBench, make_case

BENCH, PARENT = LabelBench.of(1), make_case(0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"topic": "other"}, "can't be changed"),
        ({"text": 3}, "is no text"),
        ({"text": " "}, "it is empty"),
        ({}, "identical to the parent"),
        ({"text": PARENT.fields["text"]}, "identical to the parent"),
        ({"text": "a sibling's text"}, "identical to a sibling"),
    ],
)
def test_a_candidate_that_breaks_a_rule_is_invalid_with_the_reason(
    changes: dict[str, Any], reason: str
) -> None:
    sibling = fingerprint(BENCH.with_fields(PARENT, {"text": "a sibling's text"}))
    case, ruling = build_candidate(BENCH, PARENT, changes, {sibling})
    assert case is None
    assert ruling.outcome == "fail"
    assert reason in ruling.reason


def test_a_valid_candidate_differs_in_mutable_parts_only() -> None:
    case, ruling = build_candidate(BENCH, PARENT, {"text": "new fact0"}, set())
    assert ruling.passed
    assert case == replace(PARENT, fields={**PARENT.fields, "text": "new fact0"})


@pytest.mark.parametrize(
    "tampered",
    [
        {"expected": "no"},
        {"id": "other"},
        {"metadata": {}},
        {"source": {"row": 0.0}},
        {"fields": {"text": "new", "topic": "other"}},
        {"fields": {"text": "new", "topic": "topic 0", "extra": 1}},
    ],
)
def test_a_benchmark_that_changes_an_immutable_part_is_found_out(tampered: Any) -> None:
    class Tampering(LabelBench):
        def with_fields(self, case: Case, changes: Any) -> Case:
            return replace(super().with_fields(case, changes), **tampered)

    case, ruling = build_candidate(Tampering([PARENT]), PARENT, {"text": "new"}, set())
    assert case is None
    assert "immutable part" in ruling.reason


def test_lost_evidence_is_rejected_warned_of_or_not_looked_for() -> None:
    lost = BENCH.with_fields(PARENT, {"text": "nothing left"})
    kept = BENCH.with_fields(PARENT, {"text": "still fact0 here"})
    rejected = check_evidence(BENCH, PARENT, lost, "reject")
    warned = check_evidence(BENCH, PARENT, lost, "warn")
    assert rejected and rejected.outcome == "fail" and "fact0" in rejected.reason
    assert warned and warned.outcome == "pass" and warned.reason.startswith("warning")
    assert check_evidence(BENCH, PARENT, lost, "off") is None
    found = check_evidence(BENCH, PARENT, kept, "reject")
    assert found and found.passed and not found.reason


def test_a_benchmark_that_cannot_tell_gives_no_verdict() -> None:
    class Blind(LabelBench):
        def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
            return None

    assert check_evidence(Blind([PARENT]), PARENT, PARENT, "reject") is None
