"""The file `bundle.toml`: which cases, which prompt, what may change, how answers are graded."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ..errors import DataError
from .records import read_text


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError("a path inside the bundle's folder is wanted")
    return name


Inside = Annotated[str, AfterValidator(_inside)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelSettings(_Section):
    """Exact label on the last line `KEYWORD: label`; without `labels`, those of the cases."""

    kind: Literal["label"]
    keyword: str = "Answer"
    labels: tuple[str, ...] | None = None


class RegexSettings(_Section):
    """The last match of `pattern` (its first group, if it has one) must equal the expected text."""

    kind: Literal["regex"]
    pattern: str


class NumericSettings(_Section):
    """A number on the last line `KEYWORD: number`, within either tolerance of the expected one."""

    kind: Literal["numeric"]
    keyword: str = "Answer"
    absolute: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    relative: Annotated[Decimal, Field(ge=0)] = Decimal(0)


class PythonSettings(_Section):
    """`module:function`, the module beside bundle.toml or installed; it runs in the engine.

    `binary` promises that every score is 0 or 1, `classes` how many different classes there are.
    """

    kind: Literal["python"]
    function: Annotated[str, Field(pattern=r"^[\w.]+:\w+$")]
    binary: bool = False
    classes: Annotated[int, Field(ge=2)] | None = None


class BundleSettings(_Section):
    """The whole of bundle.toml; paths are relative to its folder."""

    use_case: str
    output: str
    cases: Inside = "cases.jsonl"
    prompt: Inside = "prompt.md"
    mutable: Annotated[tuple[str, ...], Field(min_length=1)]
    grader: Annotated[
        LabelSettings | RegexSettings | NumericSettings | PythonSettings,
        Field(discriminator="kind"),
    ]


def read_settings(path: Path) -> BundleSettings:
    """The settings in `path`; raises DataError that lists every wrong key at once."""
    try:
        table = tomllib.loads(read_text(path), parse_float=Decimal)
        return BundleSettings.model_validate(table)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: {error}; correct the TOML there") from error
    except ValidationError as error:
        problems = "; ".join(_problem(item) for item in error.errors())
        raise DataError(f"{path}: {problems}; docs/bundle.md lists the keys") from error


def _problem(item: Mapping[str, object]) -> str:
    place = item["loc"]
    key = ".".join(map(str, place)) if isinstance(place, tuple) else str(place)
    return f"{key or 'grader'}: {item['msg']}"
