"""The four graders of a bundle, each built once from its settings and the expected answers."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from ..errors import DataError
from ..model.llm import Json
from .base import Case, Grade
from .bundle_settings import LabelSettings, NumericSettings, PythonSettings, RegexSettings
from .figures import MAX_DIGITS, read_figure
from .labels import grade_label, last_line
from .records import kind

Settings: TypeAlias = LabelSettings | RegexSettings | NumericSettings | PythonSettings
Grader: TypeAlias = Callable[[Case, str], Grade]

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)


def build(settings: Settings, cases: Sequence[Case], folder: Path) -> Grader:
    """The grader for these cases.

    Raises DataError where an expected answer is none that it can grade, naming the case, or where
    a pattern or function can't be had.
    """
    match settings:
        case LabelSettings():
            labels = label_set(settings, cases)
            _require(cases, lambda value: value in labels, f"one of {', '.join(labels)}")
            return partial(_grade_label, settings.keyword, labels)
        case RegexSettings():
            _require(cases, lambda value: isinstance(value, str), "a text")
            return partial(_grade_regex, _compiled(settings.pattern))
        case NumericSettings():
            _require(cases, _is_number, "a number")
            return partial(_grade_numeric, settings)
        case PythonSettings():
            return partial(_grade_python, settings.function, find_function(settings, folder))


def label_set(settings: LabelSettings, cases: Sequence[Case]) -> tuple[str, ...]:
    """The labels of the settings, else those of the cases, sorted."""
    expected = (case.expected for case in cases)
    return settings.labels or tuple(sorted({value for value in expected if isinstance(value, str)}))


def find_function(settings: PythonSettings, folder: Path) -> Callable[..., Any]:
    """The function of a python grader; raises DataError where it can't be imported."""
    name, _, function = settings.function.partition(":")
    try:
        found: Callable[..., Any] = getattr(_module(name, folder), function)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise DataError(
            f"grader {settings.function}: {error}; put the module beside bundle.toml"
        ) from error
    return found


def module_file(settings: PythonSettings, folder: Path) -> Path:
    """Where the grader's module lies if it is part of the bundle."""
    return folder.joinpath(*settings.function.partition(":")[0].split(".")).with_suffix(".py")


def _module(name: str, folder: Path) -> ModuleType:
    file = folder.joinpath(*name.split(".")).with_suffix(".py")
    if not file.is_file():
        return importlib.import_module(name)
    # two bundles may both have a module `grader`: each is known by its place
    alias = f"_bundle_{sha256(str(file.resolve()).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(alias, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module
    spec.loader.exec_module(module)
    return module


def _require(cases: Sequence[Case], test: Callable[[Json], bool], wanted: str) -> None:
    for case in cases:
        if not test(case.expected):
            shown = case.expected if isinstance(case.expected, str) else kind(case.expected)
            raise DataError(f"case {case.id}: expected is {shown!r}; this grader wants {wanted}")


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise DataError(f"bundle.toml, grader.pattern: {error}; correct it") from error


def _grade_label(keyword: str, labels: Sequence[str], case: Case, response: str) -> Grade:
    return grade_label(response, keyword, labels, str(case.expected))


def _grade_regex(pattern: re.Pattern[str], case: Case, response: str) -> Grade:
    matches = list(pattern.finditer(response))
    if not matches:
        return Grade(Fraction(0), None, None, "the grader's pattern does not match")
    found = matches[-1]
    value = found[1] if pattern.groups else found[0]
    if value is None:
        return Grade(Fraction(0), None, None, "the group of the grader's pattern is empty")
    return Grade(Fraction(value == case.expected), value, value)


def _grade_numeric(settings: NumericSettings, case: Case, response: str) -> Grade:
    line, expected = last_line(response, settings.keyword), _exact(case.expected)
    if line is None:
        return Grade(Fraction(0), None, None, f"no line `{settings.keyword}: number`", False)
    figure = read_figure(line)
    tolerant = figure is not None and _close(figure, expected, settings)
    if not _NUMBER.fullmatch(line) or len(line) > MAX_DIGITS:
        return Grade(Fraction(0), None, line, "the last line holds no plain number", tolerant)
    value = Fraction(line.replace(",", ""))
    right = _close(value, expected, settings)
    return Grade(Fraction(right), str(value), line, tolerant=right or tolerant)


def _close(value: Fraction, expected: Fraction, settings: NumericSettings) -> bool:
    allowed = max(Fraction(settings.absolute), Fraction(settings.relative) * abs(expected))
    return abs(value - expected) <= allowed


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _exact(value: Json) -> Fraction:
    # a float in a file is meant as the decimal that is written there
    return Fraction(Decimal(str(value)))


def _grade_python(name: str, function: Callable[..., Any], case: Case, response: str) -> Grade:
    view = {
        "id": case.id,
        "input": dict(case.fields),
        "expected": case.expected,
        "metadata": dict(case.metadata),
    }
    try:
        return _as_grade(function(view, response))
    except Exception as error:
        kind_of = type(error).__name__
        raise DataError(f"grader {name}, case {case.id}: {kind_of}: {error}; correct it") from error


def _as_grade(value: Any) -> Grade:
    given: Mapping[str, Any] = value if isinstance(value, Mapping) else {"score": value}
    score = Fraction(Decimal(str(+given["score"])))
    if not 0 <= score <= 1:
        raise ValueError(f"a score from 0 to 1 is wanted, got {given['score']!r}")
    cls = given.get("class", str(score))
    parsed = given.get("parsed", cls)
    return Grade(
        score,
        None if cls is None else str(cls),
        None if parsed is None else str(parsed),
        given.get("problem"),
    )
