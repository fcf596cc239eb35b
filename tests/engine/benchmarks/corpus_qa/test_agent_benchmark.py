"""Corpus QA as a benchmark that a configuration names: sample, splits, cache, pins, firewall."""

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.benchmarks import agents
from evoscope.engine.benchmarks.agents import SAMPLE, AgentBenchmark, corpus_qa
from evoscope.engine.benchmarks.corpus_qa import index
from evoscope.engine.benchmarks.corpus_qa.splits import components
from evoscope.engine.benchmarks.transform.composition import parse
from evoscope.engine.benchmarks.transform.firewall import examine
from evoscope.engine.errors import DataError

ARGUMENTS: dict[str, dict[str, Any]] = {
    "alias_identifiers": {"style": "hashed"},
    "reencode_results": {"field": "body"},
    "shift_boundaries": {"lines": 10},
    "alias_tools": {"style": "terse"},
    "reorder_enumeration": {"what": "both", "order": "reverse"},
    "relocate_context": {"to": "before"},
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def sample(**changes: Any) -> AgentBenchmark:
    return corpus_qa(None, None, **{"seed": 0, "rounds": 3, **changes})


def test_the_sample_is_split_by_its_source_components() -> None:
    env = sample().released
    splits = env.splits
    assert list(splits) == ["evo", "disc", "conf1", "conf2", "conf3", "cert"]
    placed = [task for ids in splits.values() for task in ids]
    assert len(placed) == len(set(placed)) == len(env.tasks)
    groups = [{q.id for q in group} for group in components(env.questions)]  # type: ignore[attr-defined]
    assert len(groups) == 8
    for closed in ("evo", "cert"):
        own = set(splits[closed])
        assert all(group <= own or not group & own for group in groups)


def test_only_evolution_tasks_are_observed_and_no_neutral_form_is_known() -> None:
    found = sample()
    assert tuple(one[0] for one in found.observed) == found.released.splits["evo"]
    assert all(answer and sources for _, _, answer, sources in found.observed)
    assert found.neutral is None


def test_the_index_is_built_once_and_found_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample()
    (file,) = cache.iterdir()
    monkeypatch.setattr(index, "_build", lambda *_: pytest.fail("built again"))
    assert sample(seed=3).released.tasks
    assert list(cache.iterdir()) == [file]


def test_the_pin_holds_all_that_a_replay_depends_on_and_no_path(tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(SAMPLE, moved)
    questions, documents = moved / "questions.jsonl", moved / "documents"
    plain = sample().pin
    assert corpus_qa(questions, documents, seed=0, rounds=3).pin == plain
    others = [
        sample(seed=1).pin,
        sample(rounds=2).pin,
        sample(splits="question").pin,
        sample(scorer="strict").pin,
        sample(tolerance=Fraction("0.01")).pin,
    ]
    first = documents / "ashmouth.md"
    first.write_text(first.read_text(encoding="utf-8") + "One more line.\n", encoding="utf-8")
    others.append(corpus_qa(questions, documents, seed=0, rounds=3).pin)
    assert len({plain, *others}) == 7


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_every_operator_passes_the_firewall_on_the_sample(kind: str) -> None:
    found = sample()
    assert set(ARGUMENTS) == set(found.operators)
    step = {"operator": kind, "arguments": ARGUMENTS[kind]}
    ruling = examine(parse({"operators": [step]}, found.operators), found.released)
    assert ruling.failed == () and ruling.active


def test_what_is_not_on_the_list_is_refused() -> None:
    found = sample()
    with pytest.raises(DataError, match="edit_answers"):
        parse({"operators": [{"operator": "edit_answers", "arguments": {}}]}, found.operators)
    assert not examine(parse({"operators": []}, found.operators), found.released).admissible


def test_too_few_components_stop_unless_sources_are_ignored(tmp_path: Path) -> None:
    rows = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(rows[:15]), encoding="utf-8")
    with pytest.raises(DataError, match='splits = "question"'):
        corpus_qa(few, SAMPLE / "documents", seed=0, rounds=3)
    free = corpus_qa(few, SAMPLE / "documents", seed=0, rounds=3, splits="question")
    assert free.released.split_by == "question"  # type: ignore[attr-defined]


def test_every_answer_of_the_sample_stands_in_its_documents_or_is_computed_from_them() -> None:
    rows = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, rows):
        texts = [(SAMPLE / "documents" / name).read_text("utf-8") for name in row["source_files"]]
        computed = "change" in row["question"] or "together" in row["question"]
        assert computed or any(row["answer"] in text for text in texts), row["uid"]


def test_ledgers_have_a_neutral_form_and_observed_evolution_tasks() -> None:
    found = agents.syn_ledger(0)
    assert found.neutral is not None and len(found.pin) == 64
    assert len(found.observed) == len(found.released.splits["evo"])
