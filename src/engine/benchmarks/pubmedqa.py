"""PubMedQA: yes, no or maybe from an abstract without its conclusion (Jin et al., 2019).

The format is the official `ori_pqal.json`: an object from PMID to record. The long answer (the
abstract's conclusion) is kept in the source record for export and shown to no model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..errors import DataError
from ..model.llm import Json
from ..prompts import render
from . import fields, records
from .base import Case, Grade
from .labels import grade_label

LABELS = ("yes", "no", "maybe")
CHECKS: Mapping[str, fields.Check] = {"question": fields.text, "contexts": fields.texts}
_KEYS = {"question": "QUESTION", "contexts": "CONTEXTS"}


class PubMedQA:
    """PubMedQA in the reasoning-required setting: question and contexts in, one label out."""

    name = "pubmedqa"
    mutable = tuple(CHECKS)
    entropy_base: int | None = len(LABELS)
    max_grade = Fraction(1)
    binary = True

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    @classmethod
    def load(cls, path: Path) -> "PubMedQA":
        """The cases of one official file; raises DataError naming the record."""
        rows = records.as_object(records.read_json(path), str(path))
        cases = [_case(pmid, row, f"{path}, record {pmid}") for pmid, row in rows.items()]
        return cls(records.unique(cases, str(path)))

    def describe(self) -> Mapping[str, Json]:
        """Use case, fields and instructions, without any case text."""
        return {
            "use_case": "Answer a biomedical research question with yes, no or maybe from the "
            "abstract of a study, without its conclusion.",
            "inputs": {
                "question": {"type": "text", "mutable": True, "holds": "the research question"},
                "contexts": {
                    "type": "list of texts, whose number stays as it is",
                    "mutable": True,
                    "holds": "passages of the abstract, in order",
                },
            },
            "output": "one label: yes, no or maybe",
            "grader": "The label must equal the expected one.",
            "instructions": self.instructions(),
        }

    def prompt(self, case: Case) -> str:
        """The task model's user message: the question, then the passages."""
        contexts = case.fields["contexts"]
        passages = [str(item) for item in contexts] if isinstance(contexts, list) else []
        return _prompt(str(case.fields["question"]), "\n\n".join(passages))

    def instructions(self) -> str:
        """The prompt with the names of the fields in place of a case."""
        return _prompt("[question]", "[contexts]")

    def grade(self, case: Case, response: str) -> Grade:
        """Exact match of the last line `Answer: yes|no|maybe`."""
        return grade_label(response, "Answer", LABELS, str(case.expected))

    def gold_summary(self, case: Case) -> Mapping[str, Json]:
        """The expected label, and nothing of the conclusion."""
        return {"answer": case.expected}

    def with_fields(self, case: Case, changes: Mapping[str, Json]) -> Case:
        """See `Benchmark.with_fields`; the number of contexts must stay (their labels do)."""
        changed = fields.replace_fields(case, _case(case.id, case.source, case.id), changes, CHECKS)
        before, after = case.fields["contexts"], changed.fields["contexts"]
        if isinstance(before, list) and isinstance(after, list) and len(before) != len(after):
            raise DataError(
                f"case {case.id}, field contexts: {len(after)} passages; give {len(before)}, "
                "since each has a section label"
            )
        return changed

    def validate(self, case: Case) -> list[str]:
        """Empty questions or passages, and text that is none."""
        problems = fields.text_problems(case.fields)
        if not str(case.fields["question"]).strip():
            problems.append("question: it is empty")
        contexts = case.fields["contexts"]
        if not isinstance(contexts, list) or not all(str(text).strip() for text in contexts):
            problems.append("contexts: a passage is empty")
        return problems

    def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
        """None: which words carry the label, a program cannot tell."""
        return None

    def export(self, cases: Sequence[Case], path: Path) -> list[Path]:
        """One official JSON object, `ori_pqal.json` where `path` is a folder."""
        rows: dict[str, Json] = {case.id: _record(case) for case in cases}
        return [records.write_json(records.export_file(path, "ori_pqal.json"), rows)]


@dataclass(frozen=True, slots=True)
class Scores:
    """The official metrics over a set of answers."""

    accuracy: Fraction
    macro_f1: Fraction


def official_scores(truth: Sequence[str], answers: Sequence[str | None]) -> Scores:
    """Accuracy and macro F1 as PubMedQA's evaluation.py has them from scikit-learn, exact.

    The mean of F1 runs over the labels that stand in either list. None (unparsed) is a wrong
    answer without a class of its own. Raises ValueError where the lists are empty or differ in
    length.
    """
    if not truth or len(truth) != len(answers):
        raise ValueError(f"scores need as many answers as labels, got {len(answers)}, {len(truth)}")
    pairs = list(zip(truth, answers, strict=True))
    labels = sorted({*truth, *(answer for answer in answers if answer is not None)})
    f1 = [_f1(label, pairs) for label in labels]
    right = sum(label == answer for label, answer in pairs)
    return Scores(Fraction(right, len(pairs)), sum(f1, Fraction(0)) / len(f1))


def _f1(label: str, pairs: Sequence[tuple[str, str | None]]) -> Fraction:
    both = sum(truth == label == answer for truth, answer in pairs)
    either = sum((truth == label) + (answer == label) for truth, answer in pairs)
    return Fraction(2 * both, either)


def _prompt(question: str, contexts: str) -> str:
    parts = {"question": question, "contexts": contexts}
    return render("task/pubmedqa", **{k: fields.fence(v, tuple(parts)) for k, v in parts.items()})[
        1
    ]


def _case(pmid: str, row: Json, where: str) -> Case:
    record = records.as_object(row, where)
    values = {name: records.member(record, key, where) for name, key in _KEYS.items()}
    fields.check_fields(pmid, values, CHECKS)
    decision = records.member(record, "final_decision", where)
    if decision not in LABELS:
        raise DataError(f"{where}: final_decision is {decision!r}; give yes, no or maybe")
    shown: dict[str, Json] = {
        "sections": record.get("LABELS", []),
        "subjects": record.get("MESHES", []),
        "year": record.get("YEAR"),
    }
    return Case(pmid, values, decision, record, shown)


def _record(case: Case) -> Json:
    changed = {key: case.fields[name] for name, key in _KEYS.items()}
    return {**records.as_object(case.source, case.id), **changed}
