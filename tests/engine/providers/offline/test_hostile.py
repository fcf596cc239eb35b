"""Whatever stands in a prompt, an offline model answers: nothing raises, nothing hangs."""

import asyncio
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.providers.offline.ask import (
    CONTRACT,
    FINQA,
    PUBMEDQA,
    complete,
    structured,
    task,
)

ROLES = ("analysis", "rubric", "mutation", "extraction", "audit", "realism")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
NAMES = (
    "task", "cases", "sources", "files", "degradable_files", "candidates", "candidate_axes",
    "axis_feedback", "gold_output_summary", "candidates_per_generation", "input",
    "expected_output", "baseline_prompt", "necessary_information", "candidate_lines", "rubric",
    "candidate", "question", "hypothesis", "table", "contexts", "dimensions", "red_flags",
)  # fmt: skip
SHAPED = st.dictionaries(
    st.sampled_from(NAMES),
    JSON | st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ROLES), SHAPED, st.integers(0, 3))
def test_structured_roles_answer_any_document_with_a_json_object(role, data, sample):
    completion = asyncio.run(complete(structured(role, data, sample)))
    assert isinstance(json.loads(completion.text), dict)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_readers_answer_any_text(text):
    for prompt in (
        text,
        FINQA.replace("{question}", text),
        FINQA.replace("net sales | $ 4120", text),
        PUBMEDQA.replace("{finding}", text),
        CONTRACT.replace("{clause}", text),
    ):
        assert asyncio.run(complete(task(prompt))).text


@pytest.mark.parametrize(
    "prompt",
    [
        FINQA.replace(
            "{question}", "what percent of " + "accounts for what of ratio of to " * 3000
        ),
        FINQA.replace("net sales", "9" * 50000),
        FINQA.replace("| $ 4120", "| 1 " * 3000),
        FINQA.replace("two segments", "1 2 " * 20000),
        PUBMEDQA.replace("{finding}", "no " * 60000),
        CONTRACT.replace("{clause}", "not use purpose not copies " * 4000),
        CONTRACT.replace("{clause}", "<contract>\n" * 20000),
        "<table>\n" * 20000,
        "A) x\n" * 20000,
        "one of " + "a, " * 40000,
    ],
    ids=range(10),
)
async def test_no_prompt_keeps_a_reader_busy_for_seconds(prompt):
    started = time.process_time()
    assert (await complete(task(prompt))).text
    assert time.process_time() - started < 3.0


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "text",
    ["", "no document", "<input>\n[1]\n</input>", "<input>\n{\n</input>", "<input>\n"
     + '{"a":' * 3000 + "1" + "}" * 3000 + "\n</input>"],
    ids=["empty", "none", "list", "broken", "deep"],
)  # fmt: skip
async def test_a_prompt_without_a_readable_document_gets_an_empty_object(role, text):
    request = structured(role, {})
    request = type(request)(role, "offline", role, (type(request.messages[0])("user", text),))
    assert json.loads((await complete(request)).text) == {}
