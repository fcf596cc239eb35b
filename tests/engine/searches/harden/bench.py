"""A small benchmark of labels, for tests: the text may change, topic and label may not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from evoscope.engine.benchmarks.base import Case, Grade
from evoscope.engine.errors import DataError
from evoscope.engine.model.llm import Json

LABELS = ("yes", "no", "maybe")


class LabelBench:
    """Cases with the fields text and topic; `needed` words of the text are what evidence is."""

    name = "label_bench"
    mutable: tuple[str, ...] = ("text",)
    entropy_base: int | None = 3
    max_grade = Fraction(1)
    binary = True

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    @classmethod
    def of(cls, n: int) -> "LabelBench":
        return cls([make_case(k) for k in range(n)])

    def describe(self) -> Mapping[str, Json]:
        return {"use_case": "Label notes.", "grader": "The label must match."}

    def prompt(self, case: Case) -> str:
        return f"{self.instructions()}\n{case.fields['topic']}\n{case.fields['text']}"

    def instructions(self) -> str:
        return "Give one label: yes, no or maybe."

    def grade(self, case: Case, response: str) -> Grade:
        label = response.rsplit("Label: ", 1)[-1].strip()
        known = label if label in LABELS else None
        return Grade(Fraction(known == case.expected), known, known)

    def gold_summary(self, case: Case) -> Mapping[str, Json]:
        return {"label": case.expected}

    def with_fields(self, case: Case, changes: Mapping[str, Json]) -> Case:
        for name, value in changes.items():
            if name != "text":
                raise DataError(f"case {case.id}: {name!r} can't be changed")
            if not isinstance(value, str):
                raise DataError(f"case {case.id}: text is no text")
        return replace(case, fields={**case.fields, **changes})

    def validate(self, case: Case) -> list[str]:
        return [] if str(case.fields["text"]).strip() else ["text: it is empty"]

    def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
        words = [w for w in str(original.fields["text"]).split() if w.startswith("fact")]
        return [word for word in words if word not in str(candidate.fields["text"]).split()]

    def export(self, cases: Sequence[Case], path: Path) -> list[Path]:
        return []


def make_case(k: int) -> Case:
    return Case(
        id=f"case{k}",
        fields={"text": f"SECRETTEXT{k} fact{k} holds", "topic": f"topic {k}"},
        expected=LABELS[k % 3],
        source={"row": k},
        metadata={"origin": "made"},
    )
