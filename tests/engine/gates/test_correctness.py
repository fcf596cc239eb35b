"""Extraction and audit replies: what counts, and what fails closed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.errors import MalformedReply
from evoscope.engine.gates.correctness import (
    TASK_ITEM,
    candidate_lines,
    judge_audit,
    read_extraction,
)


def item(label: str, **change: Any) -> dict[str, Any]:
    parts = ("source", "value", "decision_criteria", "description", "reason")
    return {"semantic_label": label, **dict.fromkeys(parts, "text"), **change}


def extraction(*items: dict[str, Any]) -> str:
    found = {"necessary_information": list(items), "relationships": [], "reasoning": "r"}
    return json.dumps(found)


def audit(passes: Any = True, missing: Any = (), **more: Any) -> str:
    missing = list(missing) if isinstance(missing, tuple) else missing
    return json.dumps({"pass": passes, "missing_information": missing, **more})


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (audit(preserved_information=["a"], rationale="r", validation_reasoning="v"), "pass"),
        (audit(False), "fail"),
        (audit(True, ("revenue",)), "fail"),
        (audit(True, ({"semantic_label": "revenue", "impact": "i"},)), "fail"),
        (audit("true"), "fail"),
        (audit(1), "fail"),
        (audit(True, None), "fail"),
        (audit(True, "none"), "fail"),
        (json.dumps({"pass": True}), "fail"),
        (json.dumps({"missing_information": []}), "fail"),
        ("looks fine", "fail"),
        ('{"pass": false, "pass": true, "missing_information": []}', "fail"),
    ],
)
def test_an_audit_passes_only_with_pass_and_nothing_missing(text: str, outcome: str) -> None:
    assert judge_audit(text).outcome == outcome


def test_a_failed_audit_names_what_is_missing() -> None:
    ruling = judge_audit(audit(True, ({"semantic_label": "revenue 2019"},)))
    assert ruling.reason == "missing: revenue 2019"


def test_an_extraction_needs_the_item_on_the_requested_task() -> None:
    assert read_extraction(extraction(item(TASK_ITEM), item("revenue")))
    with pytest.raises(MalformedReply, match=TASK_ITEM):
        read_extraction(extraction(item("revenue")))


@pytest.mark.parametrize(
    "text",
    [
        extraction(),
        extraction(item(TASK_ITEM, value=None)),
        extraction(item(TASK_ITEM, value=" ")),
        extraction(item(TASK_ITEM, decision_criteria="")),
        extraction(item(TASK_ITEM), {"semantic_label": "bare"}),
        json.dumps({"necessary_information": [item(TASK_ITEM)]}),
        "[]",
    ],
)
def test_an_incomplete_extraction_is_malformed(text: str) -> None:
    with pytest.raises(MalformedReply):
        read_extraction(text)


def test_an_audit_never_gets_the_words_of_the_expected_output() -> None:
    found = read_extraction(extraction(item(TASK_ITEM, reason="GOLD 42"), item("a", reason="42")))
    assert "42" not in json.dumps(found.for_audit())
    assert [entry["semantic_label"] for entry in found.for_audit()["necessary_information"]] == [
        TASK_ITEM, "a",
    ]  # fmt: skip


def test_a_rendering_shows_tables_as_rows_and_breaks_at_spaces_only() -> None:
    fields = {
        "table": [["", "2019"], ["net sales", "$ 1,204.5"]],
        "question": "what " * 40 + "end",
        "notes": ["first", "second\nline"],
    }
    lines = candidate_lines(fields, width=40)
    assert lines[:4] == ["notes:", "first", "second", "line"]
    assert "net sales | $ 1,204.5" in lines
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(lines).split() == " ".join(
        ["notes: first second line question:", "what " * 40, "end table: | 2019 net sales |",
         "$ 1,204.5"]
    ).split()  # fmt: skip


@given(st.dictionaries(st.sampled_from("abc"), st.lists(st.text(alphabet="ab 1.\n", max_size=30))))
def test_no_word_of_a_candidate_is_lost_or_cut(fields: dict[str, list[str]]) -> None:
    lines = candidate_lines(fields, width=10)  # type: ignore[arg-type]
    words = [w for name in sorted(fields) for w in [f"{name}:", *" ".join(fields[name]).split()]]
    assert [word for line in lines for word in line.split()] == words
