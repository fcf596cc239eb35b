"""The corpus's tools, and that every presentation can be undone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.corpus_qa.environment import CorpusQA
from evoscope.engine.benchmarks.corpus_qa.operators import OPERATORS
from evoscope.engine.benchmarks.corpus_qa.protocol import (
    FIELD_NAMES,
    TOOL_NAMES,
    context_lines,
    inline,
    nest,
    plain_fields,
    relocate,
    rename_fields,
    unnest,
)
from evoscope.engine.benchmarks.transform.composition import compose
from evoscope.engine.errors import DataError
from evoscope.engine.model.llm import Json
from tests.engine.benchmarks.corpus_qa import kit


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> CorpusQA:
    return kit.corpus(tmp_path_factory.mktemp("cache"))


def reply(env: CorpusQA, name: str, **arguments: Json) -> dict[str, Json]:
    content = env.session("Q00").call(name, arguments).content
    assert isinstance(content, dict)
    return content


def test_nesting_a_result_is_undone_byte_for_byte() -> None:
    result: dict[str, Json] = {"doc_id": "d1", "text": "A\nB"}
    nested = nest(result, "table_context", "before")
    assert nested == {"doc_id": "d1", "table_context": {"content": "A\nB", "placement": "before"}}
    assert json.dumps(unnest(nested, "table_context")) == json.dumps(result)
    without: dict[str, Json] = {"doc_id": "d1", "lines": [1, 2]}
    assert nest(without, "table_context", "before") == without


lines = st.lists(
    st.sampled_from(
        ["| a | b |", "", "In millions", "Note: x", "prose", "Source. y", "(dollars)", "  "]
    ),
    min_size=1,
    max_size=30,
)


@given(lines, st.sampled_from(["before", "after"]))
def test_relocated_context_is_put_back_byte_for_byte(found: list[str], where: str) -> None:
    result: dict[str, Json] = {"doc_id": "d", "lines": [1, len(found)], "text": "\n".join(found)}
    moved = relocate(result, where)  # type: ignore[arg-type]
    assert json.dumps(inline(moved)) == json.dumps(result)
    assert ("context" in moved) == bool(context_lines(found))


def test_only_lines_next_to_a_table_are_context() -> None:
    found = [
        "prose in millions",
        "prose",
        "(In millions)",
        "",
        "| a |",
        "| b |",
        "",
        "Note: x",
        "Note: y",
    ]
    assert context_lines(found) == [2, 7]


@pytest.mark.parametrize("scheme", ["verbose", "terse"])
def test_aliases_are_one_to_one_and_meet_no_other_field(scheme: str) -> None:
    names = FIELD_NAMES[scheme]  # type: ignore[index]
    kept = {"more", "continues_at", "value", "error", "context", "place", "note", "content",
            "placement", "passage", "body", "table_context"}  # fmt: skip
    assert len(set(names.values())) == len(names)
    assert not set(names.values()) & (kept | set(names))
    tools = TOOL_NAMES[scheme]  # type: ignore[index]
    assert len(set(tools.values())) == len(tools) == 4
    value: Json = {"results": [{"doc_id": "x", "text": "doc_id", "more": {"lines": [1]}}]}
    assert plain_fields(rename_fields(value, scheme), scheme) == value  # type: ignore[arg-type]


def test_the_tools_read_the_real_text(env: CorpusQA) -> None:
    listed = reply(env, "list")["documents"]
    assert isinstance(listed, list) and len(listed) == 6
    found = reply(env, "search", query="Dill receipts 1992", limit=2)
    assert isinstance(found["results"], list) and len(found["results"]) <= 2
    opened = reply(env, "open", doc_id="dill.txt", start=3, count=2)
    document = env.documents[3]
    assert opened["text"] == "\n".join(document.lines[2:4]) and opened["lines"] == [3, 4]
    assert opened["total"] == len(document.lines)
    assert reply(env, "calculator", expression="3,090 / 3")["value"] == "1030"
    assert "error" in reply(env, "open", doc_id="none.txt")
    assert "error" in reply(env, "open", doc_id="dill.txt", start=10_000)


def test_a_read_says_where_the_document_goes_on_and_nothing_at_its_end(env: CorpusQA) -> None:
    total = len(env.documents[3].lines)
    first = reply(env, "open", doc_id="dill.txt")
    assert first["continues_at"] == 61 < total
    assert reply(env, "open", doc_id="dill.txt", start=61)["continues_at"] is None
    assert reply(env, "open", doc_id="dill.txt", start=total, count=1)["continues_at"] is None
    assert reply(env, "open", doc_id="dill.txt", start=total - 1, count=1)["continues_at"] == total


def test_the_budgets_are_kept_by_group(env: CorpusQA) -> None:
    session = env.session("Q00")
    for _ in range(10):
        assert session.call("list", {}).ok
    assert not session.call("search", {"query": "receipts"}).ok
    assert session.call("open", {"doc_id": "ash.txt"}).ok
    with pytest.raises(DataError, match="no question"):
        env.session("Q99")


def test_every_alias_reaches_the_same_text(env: CorpusQA) -> None:
    changed = compose(
        OPERATORS,
        ("alias_identifiers", {"style": "numbered", "seed": 3}),
        ("alias_tools", {"style": "terse"}),
        ("reorder_enumeration", {"what": "both", "order": "reverse"}),
    ).apply(env)
    call = env.canonical_call("Q00", "open", {"doc_id": "fern.txt", "start": 5, "count": 3})
    assert call is not None
    name, arguments = changed.presented_call("Q00", call)
    assert (name, set(arguments)) == ("rd", {"d", "at", "n"}) and arguments["d"] != "fern.txt"
    shown = changed.session("Q00").call(name, arguments).content
    assert isinstance(shown, dict)
    assert shown["t"] == "\n".join(env.documents[5].lines[4:7])
    assert changed.canonical_call("Q00", name, arguments) == call
    assert changed.session("Q00").call("open", {"doc_id": "fern.txt"}).counted is False


def test_answers_are_graded_by_the_chosen_scorer(env: CorpusQA) -> None:
    from dataclasses import replace

    question = env.questions[5]
    prose = f"The receipts were {question.answer} crowns"
    assert env.grade(question.id, prose).score == 1
    strict = replace(env, scorer="strict")
    assert strict.grade(question.id, f"{prose}\nas stated").score == 0
    assert strict.grade(question.id, question.answer).score == 1
    assert env.grade(question.id, "  ").problem == "the answer is empty"


def test_trajectories_and_questions_show_no_answer(env: CorpusQA) -> None:
    assert all(set(task.__slots__) == {"id", "question"} for task in env.tasks)
