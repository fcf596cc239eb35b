"""Compositions: parsing, hashing, families, and a fuzzer that looks for a valid wrong one."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from evoscope.engine.benchmarks.corpus_qa.environment import CorpusQA
from evoscope.engine.benchmarks.corpus_qa.operators import OPERATORS as CORPUS
from evoscope.engine.benchmarks.syn_ledger.environment import build
from evoscope.engine.benchmarks.syn_ledger.families import legal_answer
from evoscope.engine.benchmarks.syn_ledger.model import Record
from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS as LEDGER
from evoscope.engine.benchmarks.syn_ledger.parse import parse_records
from evoscope.engine.benchmarks.transform.composition import (
    IDENTITY,
    LONGEST,
    Composition,
    compose,
    parse,
)
from evoscope.engine.benchmarks.transform.firewall import examine
from evoscope.engine.benchmarks.transform.operators import FAMILIES, Catalogue, described
from evoscope.engine.errors import DataError
from evoscope.engine.model.llm import Json
from tests.engine.benchmarks.corpus_qa import kit

RELEASED = build(0).released
FEW = RELEASED.subset(RELEASED.splits["evo"][3:7])


def arguments(model: type[BaseModel]) -> st.SearchStrategy[dict[str, Any]]:
    """Any arguments that the operator's schema allows."""
    made = {}
    for name, schema in model.model_json_schema()["properties"].items():
        if "enum" in schema:
            made[name] = st.sampled_from(schema["enum"])
        else:
            high = schema.get("maximum", schema.get("exclusiveMaximum", 1) - 1)
            made[name] = st.integers(schema["minimum"], high)
    return st.fixed_dictionaries(made)


def specs(operators: Catalogue) -> st.SearchStrategy[dict[str, Any]]:
    steps = st.one_of(
        [
            st.fixed_dictionaries(
                {"operator": st.just(name), "arguments": arguments(operator.arguments)}
            )
            for name, operator in operators.items()
        ]
    )
    return st.fixed_dictionaries({"operators": st.lists(steps, max_size=LONGEST)})


@given(specs(LEDGER))
@settings(max_examples=60, deadline=None)
def test_no_ledger_composition_changes_an_answer(spec: dict[str, Any]) -> None:
    composition = parse(spec, LEDGER)
    ruling = examine(composition, FEW)
    assert ruling.problem is None and ruling.failed == ()
    changed = composition.apply(FEW)
    for task in FEW.ledger:
        records: list[Record] = []
        listed = changed.session(task.id).call("list_files", {}).content
        assert isinstance(listed, dict) and isinstance(listed["files"], list)
        paths = listed["files"]
        assert len(set(map(str, paths))) == 12
        for path in paths:
            for start in (1, 4):
                # a fresh session each time: budgets are not the question here
                reply = changed.session(task.id).call("open_file", {"path": path, "start": start})
                assert isinstance(reply.content, dict)
                records += parse_records(str(reply.content["text"]))
        assert legal_answer(task.request, records) == task.answer


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusQA:
    return kit.corpus(tmp_path_factory.mktemp("cache"))


@given(specs(CORPUS))
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_corpus_composition_loses_a_line(corpus: CorpusQA, spec: dict[str, Any]) -> None:
    composition = parse(spec, CORPUS)
    ruling = examine(composition, corpus)
    assert ruling.problem is None and ruling.failed == ()
    changed = composition.apply(corpus)
    assert changed.with_protocol(corpus.protocol) == corpus
    for document in corpus.documents:
        call = corpus.canonical_call("Q00", "open", {"doc_id": document.id, "count": 120})
        assert call is not None
        reply = changed.session("Q00").call(*changed.presented_call("Q00", call)).content
        assert isinstance(reply, dict) and "\n".join(document.lines) in map(str, reply.values())


def step(name: str, values: Mapping[str, Json] | None = None) -> dict[str, Json]:
    return {"operator": name, "arguments": dict(values or {})}


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ({"operators": [step("delete_document")]}, "not allow-listed"),
        ({"operators": [step("rename", {"style": "early", "task": "L001"})]}, "task"),
        ({"operators": [step("rename", {"style": "odd"})]}, "style"),
        ({"operators": [step("rename", {"style": "early", "seed": "1"})]}, "seed"),
        ({"operators": [step("rename", {"style": "early", "seed": 1000})]}, "seed"),
        ({"operators": [step("rename")]}, "style"),
        ({"operators": [step("rename", {"style": "late"})] * (LONGEST + 1)}, "at most"),
        ({"operators": "rename"}, "list of operators"),
        ({"operators": [], "code": "x"}, "'code'"),
        ({"operators": [], "declares": ["answers"]}, "declares"),
        ([], "list of operators"),
        ({"operators": [{"operator": "rename", "only_for": "D_evo"}]}, "operator and arguments"),
    ],
)
def test_what_is_not_typed_and_allow_listed_is_refused(spec: Json, match: str) -> None:
    with pytest.raises(DataError, match=match):
        parse(spec, LEDGER)


def test_the_hash_is_of_the_normalised_ordered_operator_list() -> None:
    stated = compose(LEDGER, ("rename", {"style": "late", "seed": 0}))
    assert stated.hash == compose(LEDGER, ("rename", {"style": "late"})).hash
    other = ("set_depth", {"rule": "swap"})
    ab, ba = stated.then(compose(LEDGER, other)), compose(LEDGER, other).then(stated)
    assert len({stated.hash, ab.hash, ba.hash, IDENTITY.hash}) == 4
    assert parse({"operators": ab.plain()}, LEDGER) == ab
    claimed = parse({"operators": stated.plain(), "declares": ["name", "depth"]}, LEDGER)
    assert claimed.hash == stated.hash and claimed.declared == {"name", "depth"}


def test_composing_is_applying_one_after_the_other() -> None:
    first = compose(LEDGER, ("move_block", {"to": "swap"}))
    second = compose(LEDGER, ("reserialise", {"to": "mixed", "seed": 7}))
    assert first.then(second).apply(FEW) == second.apply(first.apply(FEW))
    assert first.then(first).apply(FEW) == FEW
    assert IDENTITY.apply(FEW) == FEW and IDENTITY.then(first) == first


def test_families_and_kinds_are_those_of_the_operators() -> None:
    composition = compose(
        LEDGER, ("rename", {"style": "late"}), ("reorder_results", {"order": "reverse"})
    )
    assert composition.family == ("identifiers", "order")
    assert composition.kinds == {"rename", "reorder_results"}
    for operators in (LEDGER, CORPUS):
        assert {operator.family for operator in operators.values()} <= set(FAMILIES)
        assert {entry["operator"] for entry in described(operators)} == set(operators)
        assert all(
            entry["arguments"]["additionalProperties"] is False for entry in described(operators)
        )


def test_the_catalogue_names_no_reference_transformation_and_no_evidence() -> None:
    text = str(described(LEDGER)).lower()
    assert not any(word in text for word in ("evidence", "answer", "neutral", "placebo", "split"))


def test_operators_see_the_protocol_alone() -> None:
    composition = Composition(compose(LEDGER, ("rename", {"style": "mixed"})).steps)
    blank, shuffled = FEW.without_tasks(None), FEW.without_tasks(1)
    assert shuffled.ledger != FEW.ledger and blank.tasks[0].question == ""
    protocols = {composition.apply(env).protocol for env in (FEW, blank, shuffled)}
    assert len(protocols) == 1
