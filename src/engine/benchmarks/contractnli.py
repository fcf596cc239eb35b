"""ContractNLI: a contract against one of 17 hypotheses (Koreeda and Manning, 2021).

The official format has documents with one annotation per hypothesis. Here a case is one document
with one hypothesis, with the id `DOCUMENT:HYPOTHESIS`; only the contract's text may change.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from ..errors import DataError
from ..model.llm import Json
from ..prompts import render
from . import fields, records
from .base import Case, Grade
from .contractnli_export import dataset
from .labels import grade_label

LABELS = ("Entailment", "Contradiction", "NotMentioned")
CHECKS: Mapping[str, fields.Check] = {"contract": fields.text}
_SPELLINGS = {
    "not mentioned": "NotMentioned",
    "not-mentioned": "NotMentioned",
    "not_mentioned": "NotMentioned",
    "neutral": "NotMentioned",
    "entailed": "Entailment",
    "contradicted": "Contradiction",
}


class ContractNLI:
    """ContractNLI as three-way classification; evidence spans are not asked for."""

    name = "contractnli"
    mutable = tuple(CHECKS)
    entropy_base: int | None = len(LABELS)
    max_grade = Fraction(1)
    binary = True

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    @classmethod
    def load(cls, path: Path) -> "ContractNLI":
        """All pairs of one official file; raises DataError naming the document."""
        data = records.as_object(records.read_json(path), str(path))
        hypotheses = records.as_object(records.member(data, "labels", str(path)), f"{path}, labels")
        documents = records.member(data, "documents", str(path))
        if not isinstance(documents, list):
            raise DataError(f"{path}: documents is {records.kind(documents)}; give a list")
        cases = [
            case
            for index, document in enumerate(documents)
            for case in _cases(document, hypotheses, f"{path}, document {index}")
        ]
        return cls(records.unique(cases, str(path)))

    def describe(self) -> Mapping[str, Json]:
        """Use case, fields and instructions, without any case text."""
        return {
            "use_case": "Review a non-disclosure agreement: does the contract support a given "
            "statement, conflict with it, or leave it open?",
            "inputs": {
                "contract": {"type": "text", "mutable": True, "holds": "the whole contract"},
                "hypothesis": {"type": "text", "mutable": False, "holds": "the statement"},
            },
            "output": "one label: Entailment, Contradiction or NotMentioned",
            "grader": "The label must equal the expected one.",
            "instructions": self.instructions(),
        }

    def prompt(self, case: Case) -> str:
        """The task model's user message: the contract, then the hypothesis, both as quotations."""
        return _prompt(str(case.fields["contract"]), str(case.fields["hypothesis"]))

    def instructions(self) -> str:
        """The prompt with the names of the fields in place of a case."""
        return _prompt("[contract]", "[hypothesis]")

    def grade(self, case: Case, response: str) -> Grade:
        """Exact match of the last line `Label: Entailment|Contradiction|NotMentioned`."""
        return grade_label(response, "Label", LABELS, str(case.expected), _SPELLINGS)

    def gold_summary(self, case: Case) -> Mapping[str, Json]:
        """The expected label and the hypothesis that it is about."""
        return {"label": case.expected, "hypothesis": case.fields["hypothesis"]}

    def with_fields(self, case: Case, changes: Mapping[str, Json]) -> Case:
        """See `Benchmark.with_fields`."""
        return fields.replace_fields(case, _from_source(case), changes, CHECKS)

    def validate(self, case: Case) -> list[str]:
        """An empty contract, and text that is none."""
        problems = fields.text_problems(case.fields)
        if not str(case.fields["contract"]).strip():
            problems.append("contract: it is empty")
        return problems

    def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
        """None: which clauses carry the label, a program cannot tell."""
        return None

    def export(self, cases: Sequence[Case], path: Path) -> list[Path]:
        """One official JSON object, `contractnli.json` where `path` is a folder.

        Cases whose contract reads the same share a document; see `contractnli_export`.
        """
        return [records.write_json(records.export_file(path, "contractnli.json"), dataset(cases))]


def _prompt(contract: str, hypothesis: str) -> str:
    parts = {"contract": contract, "hypothesis": hypothesis}
    fenced = {name: fields.fence(value, tuple(parts)) for name, value in parts.items()}
    return render("task/contractnli", **fenced)[1]


def _cases(value: Json, hypotheses: dict[str, Json], where: str) -> Iterator[Case]:
    document = records.as_object(value, where)
    records.member(document, "id", where)
    sets = records.member(document, "annotation_sets", where)
    if not isinstance(sets, list) or len(sets) != 1:
        raise DataError(f"{where}: annotation_sets must be a list of one; correct the file")
    annotations = records.member(records.as_object(sets[0], where), "annotations", where)
    for key in records.as_object(annotations, where):
        label = records.member(hypotheses, key, f"{where}, labels")
        yield _case({"document": document, "hypothesis": key, "labels": {key: label}}, where)


def _case(source: dict[str, Json], where: str) -> Case:
    document, key = records.as_object(source["document"], where), str(source["hypothesis"])
    labels = records.as_object(source["labels"], where)
    label = records.as_object(labels[key], f"{where}, {key}")
    values = {
        "contract": records.member(document, "text", where),
        "hypothesis": records.member(label, "hypothesis", f"{where}, {key}"),
    }
    case_id = f"{document['id']}:{key}"
    fields.check_fields(case_id, values, {**CHECKS, "hypothesis": fields.text})
    topic = label.get("short_description", "")
    return Case(case_id, values, _choice(document, key, where), source, {"topic": topic})


def _choice(document: dict[str, Json], key: str, where: str) -> Json:
    sets = document["annotation_sets"]
    first = records.as_object(sets[0] if isinstance(sets, list) else None, where)
    annotation = records.as_object(records.as_object(first["annotations"], where)[key], where)
    choice = records.member(annotation, "choice", f"{where}, {key}")
    if choice not in LABELS:
        raise DataError(f"{where}, {key}: choice is {choice!r}; give one of {', '.join(LABELS)}")
    return choice


def _from_source(case: Case) -> Case:
    return _case(records.as_object(case.source, case.id), case.id)
