"""Errors of broken files, sampling and shards."""

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.benchmarks.base import Case
from evoscope.engine.benchmarks.load import load, samples
from evoscope.engine.benchmarks.sampling import sample, shards
from evoscope.engine.errors import DataError

IDS = st.lists(st.text(st.characters(), min_size=1), unique=True, max_size=40)
OFFICIAL = ("finqa", "pubmedqa", "contractnli")


def source(kind: str) -> Any:
    return json.loads(samples(kind).read_text())


@pytest.mark.parametrize("kind", OFFICIAL)
def test_packed_files_and_byte_order_marks_are_read(kind: str, tmp_path: Path) -> None:
    text = samples(kind).read_bytes()
    (tmp_path / "packed").write_bytes(gzip.compress(text))
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf" + text)
    for name in ("packed", "marked"):
        assert load(kind, tmp_path / name).cases == load(kind).cases


@pytest.mark.parametrize("kind", OFFICIAL)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1, column 1"),
        (b"[\n{]", "line 2, column 2"),
        (b"[NaN]", "NaN"),
        (b"\xff\xfe", "no UTF-8 at byte 0"),
        (b"\x1f\x8b broken", "readable file"),
        (b"3", "is wanted, got a number"),
        (b"[" * 100_000, "correct the JSON"),
    ],
)
def test_broken_files_are_refused_by_place(
    kind: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        load(kind, path)
    assert "cases.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_loading_and_grading_gold_answers_needs_no_heavy_library() -> None:
    program = (
        "import sys; from evoscope.engine.benchmarks.load import load, SAMPLES\n"
        "for kind in SAMPLES: b = load(kind); b.grade(b.cases[0], 'Program: add(1, 2)')\n"
        "print(sorted({'sympy', 'numpy', 'scipy', 'httpx', 'textual'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_a_missing_file_and_an_unknown_benchmark_are_named() -> None:
    with pytest.raises(DataError, match=r"nowhere\.json"):
        load("finqa", Path("nowhere.json"))
    with pytest.raises(DataError, match=r"'glue'.*finqa"):
        load("glue")


def _empty(data: Any) -> Any:
    return data["documents"].clear() or data if "documents" in data else type(data)()


def _set(*path: Any, value: Any) -> Callable[[Any], Any]:
    def change(data: Any) -> Any:
        part = data
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
        return data

    return change


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        *((kind, _empty, "no case in it") for kind in OFFICIAL),
        ("finqa", _set(2, "id", value="HWK/2017/page_31.pdf-1"), "stands 2 times"),
        ("finqa", _set(1, "id", value=7), "record 1: the id is a number"),
        ("finqa", _set(3, "qa", value=None), "record 3, qa: an object"),
        ("finqa", _set(0, "qa", "exe_ans", value="94"), "record 0: exe_ans"),
        ("finqa", _set(0, "qa", "program", value="add(1)"), "gold program"),
        ("finqa", _set(0, "table", value=[["a"], []]), "field table: row 1"),
        ("finqa", _set(0, "pre_text", value=["a", 3]), "field pre_text: item 1"),
        ("pubmedqa", _set("90000101", "final_decision", value="Yes"), "record 90000101"),
        ("pubmedqa", _set("90000108", "CONTEXTS", value="text"), "field contexts"),
        ("pubmedqa", _set("90000108", value={}), "no 'QUESTION'"),
        ("contractnli", _set("documents", 1, "text", value=None), "field contract"),
        ("contractnli", _set("documents", 1, "annotation_sets", value=[]), "document 1"),
        ("contractnli", _set("labels", "own-3", value={}), "own-3: no 'hypothesis'"),
        ("contractnli", _set("labels", value={}), "document 0, labels"),
    ],
)
def test_wrong_records_are_refused_by_name(
    kind: str, change: Callable[[Any], Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(change(source(kind))))
    with pytest.raises(DataError, match=message):
        load(kind, path)


def test_hypotheses_of_one_contract_stay_one_document_unless_it_was_changed(
    tmp_path: Path,
) -> None:
    benchmark = load("contractnli")
    first, second, third, *_ = benchmark.cases
    contract = str(second.fields["contract"])
    edited = benchmark.with_fields(
        second, {"contract": "PREAMBLE 1.\n" + contract.replace("Confidential", "Secret", 1)}
    )
    (file,) = benchmark.export([first, edited, third], tmp_path)
    documents = json.loads(file.read_text())["documents"]
    assert [len(d["annotation_sets"][0]["annotations"]) for d in documents] == [2, 1]
    moved = documents[1]
    evidence = moved["annotation_sets"][0]["annotations"]["own-2"]["spans"]
    assert evidence
    for number in evidence:
        start, end = moved["spans"][number]
        assert "send back or destroy" in moved["text"][start:end]
    assert all(moved["text"][a:b] in contract for a, b in moved["spans"])


def _cases(ids: list[str]) -> list[Case]:
    return [Case(name, {}, None) for name in ids]


@given(IDS, st.integers(0, 45), st.integers())
def test_samples_are_the_smallest_hashes_in_source_order(ids: list[str], n: int, seed: int) -> None:
    drawn = [case.id for case in sample(_cases(ids), n, seed)]

    def rank(name: str) -> str:
        return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).hexdigest()

    assert sorted(drawn, key=rank) == sorted(ids, key=rank)[:n]
    assert [name for name in ids if name in set(drawn)] == drawn


@given(IDS, st.integers(1, 40))
def test_a_case_stays_drawn_when_others_leave(ids: list[str], n: int) -> None:
    drawn = sample(_cases(ids), n, 42)
    fewer = sample(_cases([case.id for case in drawn]), n, 42)
    assert fewer == drawn


def test_sampling_is_pinned() -> None:
    ids = [case.id for case in sample(load("pubmedqa").cases, 4, 42)]
    assert ids == ["90000136", "90000171", "90000185", "90000192"]
    assert sample(load("pubmedqa").cases, None, 42) == list(load("pubmedqa").cases)


@given(st.lists(st.integers()), st.integers(1, 20))
def test_shards_are_contiguous_and_even(items: list[int], count: int) -> None:
    parts = shards(items, count)
    assert [item for part in parts for item in part] == items
    sizes = [len(part) for part in parts]
    assert len(parts) == min(count, len(items))
    assert sizes == sorted(sizes, reverse=True)
    assert not sizes or (max(sizes) - min(sizes) <= 1 and min(sizes) > 0)


def test_two_hundred_cases_make_ten_shards_of_twenty() -> None:
    assert [len(part) for part in shards(range(200), 10)] == [20] * 10
    with pytest.raises(ValueError, match="at least 1"):
        shards([1], 0)
