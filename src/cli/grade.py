"""`evoscope grade`: grade responses, programs or labels with a benchmark's official grader."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ..engine.errors import DataError, UsageError
from .output import print_json, print_lines, table

if TYPE_CHECKING:
    from ..engine.benchmarks.base import Benchmark, Case, Grade
    from ..engine.model.llm import Json


ALONE = ("program", "answer", "label")
"""Members of a line that hold the answer without the response around it."""

KEYWORDS = {"pubmedqa": "Answer", "contractnli": "Label"}


class Graded(NamedTuple):
    """One line of the input: the id that it gave, its case, and the verdict."""

    id: "Json"
    case: "Case"
    grade: "Grade"


@click.command("grade")
@click.argument("benchmark", type=click.Choice(["finqa", "pubmedqa", "contractnli", "bundle"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--cases",
    type=click.Path(path_type=Path),
    help="The benchmark's own file, with the cases that the lines' ids name.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
def grade(benchmark: str, file: Path, cases: Path | None, as_json: bool) -> None:
    """Grade FILE, JSON lines of {id, response} or {id, program|label|answer}, with BENCHMARK.

    A FinQA line may instead be {table, program, gold_answer, gold_program}; then no --cases is
    needed. Scores are official; a tolerant reading is shown beside them and counts for nothing.
    """
    graded = list(graded_lines(benchmark, file, cases))
    if not graded:
        raise DataError(f"{file}: no line in it; give one JSON object a line")
    result = summary(benchmark, graded)
    if as_json:
        print_json(result)
    else:
        print_lines(text_lines(graded))
        print_lines([_total(result)])


def graded_lines(kind: str, file: Path, cases_file: Path | None) -> Iterator[Graded]:
    """Each line's case and its grade; raises DataError naming the line."""
    from ..engine.benchmarks.finqa import FinQA, case_of_line
    from ..engine.benchmarks.load import load
    from ..engine.benchmarks.records import as_object, read_lines

    benchmark = None if cases_file is None else load(kind, cases_file)
    by_id = {} if benchmark is None else {case.id: case for case in benchmark.cases}
    for number, value in read_lines(file):
        where = f"{file}, line {number}"
        line = as_object(value, where)
        if kind == "finqa" and "gold_answer" in line:
            case = case_of_line(line, number, where)
            yield Graded(line.get("id", number), case, _grade(FinQA([case]), case, line, where))
        elif benchmark is None:
            raise UsageError(f"{where}: has an id only; give --cases FILE with the cases")
        else:
            case = _case(by_id, line, where)
            yield Graded(line["id"], case, _grade(benchmark, case, line, where))


def summary(kind: str, graded: Sequence[Graded]) -> dict[str, "Json"]:
    """What `grade --json` prints (design: json.md); `accuracy` is the mean score.

    For PubMedQA also the official macro F1.
    """
    total = sum((line.grade.score for line in graded), Fraction(0))
    items: list[Json] = [_item(kind, line) for line in graded]
    whole: dict[str, Json] = {
        "items": items,
        "accuracy": float(total / len(graded)),
        "unparsed": sum(line.grade.cls is None for line in graded),
        "n": len(graded),
    }
    if kind == "pubmedqa":
        from ..engine.benchmarks.pubmedqa import official_scores

        truth = [str(line.case.expected) for line in graded]
        answers = [line.grade.cls for line in graded]
        whole["macro_f1"] = float(official_scores(truth, answers).macro_f1)
    return whole


def text_lines(graded: Sequence[Graded]) -> list[str]:
    """A table of the items: verdict, id, what was read or why nothing was."""
    heads = ("verdict", "score", "id", "read", "problem")
    rows = [
        (
            "right" if line.grade.score == 1 else "wrong",
            f"{float(line.grade.score):.2f}",
            str(line.id),
            "-" if line.grade.cls is None else line.grade.cls,
            line.grade.problem or "",
        )
        for line in graded
    ]
    return table(heads, rows, right={1})


def _total(result: Mapping[str, "Json"]) -> str:
    return f"accuracy {result['accuracy']:.4f} over {result['n']}, {result['unparsed']} unparsed"


def _case(by_id: Mapping[str, "Case"], line: Mapping[str, "Json"], where: str) -> "Case":
    case_id = str(line.get("id", ""))
    if case_id not in by_id:
        raise DataError(f"{where}: no case {case_id!r} in the file of --cases; correct the id")
    return by_id[case_id]


def _grade(benchmark: "Benchmark", case: "Case", line: Mapping[str, "Json"], where: str) -> "Grade":
    from ..engine.benchmarks.bundle import Bundle
    from ..engine.benchmarks.finqa import FinQA

    if "response" in line:
        return benchmark.grade(case, str(line["response"]))
    given = next((name for name in ALONE if name in line), None)
    if given is None:
        raise DataError(f"{where}: no response; give response, program, label or answer")
    answer = str(line[given])
    if isinstance(benchmark, FinQA):
        return benchmark.grade_program(case, answer)
    one_line = " ".join(answer.splitlines())
    if isinstance(benchmark, Bundle):
        return benchmark.grade(case, benchmark.answer_line(one_line))
    return benchmark.grade(case, f"{KEYWORDS[benchmark.name]}: {one_line}")


def _item(kind: str, line: Graded) -> dict[str, "Json"]:
    result = line.grade
    item: dict[str, Json] = {"id": line.id, "parsed": result.parsed}
    if kind == "finqa":
        item.update(_executed(result.cls))
    else:
        item["label"] = result.cls
    return {
        **item,
        "correct": result.score == 1,
        "score": float(result.score),
        "equivalent": result.equivalent,
        "tolerant": result.tolerant,
        "problem": result.problem,
    }


def _executed(cls: str | None) -> dict[str, "Json"]:
    if cls is None or cls in ("yes", "no"):
        return {"executed": cls}
    value = float(cls)
    return {"executed": value} if math.isfinite(value) else {"executed": None, "executed_note": cls}
