"""FinQA: questions over a filing's text and table, answered by a program (Chen et al., 2021)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from ..errors import DataError
from ..model.llm import Json
from ..prompts import render
from . import fields, records
from .base import Case, Grade
from .finqa_equal import equivalent
from .finqa_evidence import missing_operands
from .finqa_program import as_table, execute, tokenize
from .finqa_tolerant import reads_as
from .labels import last_line

CHECKS: Mapping[str, fields.Check] = {
    "question": fields.text,
    "pre_text": fields.texts,
    "table": fields.table,
    "post_text": fields.texts,
}


class FinQA:
    """FinQA in its official JSON format: a list of records. Execution accuracy is the score."""

    name = "finqa"
    mutable = tuple(CHECKS)
    entropy_base: int | None = None
    max_grade = Fraction(1)
    binary = True

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases

    @classmethod
    def load(cls, path: Path) -> "FinQA":
        """The cases of one official file; raises DataError naming the record."""
        rows = records.read_json(path)
        if not isinstance(rows, list):
            raise DataError(f"{path}: a list of FinQA records is wanted, got {records.kind(rows)}")
        cases = [_case(row, f"{path}, record {i}") for i, row in enumerate(rows)]
        return cls(records.unique(cases, str(path)))

    def describe(self) -> Mapping[str, Json]:
        """Use case, fields and instructions, without any case text."""
        return {
            "use_case": "Answer numerical questions over extracts of company filings, where the "
            "figures stand in a table and in the text around it.",
            "inputs": {
                "question": {"type": "text", "mutable": True, "holds": "the question"},
                "pre_text": {
                    "type": "list of texts",
                    "mutable": True,
                    "holds": "passages before the table",
                },
                "table": {
                    "type": "list of rows, each a list of texts; first cell names the row",
                    "mutable": True,
                    "holds": "the table",
                },
                "post_text": {
                    "type": "list of texts",
                    "mutable": True,
                    "holds": "passages after the table",
                },
            },
            "output": "a program of arithmetic and table steps, whose executed result is a number "
            "or yes or no",
            "grader": "The program is executed on the case's own table; its result, rounded to "
            "five decimals, must equal the expected one.",
            "instructions": self.instructions(),
        }

    def prompt(self, case: Case) -> str:
        """The task model's user message: text, table with one row a line, question."""
        parts = {
            "before": "\n".join(_strings(case.fields["pre_text"])),
            "rows": "\n".join(" | ".join(row) for row in as_table(case.fields["table"])),
            "after": "\n".join(_strings(case.fields["post_text"])),
            "question": str(case.fields["question"]),
        }
        tags = ("pre_text", "table", "post_text", "question")
        return render("task/finqa", **{k: fields.fence(v, tags) for k, v in parts.items()})[1]

    def instructions(self) -> str:
        """The prompt with the names of the fields in place of a case."""
        names = {"before": "pre_text", "rows": "table", "after": "post_text"}
        shown = {name: f"[{field}]" for name, field in names.items()}
        return render("task/finqa", **shown, question="[question]")[1]

    def grade(self, case: Case, response: str) -> Grade:
        """Execution accuracy of the last line `Program: ...`, on the case's own table."""
        program = last_line(response, "Program")
        if program is not None:
            return self.grade_program(case, program, response)
        tolerant = reads_as(response, as_table(case.fields["table"]), _expected(case))
        return Grade(Fraction(0), None, None, "no line `Program: ...`", tolerant, None)

    def grade_program(self, case: Case, program: str, response: str | None = None) -> Grade:
        """Execution accuracy of a program text as such (official evaluator), read untrimmed."""
        table, expected = as_table(case.fields["table"]), _expected(case)
        answer = execute(tokenize(program), table).answer
        right = answer is not None and answer == expected
        said = f"Program: {program}" if response is None else response
        return Grade(
            score=Fraction(right),
            cls=None if answer is None else str(answer),
            parsed=program,
            problem="the program does not run" if answer is None else None,
            tolerant=right or reads_as(said, table, expected),
            equivalent=_equivalent(case, program),
        )

    def gold_summary(self, case: Case) -> Mapping[str, Json]:
        """The gold program, its executed result, and the answer as the annotators wrote it."""
        return {
            "program": case.metadata["program"],
            "executed_result": case.expected,
            "printed_answer": case.metadata["answer"],
        }

    def with_fields(self, case: Case, changes: Mapping[str, Json]) -> Case:
        """See `Benchmark.with_fields`."""
        return fields.replace_fields(case, _case(case.source, case.id), changes, CHECKS)

    def validate(self, case: Case) -> list[str]:
        """Empty questions, cells that break the row format, and text that is none."""
        problems = fields.text_problems(case.fields)
        if not str(case.fields["question"]).strip():
            problems.append("question: it is empty")
        rows = as_table(case.fields["table"])
        if any("\n" in cell or "\r" in cell for row in rows for cell in row):
            problems.append("table: a cell holds a line break")
        if all(len(row) < 2 for row in rows):
            problems.append("table: no row has a cell beside its label")
        return problems

    def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
        """Operands of the gold program that the candidate no longer prints."""
        program = str(original.metadata["program"])
        return missing_operands(program, original.fields, candidate.fields)

    def export(self, cases: Sequence[Case], path: Path) -> list[Path]:
        """One official JSON list, `finqa.json` where `path` is a folder."""
        return [records.write_json(records.export_file(path, "finqa.json"), [*map(_record, cases)])]


def case_of_line(line: Mapping[str, Json], number: int, where: str) -> Case:
    """A case of a table and a gold answer alone, as `evoscope grade` takes it from one line.

    Raises DataError where the table is no list of rows of texts or the gold is malformed.
    """
    rows = line.get("table")
    if not isinstance(rows, list) or any(not isinstance(r, list) or fields.texts(r) for r in rows):
        raise DataError(
            f"{where}: table is no list of rows of texts; give one, [] if there is none"
        )
    gold = line.get("gold_program")
    return Case(
        id=str(line.get("id", number)),
        fields={"question": "", "pre_text": [], "table": rows, "post_text": []},
        expected=_answer(line["gold_answer"], where),
        metadata={"program": _program({"program": gold}, where) if gold else "", "answer": ""},
    )


def _case(row: Json, where: str) -> Case:
    record = records.as_object(row, where)
    qa = records.as_object(records.member(record, "qa", where), f"{where}, qa")
    case_id = records.member(record, "id", where)
    if not isinstance(case_id, str) or not case_id:
        raise DataError(f"{where}: the id is {records.kind(case_id)}; give a text")
    values = {name: records.member(record, name, where) for name in CHECKS if name != "question"}
    values["question"] = records.member(qa, "question", where)
    fields.check_fields(case_id, values, CHECKS)
    return Case(
        id=case_id,
        fields={name: values[name] for name in CHECKS},
        expected=_answer(records.member(qa, "exe_ans", where), where),
        source=record,
        metadata={"program": _program(qa, where), "answer": qa.get("answer", "")},
    )


def _program(qa: dict[str, Json], where: str) -> str:
    program = records.member(qa, "program", where)
    try:
        equivalent(str(program), "")
    except ValueError as error:
        raise DataError(f"{where}: gold program {program!r}: {error}; correct it") from error
    return str(program)


def _answer(value: Json, where: str) -> Json:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if value in ("yes", "no"):
        return value
    raise DataError(f"{where}: exe_ans is {value!r}; a number, yes or no is wanted")


def _expected(case: Case) -> float | str:
    return case.expected if isinstance(case.expected, float | str) else float("nan")


def _equivalent(case: Case, program: str) -> bool | None:
    gold = str(case.metadata["program"])
    return equivalent(gold, program) if gold else None


def _record(case: Case) -> Json:
    record = records.as_object(case.source, case.id)
    qa = records.as_object(record["qa"], case.id)
    texts = {name: value for name, value in case.fields.items() if name != "question"}
    return {**record, **texts, "qa": {**qa, "question": case.fields["question"]}}


def _strings(value: Json) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
