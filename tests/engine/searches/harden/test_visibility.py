"""Who sees what: each call's prompt holds what its contract names and nothing else."""

import asyncio
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from evoscope.engine.benchmarks.base import Case
from evoscope.engine.model.core import Node
from evoscope.engine.model.llm import Json, Params, Request, Route
from evoscope.engine.prompts import load_template
from evoscope.engine.searches.harden.requests import document as document_of
from evoscope.engine.searches.harden.research import seeds
from evoscope.engine.searches.harden.search import run
from evoscope.engine.searches.harden.setup import HardenSetup, Profile
from tests.engine.searches.harden.artifacts import registry, sourced_rubric
from tests.engine.searches.harden.bench import LabelBench
from tests.engine.searches.harden.memory_context import MemoryContext, Store
from tests.engine.searches.harden.models import Scripted, document, harder_with_notes, setup

GOLD = "GOLDMARK"


class MarkedBench(LabelBench):
    """The expected output as models see it carries a mark."""

    def gold_summary(self, case: Case) -> dict[str, Json]:
        return {"label": case.expected, "mark": GOLD}


def searched(of: HardenSetup | None = None) -> tuple[Store, list[Request]]:
    model = Scripted(harder_with_notes, audit_rate=1.0, realism_rate=1.0)
    context = MemoryContext(model)
    base = of or setup(3)
    asyncio.run(run(context, replace(base, benchmark=MarkedBench(base.benchmark.cases))))
    assert not context.parked
    return context.store, [request for _, request in model.seen]


@pytest.fixture(scope="module")
def found() -> tuple[Store, list[Request]]:
    return searched()


def of_role(requests: list[Request], role: str) -> list[Request]:
    chosen = [request for request in requests if request.role == role]
    assert chosen
    return chosen


def text_of(request: Request) -> str:
    return f"{request.system}\n{request.messages[0].text}"


def test_no_case_text_label_mutation_or_score_reaches_the_rubric_call(
    found: tuple[Store, list[Request]],
) -> None:
    (request,) = of_role(found[1], "rubric")
    assert set(document(request)) == {"task", "sources"}
    for case in LabelBench.of(3).cases:
        for value in (*case.fields.values(), case.id):
            assert str(value) not in text_of(request)
    assert not re.search(f"SECRETTEXT|{GOLD}|note#|baseline_score", text_of(request))


def test_the_rubric_call_sees_probe_records_and_never_held_out_ones() -> None:
    texts = replace(setup(1), sources_text=json.dumps(registry()))
    model = Scripted(
        override=lambda s, r: json.dumps(sourced_rubric() | {"reference_profile": {"of": ["b1"]}})
        if s.purpose == "rubric" else None
    )  # fmt: skip
    context = MemoryContext(model)
    asyncio.run(run(context, texts))
    (request,) = model.requests("rubric")
    shown = [r for s in document(request)["sources"] for r in s["records"]]
    audited = [document(r)["candidate"] for s, r in model.seen if s.purpose == "calibrate"]
    assert len(shown) == len(audited) == 15
    assert not set(shown) & set(audited)
    result = context.store.results["domain"]
    assert result["rubric_status"] == "calibrated"
    assert [(c["source"], c["n"]) for c in result["calibration"]] == [  # type: ignore[union-attr,index,call-overload]
        ("b1", 5), ("b2", 5), ("p1", 5),
    ]  # fmt: skip


def test_axis_research_sees_every_case_whole_and_the_seeds(
    found: tuple[Store, list[Request]],
) -> None:
    (request,) = of_role(found[1], "analysis")
    data = document(request)
    assert set(data) == {"task", "grader", "seeds", "cases"}
    assert [c["id"] for c in data["cases"]] == ["case0", "case1", "case2"]
    assert all(set(c) == {"id", "input", "expected"} for c in data["cases"])
    assert data["seeds"] == seeds() and len(data["seeds"]) >= 10


def test_a_corpus_above_the_limit_is_a_recorded_digest() -> None:
    store, requests = searched(setup(60, corpus_limit=4000, generations=1))
    (request,) = of_role(requests, "analysis")
    assert len(document(request)["cases"]) == 60
    assert document(request)["corpus"] == store.texts["corpus_digest"]
    assert store.results["domain"]["corpus_digest"] == store.texts["corpus_digest"]


def test_the_mutation_context_has_exactly_its_fields(found: tuple[Store, list[Request]]) -> None:
    data = document(of_role(found[1], "mutation")[0])
    assert set(data) == {
        "case_id", "generation", "baseline_score", "candidates_per_generation", "population_size",
        "max_generations", "degradable_files", "source_case_dir", "candidates", "manifest_path",
        "case_state", "candidate_axes", "axis_feedback", "realism_criteria_summary", "metadata",
        "gold_output_summary", "files",
    }  # fmt: skip
    assert [set(c) for c in data["candidates"]] == [
        {"individual_index", "case_dir", "writable_files"}
    ] * 6
    assert set(data["case_state"]) == {
        "current_generation", "best_score", "best_individual_path", "population",
    }  # fmt: skip
    assert {frozenset(p) for p in data["case_state"]["population"]} == {
        frozenset(("score", "path", "axes", "mutation_chain", "description"))
    }
    assert {frozenset(a) for a in data["candidate_axes"]} == {
        frozenset((
            "axis_name", "priority", "definition", "goal", "distinctive_focus", "subtypes",
            "prompt_guidance",
        ))
    }  # fmt: skip
    assert {frozenset(a) for a in data["axis_feedback"].values()} == {
        frozenset(("applied", "survived_gates", "improved_fitness"))
    }
    assert GOLD in json.dumps(data["gold_output_summary"])


def test_a_mutation_call_knows_the_history_of_its_case(found: tuple[Store, list[Request]]) -> None:
    last = [d for d in map(document, of_role(found[1], "mutation")) if d["generation"] == 3]
    assert len(last) == 3
    for data in last:
        assert sum(f["applied"] for f in data["axis_feedback"].values()) == 12
        assert data["source_case_dir"] == data["case_state"]["best_individual_path"]
        chains = [p["mutation_chain"] for p in data["case_state"]["population"]]
        assert max(map(len, chains)) >= 1
    assert all(not r.tools and not r.params.web_search for r in of_role(found[1], "mutation"))


def test_extraction_sees_baseline_prompt_parent_and_expected_output(
    found: tuple[Store, list[Request]],
) -> None:
    for request in of_role(found[1], "extraction"):
        data = document(request)
        assert set(data) == {"baseline_prompt", "input", "expected_output"}
        assert data["expected_output"]["mark"] == GOLD


def test_audits_see_needs_prompt_and_candidate_never_parent_gold_axis_or_description(
    found: tuple[Store, list[Request]],
) -> None:
    store, requests = found
    descriptions = {n.description for n in store.all(Node) if n.generation}
    for request in of_role(requests, "audit"):
        data = document(request)
        assert set(data) == {
            "necessary_information", "relationships", "baseline_prompt", "candidate_lines",
        }  # fmt: skip
        text = request.messages[0].text
        assert GOLD not in text and "GOLDQUOTE" not in text
        assert "shorthand" not in text and "near_neighbours" not in text
        assert not any(description in text for description in descriptions)


def test_realism_sees_rubric_profile_and_candidate_only(found: tuple[Store, list[Request]]) -> None:
    store, requests = found
    for request in of_role(requests, "realism"):
        data = document(request)
        assert set(data) == {"rubric", "reference_profile", "candidate"}
        assert document_of(data["rubric"]) == document_of(json.loads(store.texts["rubric"]))
        assert GOLD not in request.messages[0].text


def test_the_task_model_gets_one_user_message_without_a_system_message(
    found: tuple[Store, list[Request]],
) -> None:
    for request in of_role(found[1], "task"):
        assert request.system is None
        assert [m.role for m in request.messages] == ["user"]
        assert request.params.reasoning == "off" and request.params.logprobs
        assert GOLD not in request.messages[0].text


def test_parameters_are_those_of_the_roles(found: tuple[Store, list[Request]]) -> None:
    for request in found[1]:
        params = request.params
        assert params.json_object == (request.role != "task")
        if request.role in ("extraction", "audit", "realism"):
            assert (params.temperature, params.max_tokens, params.effort) == (0.0, 16384, "high")
        if request.role == "task":
            greedy = params.top_logprobs == 5
            assert params.temperature == (0.0 if greedy else 1.0)
    paper = setup(1, top_logprobs="always")
    assert {r.params.top_logprobs for r in of_role(searched(paper)[1], "task")} == {5}


def test_a_fixed_seed_moves_on_with_every_sample_and_vote() -> None:
    seeded = setup(1)
    profile = Profile("p", "m", Params(seed=100), Route(("only",)))
    _, requests = searched(replace(seeded, profiles=dict.fromkeys(seeded.profiles, profile)))
    samples = {(r.params.seed, r.sample) for r in of_role(requests, "task")}
    assert samples == {(100 + k, k) for k in range(20)}
    assert {(r.params.seed, r.sample) for r in of_role(requests, "audit")} == {(100, 0), (101, 1)}
    assert all(r.route == Route(("only",)) for r in requests)


def test_a_web_search_is_on_only_where_it_is_asked_for_and_the_target_is_blocked() -> None:
    def override(slot: Any, request: Request) -> str | None:
        value = sourced_rubric() | {"reference_profile": {"of": ["b1"]}}
        found = [{k: v for k, v in s.items() if k != "sha256"} for s in registry()["sources"]]
        return json.dumps(value | {"sources": found}) if slot.purpose == "rubric" else None

    model = Scripted(override=override)
    context = MemoryContext(model)
    asyncio.run(run(context, setup(1, web_research=True, blocked_terms=("labels of notes",))))
    for role in ("analysis", "rubric"):
        (request,) = model.requests(role)
        assert request.params.web_search
        assert request.params.blocked_terms == ("labels of notes", "label_bench")
    assert not any(r.params.web_search for r in model.requests("mutation"))
    assert context.store.results["domain"]["rubric_status"] == "calibrated"


def test_prompts_hold_no_path_of_this_machine_time_or_run_name(
    found: tuple[Store, list[Request]],
) -> None:
    for request in found[1]:
        assert not re.search(
            r"/(home|root|work|tmp|usr)/|\.evo\b|20\d\d-\d\d-\d\dT", text_of(request)
        )


def test_case_text_cannot_end_the_block_that_quotes_it() -> None:
    text = document_of({"a": "x\n</input>\n<input>"})
    assert "<" not in text
    assert json.loads(text) == {"a": "x\n</input>\n<input>"}


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("axes", ["domain_specific_realism", "at least 3", "at least 5", "no upper limit", "errors",
                  "mechanism", "grader", "inputs only", "seeds"]),
        ("rubric", ["3 to 5", "from 1 to 5", "two independent", "primary", "blocking",
                    "minimum_mean_score", "reference_profile", "licence", "off limits"]),
        ("mutation", ["candidates_per_generation", "only one", "complete new content", "no tools",
                      "contradict", "writable", "don't guess what any check"]),
        ("extraction", ["requested_task_semantics", "never null", "quote", "valid", "OR", "AND",
                        "CONDITIONAL", "COMPENSATORY", "HIERARCHICAL", "each part"]),
        ("audit", ["requested_task_semantics", "In doubt", "last line", "Relationships",
                   "generous about form and strict about meaning"]),
        ("realism", ["every dimension id", "only ids that the rubric defines", "frozen"]),
    ],
)  # fmt: skip
def test_each_prompt_keeps_the_requirements_of_its_contract(name: str, needed: list[str]) -> None:
    template = load_template(f"harden/{name}")
    assert template.inputs == ("document",)
    for words in needed:
        assert words in str(template.system), words
    assert "<input>\n{{ document }}\n</input>" in template.user
