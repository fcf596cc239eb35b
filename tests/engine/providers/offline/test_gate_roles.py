"""Analyst, rubric, extractor, auditor and realism judge, through the gates that read them."""

import json

import pytest

from evoscope.engine.benchmarks.load import load
from evoscope.engine.gates.correctness import candidate_lines, judge_audit, read_extraction
from evoscope.engine.gates.realism import judge_realism
from evoscope.engine.searches.harden.axes import read_catalogue
from evoscope.engine.searches.harden.rubric import freeze, read_profile, read_rubric
from tests.engine.providers.offline.ask import answer, complete, structured

KINDS = ("finqa", "pubmedqa", "contractnli", "bundle")


async def extraction(benchmark, case):
    data = {
        "baseline_prompt": benchmark.instructions(),
        "input": dict(case.fields),
        "expected_output": dict(benchmark.gold_summary(case)),
    }
    return read_extraction((await complete(structured("extraction", data))).text)


async def votes(necessary, fields, count=3, prompt=""):
    data = {
        **necessary.for_audit(),
        "baseline_prompt": prompt,
        "candidate_lines": list(candidate_lines(fields)),
    }
    texts = [(await complete(structured("audit", data, i))).text for i in range(count)]
    return [judge_audit(text).outcome for text in texts]


@pytest.mark.parametrize("kind", KINDS)
async def test_the_catalogue_is_valid_and_names_the_benchmarks_own_fields(kind):
    benchmark = load(kind)
    cases = [
        {"id": c.id, "input": dict(c.fields), "expected": c.expected} for c in benchmark.cases[:2]
    ]
    value = await answer("analysis", {"task": dict(benchmark.describe()), "cases": cases})
    axes, wrong = read_catalogue(value)
    assert wrong == []
    assert 8 <= len(axes) <= 11
    named = {name for axis in axes for name in axis.target_artifact_types}
    assert named <= set(benchmark.mutable)
    assert ("table_label_compression" in {axis.axis_name for axis in axes}) == (kind == "finqa")


async def test_the_rubric_is_valid_without_sources_and_its_profile_says_something():
    value = await answer("rubric", {"task": {}, "sources": []})
    rubric, wrong = read_rubric(value, [])
    assert rubric is not None and wrong == []
    assert read_profile(value["reference_profile"], [])[1] == []
    assert not any(flag.blocking for flag in rubric.red_flags)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_unchanged_case_passes_its_own_audit(kind):
    benchmark = load(kind)
    for case in benchmark.cases[:8]:
        necessary = await extraction(benchmark, case)
        found = await votes(necessary, case.fields, prompt=benchmark.instructions())
        assert found == ["pass"] * 3, case.id


async def test_a_lost_number_fails_the_audit_and_another_notation_passes_it():
    case = load("finqa").cases[0]
    fields = {
        "question": "what was the change in net sales from 2018 to 2019?",
        "pre_text": ["sales grew ."],
        "table": [["", "2019", "2018"], ["net sales", "4120", "3800"], ["costs", "3100", "2900"]],
        "post_text": ["see the notes ."],
    }
    gold = {"program": "subtract(4120, 3800)", "executed_result": 320.0}
    data = {"baseline_prompt": case.id, "input": fields, "expected_output": gold}
    necessary = read_extraction((await complete(structured("extraction", data))).text)
    other = json.loads(json.dumps(fields).replace("4120", "$ 4,120"))
    lost = json.loads(json.dumps(fields).replace("4120", "4210"))
    assert await votes(necessary, other) == ["pass"] * 3
    assert await votes(necessary, lost) == ["fail"] * 3


async def test_a_turned_negation_fails_the_audit():
    fields = {
        "question": "Does early walking shorten hospital stay?",
        "contexts": ["Early walking did not shorten hospital stay in this group of patients."],
    }
    data = {"baseline_prompt": "", "input": fields, "expected_output": {"answer": "no"}}
    necessary = read_extraction((await complete(structured("extraction", data))).text)
    turned = {**fields, "contexts": [fields["contexts"][0].replace("did not shorten", "shortened")]}
    assert await votes(necessary, fields) == ["pass"] * 3
    assert await votes(necessary, turned) == ["fail"] * 3


async def test_members_of_a_vote_differ_where_a_passage_is_half_reworded():
    fields = {
        "question": "Is the new drug safe?",
        "contexts": ["alpha bravo charlie delta echo foxtrot golf hotel india juliett significant"],
    }
    data = {"baseline_prompt": "", "input": fields, "expected_output": {"answer": "yes"}}
    necessary = read_extraction((await complete(structured("extraction", data))).text)
    words = fields["contexts"][0].split()
    outcomes = {
        outcome
        for kept in range(5, 8)
        for outcome in {
            tuple(sorted(set(await votes(
                necessary, {**fields, "contexts": [" ".join(words[:kept]) + " zulu yankee xray"]}, 9
            ))))
        }
    }  # fmt: skip
    assert ("fail", "pass") in outcomes


async def frozen_rules():
    value = await answer("rubric", {"task": {}, "sources": []})
    rubric, _ = read_rubric(value, [])
    assert rubric is not None
    return freeze(rubric, {"a": 1}, calibrated=False).verified()[:2]


async def realism(candidate):
    rules, rubric = await frozen_rules()
    data = {"rubric": rubric, "candidate": candidate}
    texts = [(await complete(structured("realism", data, i))).text for i in range(3)]
    return [judge_realism(text, rules).outcome for text in texts]


@pytest.mark.parametrize("kind", KINDS)
async def test_our_sample_cases_look_real(kind):
    for case in load(kind).cases[:5]:
        assert (await realism(dict(case.fields))).count("pass") >= 2, case.id


@pytest.mark.parametrize(
    "candidate",
    [
        {"text": "xkcdqrt vbnmpl zzzzqq wrtpsdf ghjklmnb qwrtzpsd " * 5},
        {"text": "too short"},
        {"text": "This distractor was added so that the test model stumbles over it here. " * 2},
        {"text": ["The very same line is printed again and again, without an end."] * 6},
        {"table": [["a", "b", "c"], ["1"], [], ["", ""], ["2", "3", "4"]], "text": "word " * 20},
    ],
    ids=["gibberish", "truncated", "staged", "repeated", "ragged"],
)
async def test_what_looks_made_up_fails_realism(candidate):
    assert await realism(candidate) == ["fail"] * 3
