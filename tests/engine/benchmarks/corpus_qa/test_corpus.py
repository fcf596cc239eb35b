"""Reading a corpus, its index, passages, and splits."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.corpus_qa.corpus import (
    Question,
    check_sources,
    read_documents,
    read_questions,
)
from evoscope.engine.benchmarks.corpus_qa.environment import load
from evoscope.engine.benchmarks.corpus_qa.index import Index, corpus_hash, words
from evoscope.engine.benchmarks.corpus_qa.passages import Passages, cut
from evoscope.engine.benchmarks.corpus_qa.splits import components, split
from evoscope.engine.errors import DataError
from tests.engine.benchmarks.corpus_qa import kit
from tests.shared import shared_data


def test_a_folder_of_texts_and_json_lines_give_the_same_documents(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.txt").write_text("one\r\ntwo\n")
    (folder / "deep" / "a.md").write_text("three")
    (folder / "skip.csv").write_text("no")
    packed = tmp_path / "docs.jsonl.gz"
    rows = [{"id": "deep/a.md", "text": "three"}, {"source_file": "b.txt", "text": "one\ntwo\n"}]
    packed.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert read_documents(folder) == read_documents(packed)
    assert [document.lines for document in read_documents(folder)] == [("one", "two"), ("three",)]


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({"id": "a", "text": ""}, "'text' is no text"),
        ({"text": "x"}, "'id'"),
        ({"id": "a", "text": "x", "sha256": "0" * 64}, "sha256"),
    ],
)
def test_a_bad_document_is_named(tmp_path: Path, row: object, match: str) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(DataError, match=f"line 1.*{match}|{match}"):
        read_documents(path)


def test_questions_come_from_json_lines_or_csv(tmp_path: Path) -> None:
    lines = tmp_path / "q.jsonl"
    lines.write_text(
        json.dumps({"uid": "1", "question": "q?", "answer": "2", "source_files": "b\na"})
    )
    table = tmp_path / "q.csv"
    table.write_text("id,question,answer,source_files\n1,q?,2,b;a\n")
    assert read_questions(lines) == read_questions(table)
    assert read_questions(lines)[0].sources == ("a", "b")
    table.write_text("id,question,answer,source_files\n1,q?,2,b\n1,q?,2,b\n")
    with pytest.raises(DataError, match="stands twice"):
        read_questions(table)
    with pytest.raises(DataError, match="not among"):
        check_sources(read_questions(lines), kit.documents())


def test_the_index_is_built_once_and_named_by_the_corpus(tmp_path: Path) -> None:
    documents = kit.documents()
    Index.open(documents, tmp_path).close()
    (path,) = tmp_path.iterdir()
    assert corpus_hash(documents)[:32] in path.name
    before = path.stat().st_mtime_ns
    Index.open(documents, tmp_path).close()
    assert path.stat().st_mtime_ns == before
    Index.open(documents[1:], tmp_path).close()
    assert len(list(tmp_path.iterdir())) == 2


def test_an_index_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="EVOSCOPE_CACHE"):
        Index.open(kit.documents(), tmp_path / "file")


texts = st.lists(
    st.lists(st.sampled_from(["tax", "Debt", "3,419,955", "été", "a-b", "x_y", ""]), max_size=4),
    min_size=1,
    max_size=80,
)


@given(texts)
def test_the_index_holds_exactly_the_lines_of_each_word(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]]
) -> None:
    from evoscope.engine.benchmarks.corpus_qa.corpus import Document

    documents = [Document("d", tuple(" ".join(line) for line in lines))]
    index = Index.open(documents, tmp_path_factory.mktemp("index"))
    for word in ("tax", "debt", "3419955", "été", "a", "x", "none"):
        wanted = [n for n, line in enumerate(documents[0].lines) if word in words(line)]
        assert list(index.lines(word)) == wanted
    index.close()


def test_a_shift_moves_a_boundary_only_where_the_next_passage_keeps_a_line() -> None:
    assert cut(65) == ((1, 30), (31, 60), (61, 65))
    assert cut(65, 10) == ((1, 40), (41, 60), (61, 65))


@given(st.integers(1, 400), st.integers(0, 29))
def test_passages_hold_every_line_once_in_order(lines: int, shift: int) -> None:
    spans = cut(lines, shift)
    assert [n for a, b in spans for n in range(a, b + 1)] == list(range(1, lines + 1))
    assert len(spans) == len(cut(lines))


def test_ranking_puts_the_passage_that_holds_the_rare_words_first(tmp_path: Path) -> None:
    documents = kit.documents()
    passages = Passages(documents, Index.open(documents, tmp_path), 0)
    best = passages.ranked("receipts of Clover in 1995", False)[0]
    text = "\n".join(documents[best.document].lines[best.first - 1 : best.last])
    assert documents[best.document].id == "clover.txt" and "1995" in text
    everything = passages.ranked("Clover Dill", True)
    assert everything == [] and passages.ranked("", False) == []
    assert passages.ranked("Receipts receipts", True) == passages.ranked("receipts", True)


def test_sources_join_questions_into_components() -> None:
    asked = [
        Question(str(n), "q", "a", tuple(sources), "easy")
        for n, sources in enumerate([["a", "b"], ["c"], ["b", "d"], ["e"], ["d", "c"]])
    ]
    assert [[q.id for q in group] for group in components(asked)] == [["0", "1", "2", "4"], ["3"]]


sizes = st.lists(st.integers(2, 12), min_size=12, max_size=30)


@given(sizes, st.integers(0, 5), st.integers(1, 3))
def test_splits_never_share_what_they_must_not(counts: list[int], seed: int, rounds: int) -> None:
    asked = [
        Question(f"{c}-{i}", "q", "a", (f"s{c}",), "easy" if i % 3 else "hard")
        for c, count in enumerate(counts)
        for i in range(count)
    ]
    made = split(asked, seed, rounds)
    ids = [task for tasks in made.ids.values() for task in tasks]
    assert sorted(ids) == sorted(q.id for q in asked)
    used = {name: {task.split("-")[0] for task in tasks} for name, tasks in made.ids.items()}
    for closed in ("evo", "cert"):
        assert not used[closed] & set().union(*(s for name, s in used.items() if name != closed))
    for t in range(1, rounds + 1):
        assert used[f"conf{t}"] & used["disc"] and used[f"conf{t}"] - used["disc"]
    assert split(list(asked), seed, rounds) == made


def test_confirmation_sets_have_the_same_difficulties() -> None:
    asked = [
        Question(f"{c}-{i}", "q", "a", (f"s{c}",), "easy" if i % 2 else "hard")
        for c in range(40)
        for i in range(6)
    ]
    made = split(asked, 0, 3)
    label = {q.id: q.difficulty for q in asked}
    mixtures = [Counter(label[i] for i in made.ids[f"conf{t}"]) for t in (1, 2, 3)]
    for difficulty in ("easy", "hard"):
        counts = [mixture[difficulty] for mixture in mixtures]
        assert max(counts) - min(counts) <= 2
    assert abs(len(made.ids["cert"]) - 240 * 76 / 246) < 6


@pytest.mark.shared
def test_the_treasury_questions_form_two_components_or_five_without_shared_ones(
    tmp_path: Path,
) -> None:
    documents = shared_data("officeqa", "officeqa_docs.jsonl.gz")
    questions = shared_data("officeqa", "officeqa_own_questions.jsonl")
    with pytest.raises(DataError, match=r"52 questions in 2 source components .* \"question\""):
        load(documents, questions, cache=tmp_path)
    env = load(documents, questions, split_by="question", cache=tmp_path)
    assert env.split_by == "question" and sum(map(len, env.splits.values())) == 52
    alone = [q for q in env.questions if len(q.sources) == 1]
    assert len(alone) == 44 and len(components(alone)) == 5
    assert split(alone, 0, 3).by == "component"
    assert len(env.documents) == 7
    assert all(env.grade(q.id, q.answer).score == 1 for q in env.questions)
