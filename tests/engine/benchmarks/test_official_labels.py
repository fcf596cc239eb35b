"""PubMedQA and ContractNLI against the official data and metrics."""

import gzip
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.engine.benchmarks.contractnli import ContractNLI
from evoscope.engine.benchmarks.pubmedqa import PubMedQA, official_scores
from tests.shared import shared_data

pytestmark = pytest.mark.shared


def test_official_scores_are_scikit_learns() -> None:
    golden = json.loads(gzip.decompress(_pubmedqa("pubmedqa_scores_golden.json.gz").read_bytes()))
    truth = json.loads(_pubmedqa("test_ground_truth.json").read_text())
    labels = [truth[pmid] for pmid in golden["pmids"]]
    assert len(golden["rows"]) == 12
    for row in golden["rows"]:
        scores = official_scores(labels, row["predictions"])
        assert float(scores.accuracy) == pytest.approx(row["accuracy"], abs=1e-15), row["name"]
        assert float(scores.macro_f1) == pytest.approx(row["macro_f1"], abs=1e-15), row["name"]


def test_an_unparsed_answer_is_wrong_and_no_class() -> None:
    scores = official_scores(["yes", "no"], ["yes", None])
    assert (scores.accuracy, scores.macro_f1) == (Fraction(1, 2), Fraction(1, 2))
    with pytest.raises(ValueError, match="as many"):
        official_scores([], [])


def test_pubmedqa_has_its_thousand_cases_and_their_labels_grade_right() -> None:
    benchmark = PubMedQA.load(_pubmedqa("ori_pqal.json.gz"))
    assert Counter(case.expected for case in benchmark.cases) == {
        "yes": 552, "no": 338, "maybe": 110,
    }  # fmt: skip
    for case in benchmark.cases:
        assert benchmark.grade(case, f"Answer: {case.expected}").score == 1
        assert benchmark.validate(case) == []


def test_pubmedqa_shows_no_conclusion_to_any_model() -> None:
    benchmark = PubMedQA.load(_pubmedqa("ori_pqal.json.gz"))
    for case in benchmark.cases:
        assert isinstance(case.source, dict)
        conclusion = str(case.source["LONG_ANSWER"])
        shown = [benchmark.prompt(case), case.fields, case.metadata, benchmark.gold_summary(case)]
        assert conclusion not in str(shown), case.id


def test_contractnli_has_its_pairs_and_their_labels_grade_right() -> None:
    benchmark = ContractNLI.load(shared_data("contractnli", "test.json.gz"))
    assert Counter(case.expected for case in benchmark.cases) == {
        "Entailment": 968, "Contradiction": 220, "NotMentioned": 903,
    }  # fmt: skip
    assert len({case.id.split(":")[0] for case in benchmark.cases}) == 123
    for case in benchmark.cases:
        assert benchmark.grade(case, f"Label: {case.expected}").score == 1
        assert benchmark.validate(case) == []


def test_unchanged_exports_are_the_official_files(tmp_path: Path) -> None:
    contracts = shared_data("contractnli", "dev.json.gz")
    abstracts = _pubmedqa("ori_pqal.json.gz")
    for benchmark, source in (
        (ContractNLI.load(contracts), contracts),
        (PubMedQA.load(abstracts), abstracts),
    ):
        (written,) = benchmark.export(benchmark.cases, tmp_path)
        assert json.loads(written.read_bytes()) == json.loads(gzip.decompress(source.read_bytes()))


def _pubmedqa(name: str) -> Path:
    return shared_data("pubmedqa", name)
