"""Anyone's own cases: JSON lines, a prompt template, a grader, and which fields may change.

`docs/bundle.md` describes the files. A case's input is an object of fields, or one text, which
is then the field `input`.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from ..errors import DataError
from ..model.llm import Json
from . import bundle_graders, fields, records
from .base import Case, Grade
from .bundle_settings import (
    BundleSettings,
    LabelSettings,
    NumericSettings,
    PythonSettings,
    read_settings,
)

CONFIG = "bundle.toml"


class Bundle:
    """A user's benchmark, as its bundle.toml says."""

    name = "bundle"
    max_grade = Fraction(1)

    def __init__(self, settings: BundleSettings, cases: Sequence[Case], folder: Path) -> None:
        """Raises DataError where a prompt can't be rendered or an answer can't be graded."""
        self.cases = cases
        self.mutable = settings.mutable
        self._settings, self._folder = settings, folder
        text = records.read_text(folder / settings.prompt)
        self._tags = sorted(set(re.findall(r"</(\w+)>", text)))
        self._template = _compiled(text, folder / settings.prompt)
        self._grader = bundle_graders.build(settings.grader, cases, folder)
        self.entropy_base = _entropy_base(settings, cases)
        self.binary = _binary(settings)
        self.instructions()
        for case in cases:
            self.prompt(case)

    @classmethod
    def load(cls, path: Path) -> "Bundle":
        """The bundle at `path`: its folder, its bundle.toml, or a JSON-lines file beside one."""
        folder = path if path.is_dir() else path.parent
        settings = read_settings(folder / CONFIG)
        named = path.is_dir() or path.name == CONFIG
        file = folder / settings.cases if named else path
        cases = [
            _case(line, settings.mutable, f"{file}, line {number}")
            for number, line in records.read_lines(file)
        ]
        return cls(settings, records.unique(cases, str(file)), folder)

    def describe(self) -> Mapping[str, Json]:
        """Use case, fields and instructions; from bundle.toml and the prompt template only."""
        first = self.cases[0].fields
        inputs: dict[str, Json] = {
            name: {"type": records.kind(value), "mutable": name in self.mutable}
            for name, value in first.items()
        }
        return {
            "use_case": self._settings.use_case,
            "inputs": inputs,
            "output": self._settings.output,
            "grader": _grader_words(self._settings),
            "instructions": self.instructions(),
        }

    def prompt(self, case: Case) -> str:
        """The template filled with the case's fields; raises DataError where it can't be."""
        values = {name: self._fenced(value) for name, value in case.fields.items()}
        return self._fill(values, f"case {case.id}")

    def instructions(self) -> str:
        """The template with the names of the fields in place of a case."""
        first = self.cases[0].fields
        names = {name: _placeholder(name, value) for name, value in first.items()}
        return self._fill(names, "with names in place of values")

    def grade(self, case: Case, response: str) -> Grade:
        """What the bundle's grader says; raises DataError where a python grader fails."""
        return self._grader(case, response)

    def answer_line(self, answer: str) -> str:
        """The last line of a response with this answer, where the grader reads one by keyword."""
        grader = self._settings.grader
        if isinstance(grader, LabelSettings | NumericSettings):
            return f"{grader.keyword}: {answer}"
        return answer

    def gold_summary(self, case: Case) -> Mapping[str, Json]:
        """The expected answer."""
        return {"expected": case.expected}

    def with_fields(self, case: Case, changes: Mapping[str, Json]) -> Case:
        """See `Benchmark.with_fields`; a field keeps the shape that it has in the source."""
        snapshot = _case(case.source, self.mutable, case.id)
        checks = {name: partial(_shape_problem, snapshot.fields[name]) for name in self.mutable}
        return fields.replace_fields(case, snapshot, changes, checks)

    def validate(self, case: Case) -> list[str]:
        """Empty texts in mutable fields, and text that is none."""
        empty = (name for name in self.mutable if _is_blank(case.fields[name]))
        return fields.text_problems(case.fields) + [f"{name}: it is empty" for name in empty]

    def missing_evidence(self, original: Case, candidate: Case) -> list[str] | None:
        """None: what carries the answer, a program cannot tell."""
        return None

    def export(self, cases: Sequence[Case], path: Path) -> list[Path]:
        """A whole bundle that loads again: the cases, bundle.toml, the prompt, the grader.

        `path` is a folder, or the JSON-lines file; the rest is then written beside it.
        """
        target = records.export_file(path, self._settings.cases)
        folder = target.parent if path.suffix else path
        written = [records.write_lines(target, [_record(case) for case in cases])]
        return written + [self._copied(file, folder) for file in self._companions()]

    def _companions(self) -> list[Path]:
        grader = self._settings.grader
        files = [self._folder / CONFIG, self._folder / self._settings.prompt]
        if isinstance(grader, PythonSettings):
            files.append(bundle_graders.module_file(grader, self._folder))
        return [file for file in files if file.is_file()]

    def _copied(self, file: Path, folder: Path) -> Path:
        target = folder / file.relative_to(self._folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
        return target

    def _fill(self, values: Mapping[str, Any], what: str) -> str:
        try:
            return self._template.render(dict(values))
        except (TemplateError, TypeError, ValueError) as error:
            name = self._folder / self._settings.prompt
            raise DataError(f"{name}, {what}: {error}; correct the template or input") from error

    def _fenced(self, value: Json) -> Json:
        if isinstance(value, str):
            return fields.fence(value, self._tags)
        if isinstance(value, list):
            return [self._fenced(item) for item in value]
        if isinstance(value, dict):
            return {key: self._fenced(item) for key, item in value.items()}
        return value


def _case(line: Json, mutable: Sequence[str], where: str) -> Case:
    record = records.as_object(line, where)
    case_id, value = (records.member(record, key, where) for key in ("id", "input"))
    if not isinstance(case_id, str | int) or isinstance(case_id, bool) or case_id == "":
        raise DataError(f"{where}: the id is {records.kind(case_id)}; give a text")
    inputs = {"input": value} if isinstance(value, str) else records.as_object(value, where)
    for name in mutable:
        if name not in inputs:
            raise DataError(f"{where}: no input field {name!r}, which bundle.toml names mutable")
    metadata = records.as_object(record.get("metadata") or {}, f"{where}, metadata")
    expected = records.member(record, "expected", where)
    return Case(str(case_id), inputs, expected, record, metadata)


def _record(case: Case) -> Json:
    record = records.as_object(case.source, case.id)
    single = isinstance(record["input"], str)
    return {**record, "input": case.fields["input"] if single else dict(case.fields)}


def _shape_problem(model: Json, value: Json) -> str | None:
    """What makes `value` another shape than `model`: its type, its items' type, its keys."""
    if records.kind(model) != records.kind(value):
        return f"{records.kind(model)} is wanted, got {records.kind(value)}"
    if isinstance(model, list) and isinstance(value, list) and model:
        pairs = [(model[0], item) for item in value]
    elif isinstance(model, dict) and isinstance(value, dict):
        if set(model) != set(value):
            return f"the keys {', '.join(model)} are wanted"
        pairs = [(model[key], value[key]) for key in model]
    else:
        pairs = []
    return next((p for item in pairs if (p := _shape_problem(*item))), None)


def _placeholder(name: str, value: Json) -> Json:
    if isinstance(value, list):
        return [_placeholder(name, value[0])] if value else []
    if isinstance(value, dict):
        return {key: _placeholder(f"{name}.{key}", item) for key, item in value.items()}
    return f"[{name}]"


def _is_blank(value: Json) -> bool:
    return value == [] or value == {} or (isinstance(value, str) and not value.strip())


def _compiled(text: str, path: Path) -> Template:
    # a template may come with a bundle from elsewhere: it gets the fields and nothing else
    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    try:
        return environment.from_string(text)
    except TemplateError as error:
        raise DataError(f"{path}: {error}; correct the template") from error


def _entropy_base(settings: BundleSettings, cases: Sequence[Case]) -> int | None:
    """Number of labels, or what a python grader states; None: the number of samples."""
    match settings.grader:
        case LabelSettings() as grader:
            return max(2, len(bundle_graders.label_set(grader, cases)))
        case PythonSettings() as grader:
            return grader.classes
    return None


def _binary(settings: BundleSettings) -> bool:
    """True unless a python grader may give partial credit."""
    return settings.grader.binary if isinstance(settings.grader, PythonSettings) else True


def _grader_words(settings: BundleSettings) -> str:
    return {
        "label": "The label on the last line must equal the expected one.",
        "regex": "What a pattern finds last in the answer must equal the expected text.",
        "numeric": "The number on the last line must be within a tolerance of the expected one.",
        "python": "A function of the user's compares the answer with the expected one.",
    }[settings.grader.kind]
