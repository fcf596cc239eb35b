"""Malformed replies, refusals and calls that fail for good: what each of them costs."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evoscope.engine.errors import CallFailed, DataError
from evoscope.engine.model.core import Node, NodeState, Slot, Verdict
from evoscope.engine.model.harden import CaseResult
from evoscope.engine.model.llm import Completion, Finish, Request
from evoscope.engine.searches.harden.search import run
from tests.engine.searches.harden.artifacts import catalogue, rubric
from tests.engine.searches.harden.memory_context import MemoryContext, Store
from tests.engine.searches.harden.models import Scripted, document, harder_with_notes, setup

Answer = str | CallFailed | Completion | None


def refusal(slot: Slot) -> CallFailed:
    return CallFailed(slot.key, "refusal", "declined")


def searched(override: Callable[[Slot, Request], Answer], n: int = 2, **settings: Any) -> Store:
    context = MemoryContext(Scripted(harder_with_notes, 1.0, 1.0, override=override))
    asyncio.run(run(context, setup(n, **settings)))
    assert not context.parked
    return context.store


def result(store: Store, unit: str = "case0") -> CaseResult:
    return CaseResult.from_json(store.results[unit])


def purposes(store: Store, purpose: str) -> list[str]:
    return sorted(key for key in store.calls if key.split("|")[1] == purpose)


def test_a_malformed_manifest_is_asked_for_once_more() -> None:
    store = searched(lambda s, r: "sorry" if (s.purpose, s.reask) == ("mutate", 0) else None)
    assert len(purposes(store, "mutate")) == 2 * 2 * 3
    assert len([n for n in store.all(Node) if n.generation]) == 2 * 3 * 6


@pytest.mark.parametrize("answer", ["sorry", "", "[]", '{"mutations": 3}'])
def test_two_malformed_manifests_are_an_empty_generation(answer: str) -> None:
    store = searched(lambda s, r: answer if s.purpose == "mutate" else None)
    assert [n.generation for n in store.all(Node)] == [0, 0]
    reasons = {d.reason for d in store.decisions("select")}
    assert all("manifest is malformed" in reason for reason in reasons)
    assert result(store).status == "kept"
    assert not purposes(store, "extract")


def test_a_refused_mutation_is_an_empty_generation_without_a_second_ask() -> None:
    store = searched(lambda s, r: refusal(s) if s.purpose == "mutate" else None)
    assert len(purposes(store, "mutate")) == 2 * 3
    assert result(store).status == "kept"


def test_a_manifest_that_was_cut_off_is_not_repaired() -> None:
    def cut(slot: Slot, request: Request) -> Answer:
        if slot.purpose != "mutate":
            return None
        text = Scripted()(slot, request).text  # type: ignore[union-attr]
        return Completion(text[:-40], Finish.LENGTH)

    assert [n.generation for n in searched(cut).all(Node)] == [0, 0]


def test_a_repaired_manifest_is_marked_on_its_nodes() -> None:
    def sloppy(slot: Slot, request: Request) -> Answer:
        if slot.purpose != "mutate":
            return None
        text = Scripted()(slot, request).text  # type: ignore[union-attr]
        return f"Sure. {text}"

    nodes = [n for n in searched(sloppy).all(Node) if n.generation]
    assert len(nodes) == 36
    assert all(n.origin["repaired"] is True for n in nodes)


def test_strays_in_a_manifest_are_rejected_nodes_and_the_rest_go_on() -> None:
    def stray(slot: Slot, request: Request) -> Answer:
        if slot.purpose != "mutate":
            return None
        value = json.loads(Scripted()(slot, request).text)  # type: ignore[union-attr]
        entries = value["mutations"]
        entries[1]["individual_index"] = 0
        entries[2]["axes"] = ["unheard_of"]
        entries[3]["fields"] = {"topic": "another"}
        entries[4]["fields"] = dict(entries[5]["fields"])
        entries[4]["careless"] = True
        return json.dumps(value)

    store = searched(stray, generations=1)
    validity = {
        v.node: (v.outcome, v.reason) for v in store.all(Verdict)
        if v.gate == "validity" and v.unit == "case0"
    }  # fmt: skip
    assert {node: outcome for node, (outcome, _) in validity.items()} == {
        "case0/g1/i0": "fail", "case0/g1/i1": "fail", "case0/g1/i2": "fail", "case0/g1/i3": "fail",
        "case0/g1/i4": "pass", "case0/g1/i5": "fail", "case0/g1/i6": "fail",
    }  # fmt: skip
    assert "given 2 times" in validity["case0/g1/i0"][1]
    assert "no entry" in validity["case0/g1/i1"][1]
    assert "unknown axis" in validity["case0/g1/i2"][1]
    assert "can't be changed" in validity["case0/g1/i3"][1]
    assert "sibling" in validity["case0/g1/i5"][1]
    assert sum(c.applied for c in result(store).axes.values()) == 5
    tagged = [n.id for n in store.all(Node) if "careless" in n.origin]
    assert tagged == ["case0/g1/i4", "case1/g1/i4"]
    for key, (request, _) in store.calls.items():
        assert "careless" not in request.messages[0].text, key


def test_a_malformed_extraction_is_asked_for_once_more_then_fails_closed() -> None:
    store = searched(lambda s, r: "?" if (s.purpose, s.reask) == ("extract", 0) else None)
    assert result(store).axes["shorthand"].passed > 0
    store = searched(lambda s, r: "?" if s.purpose == "extract" else None)
    assert not purposes(store, "audit")
    verdicts = [v for v in store.all(Verdict) if v.gate == "correctness"]
    assert {v.outcome for v in verdicts} == {"fail"}
    assert all("malformed" in v.reason for v in verdicts)
    assert len(purposes(store, "extract")) == 2 * 2


def test_a_refused_extraction_is_an_abstention_and_no_pass() -> None:
    store = searched(lambda s, r: refusal(s) if s.purpose == "extract" else None)
    states = {s.state for n, s in store.states.items() if not n.endswith("g0/i0")}
    assert states == {"abstained"}
    assert len(purposes(store, "extract")) == 2


@pytest.mark.parametrize(
    ("votes", "cast", "outcome"),
    [
        ({0: "fail", 1: "refused"}, 2, "fail"),
        ({0: "pass", 1: "refused", 2: "pass"}, 3, "pass"),
        ({0: "pass", 1: "broken", 2: "pass"}, 3, "pass"),
        ({0: "refused", 1: "broken"}, 2, "fail"),
        ({0: "pass", 1: "pass"}, 2, "pass"),
    ],
)
def test_refused_and_malformed_votes_are_no_pass(
    votes: dict[int, str], cast: int, outcome: str
) -> None:
    def vote(slot: Slot, request: Request) -> Answer:
        if slot.purpose != "audit":
            return None
        said = votes[slot.number]
        if said == "refused":
            return refusal(slot)
        passes = {"pass": True, "missing_information": []}
        return {"fail": '{"pass": false, "missing_information": []}', "broken": "{"}.get(
            said, json.dumps(passes)
        )

    store = searched(vote, n=1, generations=1)
    rows = [v for v in store.all(Verdict) if (v.node, v.gate) == ("case0/g1/i0", "correctness")]
    assert len(rows) == cast + 1
    assert rows[0].vote is None and rows[0].outcome == outcome
    shown = {"pass": "pass", "fail": "fail", "broken": "fail", "refused": "abstain"}
    assert [v.outcome for v in rows[1:]] == [shown[votes[k]] for k in range(cast)]


def test_a_vote_refused_in_the_reply_itself_is_an_abstention() -> None:
    store = searched(
        lambda s, r: Completion("{}", Finish.REFUSAL) if s.purpose == "realism" else None, n=1
    )
    votes = [v for v in store.all(Verdict) if v.gate == "realism" and v.vote is not None]
    assert {v.outcome for v in votes} == {"abstain"}


def test_a_rollout_that_cannot_be_had_rejects_the_candidate_and_is_no_zero() -> None:
    def missing(slot: Slot, request: Request) -> Answer:
        lost = (slot.purpose, slot.node, slot.number) == ("rollout", "case0/g1/i2", 3)
        return CallFailed(slot.key, "too_large", "413") if lost else None

    store = searched(missing)
    assert store.states["case0/g1/i2"] == NodeState("case0/g1/i2", "error")
    verdict = next(v for v in store.all(Verdict) if (v.node, v.gate) == ("case0/g1/i2", "rollouts"))
    assert verdict.outcome == "error" and "too_large" in verdict.reason
    assert all("case0/g1/i2" not in d.chosen for d in store.decisions("select"))
    assert result(store).status in ("hardened", "kept")


def test_a_baseline_that_cannot_be_had_fails_the_case_and_the_others_go_on() -> None:
    def missing(slot: Slot, request: Request) -> Answer:
        lost = (slot.purpose, slot.node, slot.number) == ("rollout", "case0/g0/i0", 3)
        return CallFailed(slot.key, "content_filter", "") if lost else None

    store = searched(missing)
    assert result(store).status == "failed"
    assert (result(store).final, result(store).score_before) == (None, None)
    assert store.states["case0/g0/i0"].state == "error"
    assert result(store, "case1").status in ("hardened", "kept")


def test_fresh_and_greedy_calls_that_fail_leave_unknowns_and_no_zeros() -> None:
    def missing(slot: Slot, request: Request) -> Answer:
        lost = slot.purpose == "greedy" or (slot.purpose == "fresh" and slot.number == 11)
        return CallFailed(slot.key, "too_large", "") if lost else None

    found = result(searched(missing))
    assert (found.fresh_before, found.fresh_after) == (None, None)
    assert found.score_before is not None


@pytest.mark.parametrize("purpose", ["axes", "rubric"])
def test_faults_of_the_domain_analysis_go_back_to_the_model_then_end_the_run(purpose: str) -> None:
    good = {"axes": catalogue(), "rubric": rubric()}[purpose]
    faulty = {"axes": {"axes": []}, "rubric": {**rubric(), "dimensions": []}}[purpose]
    context = MemoryContext(
        Scripted(override=lambda s, r: json.dumps(
            faulty if s.purpose == purpose and s.reask < 2 else good
        ) if s.purpose == purpose else None)
    )  # fmt: skip
    asyncio.run(run(context, setup(1)))
    asked = [
        document(r) for r, _ in context.store.calls.values() if r.role in ("analysis", "rubric")
    ]
    repairs = [d["errors"] for d in asked if "errors" in d]
    assert len(repairs) == 2 and all(repairs)

    always = MemoryContext(
        Scripted(override=lambda s, r: json.dumps(faulty) if s.purpose == purpose else None)
    )
    with pytest.raises(DataError, match=f"domain analysis.*harden.{purpose}"):
        asyncio.run(run(always, setup(1)))
    assert len(purposes(always.store, purpose)) == 3
    assert not purposes(always.store, "rollout")


def test_a_turn_that_a_web_search_pauses_goes_on_in_the_same_slot() -> None:
    def pausing(slot: Slot, request: Request) -> Answer:
        if slot.purpose != "axes" or slot.step == 2:
            return None
        return Completion("searching", Finish.PAUSE, raw_turn=[{"turn": slot.step}])

    store = searched(pausing, n=1)
    assert purposes(store, "axes") == [f"domain|axes||0|0|{step}" for step in range(3)]
    last = store.calls["domain|axes||0|0|2"][0]
    assert [m.raw for m in last.messages[1:]] == [[{"turn": 0}], [{"turn": 1}]]


def test_the_users_axes_and_rubric_need_no_call() -> None:
    texts = replace(
        setup(1),
        axes_text=json.dumps(catalogue("mine")),
        rubric_text=json.dumps({k: v for k, v in rubric().items() if k != "reference_profile"}),
        profile_text=json.dumps({"mine": 1}),
    )
    context = MemoryContext(Scripted(harder_with_notes))
    asyncio.run(run(context, texts))
    assert not purposes(context.store, "axes") and not purposes(context.store, "rubric")
    assert '"axis_name":"mine"' in context.store.texts["axes"]
    assert context.store.texts["reference_profile"] == '{"mine":1}'
    assert context.store.results["domain"]["rubric_status"] == "uncalibrated"


@pytest.mark.parametrize("key", ["axes_text", "rubric_text", "sources_text"])
def test_a_faulty_file_of_the_users_ends_the_run_with_its_key(key: str) -> None:
    name = key.removesuffix("_text")
    with pytest.raises(DataError, match=f"harden.{name}"):
        asyncio.run(run(MemoryContext(Scripted()), replace(setup(1), **{key: '{"a": '})))


def test_a_case_named_like_the_runs_own_unit_is_refused() -> None:
    of = setup(1)
    of.benchmark.cases = [replace(of.benchmark.cases[0], id="domain")]  # type: ignore[misc]
    with pytest.raises(DataError, match="rename"):
        asyncio.run(run(MemoryContext(Scripted()), of))
