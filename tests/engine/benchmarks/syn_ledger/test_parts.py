"""Rendering, parsing, search, tools, scoring: the parts of Syn-Ledger."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.environment import ToolReply
from evoscope.engine.benchmarks.syn_ledger.environment import SynLedger, build
from evoscope.engine.benchmarks.syn_ledger.families import FAMILIES, Family, legal_answer
from evoscope.engine.benchmarks.syn_ledger.manifest import FORMATS, Format, Style
from evoscope.engine.benchmarks.syn_ledger.model import Document, Record, Task, generator
from evoscope.engine.benchmarks.syn_ledger.parse import parse_records, register
from evoscope.engine.benchmarks.syn_ledger.reference import placebos
from evoscope.engine.benchmarks.syn_ledger.render import arranged, window_text
from evoscope.engine.benchmarks.syn_ledger.score import read_integer
from evoscope.engine.benchmarks.syn_ledger.search import ranked
from evoscope.engine.benchmarks.syn_ledger.tokens import grouped, integer_tokens
from evoscope.engine.benchmarks.syn_ledger.tools import TOOLS
from evoscope.engine.benchmarks.syn_ledger.validate_scorer import MALFORMED, VALID
from evoscope.engine.errors import DataError
from evoscope.engine.model.llm import Json

ENV = build(0).released


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("answer", [10, 37, 99])
def test_sampled_amounts_give_the_answer(family: Family, answer: int) -> None:
    for n in range(30):
        amounts = family.sample(generator("test", n), answer)
        assert family.result(amounts) == answer
        assert all(abs(value) >= 1_000 for value in amounts.values())


records = st.builds(
    Record,
    *(st.sampled_from(words) for words in (
        ("Alder Agency", "Birch Board"), ("FY2030", "FY2031"), ("appropriation", "fee income"),
        ("approved", "draft"), ("current", "superseded"), ("enacted", "proposed"),
    )),
    st.integers(-10**7, 10**7),
)  # fmt: skip


@given(
    st.lists(records, min_size=6, max_size=6),
    st.integers(1, 2),
    st.sampled_from(FORMATS),
    st.builds(
        Style,
        newline=st.sampled_from(["\n", "\r\n"]),
        metadata_reversed=st.booleans(),
        trailing=st.sampled_from(["", "  "]),
        label=st.integers(0, 1),
    ),
    st.data(),
)
def test_whatever_is_rendered_is_parsed_back(
    rows: list[Record], size: int, form: Format, style: Style, data: st.DataObject
) -> None:
    document = Document("bcdf", "evidence", 0, tuple(rows[:size]), tuple(rows[size:]))
    start = data.draw(st.integers(0, 6 - size))
    placement = replace(ENV.protocol.placements[0][0], size=size, start=start, format=form)
    texts = [window_text(document, placement, style, first) for first in (0, 3)]
    read = [record for text in texts for record in parse_records(text)]
    assert tuple(read) == arranged(document, start)
    assert read[start : start + size] == rows[:size]
    assert {register(text) for text in texts} == {"bcdf"}


@pytest.mark.parametrize(
    "text", ["", "## Records\n\nfoo", "Register: x\n## R\n\n| a |\n| - |\n| b |"]
)
def test_a_text_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="ledger text"):
        parse_records(text)


@given(st.integers(-(10**9), 10**9), st.integers(10, 99))
def test_a_grouped_number_is_one_token(amount: int, answer: int) -> None:
    assert integer_tokens(f'x,"{grouped(amount)}",FY2031 | y') == {abs(amount), 2031}
    assert answer in integer_tokens(f"a {answer}.")


def test_the_legal_answer_needs_exactly_one_record_for_each_role() -> None:
    task = ENV.ledger[0]
    rows = [record for document in task.documents for record in document.records]
    assert legal_answer(task.request, rows) == task.answer
    legal = task.documents[task.evidence[0]].block[0]
    assert legal_answer(task.request, [*rows, legal]) is None
    assert legal_answer(task.request, [r for r in rows if r != legal]) is None
    changes: list[dict[str, Any]] = [
        {"status": "draft"}, {"version": "superseded"}, {"basis": "proposed"},
    ]  # fmt: skip
    for change in changes:
        other = [replace(r, **change) if r == legal else r for r in rows]
        assert legal_answer(task.request, other) is None


@pytest.mark.parametrize(("text", "value"), VALID.items())
def test_an_integer_is_read_whatever_its_sign_space_and_commas(text: str, value: int) -> None:
    assert read_integer(text) == value


@pytest.mark.parametrize("text", MALFORMED)
def test_anything_else_is_no_integer(text: str) -> None:
    assert read_integer(text) is None
    grade = ENV.grade("L000", text)
    assert grade.score == Fraction(0) and grade.cls is None


def fields(reply: ToolReply) -> dict[str, Any]:
    assert isinstance(reply.content, dict)
    return reply.content


def by_rank(task: str, env: SynLedger, places: list[int]) -> list[int]:
    row = env.task(task)[1]
    return sorted(places, key=lambda i: row[i].rank)


def test_a_broad_query_follows_the_rank_and_a_narrow_one_does_not() -> None:
    broad = narrow = 0
    for task in ENV.ledger[:64]:
        row = ENV.task(task.id)[1]
        places = ranked(task, row, "approved", True)
        if len(places) > 4:
            broad += 1
            assert places == by_rank(task.id, ENV, places)
        period, category = next(iter(task.request.roles.values()))
        places = ranked(task, row, f"{task.request.entity} {period} {category}", True)
        reversed_row = [replace(p, rank=11 - p.rank) for p in row]
        if len(places) <= 4:
            narrow += 1
            query = f"{task.request.entity} {period} {category}"
            assert places == ranked(task, reversed_row, query, True)
    assert broad > 50 and narrow > 30


def test_a_narrow_query_finds_the_evidence_among_few() -> None:
    for task in ENV.ledger:
        for which, (period, category) in zip((0, 1), _sides(task), strict=True):
            query = f"{task.request.entity} {period} {category}"
            assert task.evidence[which] in ranked(task, ENV.task(task.id)[1], query, True)


def _sides(task: Task) -> list[tuple[str, str]]:
    return [
        (task.documents[place].block[0].period, task.documents[place].block[0].category)
        for place in task.evidence
    ]


def test_more_matching_words_come_first_with_any() -> None:
    task, row = ENV.task("L005")
    found = ranked(task, row, f"{task.request.entity} nowhere", False)
    assert found and ranked(task, row, f"{task.request.entity} nowhere", True) == []
    assert ranked(task, row, "?!", False) == []


def test_a_session_keeps_the_budgets_of_the_paper() -> None:
    session = ENV.session("L000")
    files: list[str] = fields(session.call("list_files", {}))["files"]
    assert len(files) == 12
    for _ in range(3):
        assert session.call("search", {"query": "approved"}).ok
    refused = session.call("search", {"query": "approved"})
    assert not refused.ok and not refused.counted
    for number in range(6):
        reply = session.call("open_file", {"path": files[0], "start": 1 if number % 2 else 4})
        assert reply.ok
    assert not session.call("open_file", {"path": files[0]}).ok
    assert session.call("calculator", {"expression": "1,200 - 1,153"}).content == {"value": "47"}
    assert session.call("calculator", None).counted
    assert dict(session.left) == {"search": 0, "open": 0, "calculator": 0}


def test_search_gives_four_results_by_default_and_up_to_twelve() -> None:
    limits: list[dict[str, Json]] = [{}, {"limit": 12}, {"limit": "3"}]
    found = [
        fields(ENV.session("L000").call("search", {"query": "approved", **limit}))["results"]
        for limit in limits
    ]
    assert [len(results) for results in found] == [4, 12, 3]
    odd: list[dict[str, Json]] = [
        {"limit": 13}, {"limit": 1001}, {"limit": 0}, {"limit": True}, {"mode": "some"},
        {"query": 5},
    ]  # fmt: skip
    for wrong in odd:
        reply = ENV.session("L000").call("search", {"query": "approved", **wrong})
        assert not reply.ok and reply.counted


def test_neither_the_tools_nor_what_they_say_of_a_limit_tell_an_answer() -> None:
    told = json.dumps([[tool.name, tool.description, dict(tool.schema)] for tool in TOOLS])
    session = ENV.session("L000")
    told += "".join(
        session.call("search", {"query": "approved", "limit": limit}).text
        for limit in (0, 13, 1001)
    )
    assert integer_tokens(told).isdisjoint({task.answer for task in ENV.ledger})


def test_a_window_shows_three_records_and_says_where_it_goes_on() -> None:
    path = ENV.task("L000")[1][0].path
    session = ENV.session("L000")
    first = session.call("open_file", {"path": path}).content
    second = session.call("open_file", {"path": path, "start": 4}).content
    assert isinstance(first, dict) and isinstance(second, dict)
    assert len(parse_records(str(first["text"]))) == len(parse_records(str(second["text"]))) == 3
    assert (first["continues_at"], second["continues_at"]) == (4, None)
    assert not session.call("open_file", {"path": path, "start": 2}).ok
    assert not session.call("open_file", {"path": "ledgers/none.txt"}).ok
    assert not session.call("delete", {}).counted


def test_the_agent_is_given_the_question_and_nothing_else() -> None:
    task = ENV.tasks[7]
    assert {name for name in task.__slots__} == {"id", "question"}
    assert str(ENV.ledger[7].answer) not in task.question


def test_calls_are_translated_between_variants() -> None:
    other = build(0).neutral
    for placement in ENV.task("L003")[1]:
        call = ENV.canonical_call("L003", "open_file", {"path": placement.path, "start": 4})
        assert call is not None
        name, arguments = other.presented_call("L003", call)
        reply = other.session("L003").call(name, arguments).content
        assert isinstance(reply, dict) and register(str(reply["text"])) == placement.code
    assert ENV.canonical_call("L003", "open_file", {"path": "nowhere"}) is None
    assert ENV.canonical_call("L003", "shell", {}) is None


def test_low_rank_order_leaves_every_subset_order_of_evidence() -> None:
    change = placebos(ENV.ledger)["low-rank distractor order"]
    after = ENV.with_protocol(change(ENV.protocol))
    differs = 0
    for task in ENV.ledger[:64]:
        for query in ("approved", "current enacted", task.request.entity):
            before = ranked(task, ENV.task(task.id)[1], query, False)
            now = ranked(task, after.task(task.id)[1], query, False)
            differs += before != now
            for place in task.evidence:
                if place in before:
                    assert before.index(place) == now.index(place)
    assert differs
