"""Reading a run's configuration: a TOML file and `key=value` overrides, all errors at once."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from .config import RunConfig
from .config_checks import cross_checks
from .config_errors import asked_for, one_each
from .config_lines import KeyPath, key_lines, key_path, line_of
from .errors import ConfigError, UsageError

_SHOWN = 60
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: the key, its value as text (None: not shown), where it stands."""

    key: str
    value: str | None
    where: str
    message: str

    def __str__(self) -> str:
        value = "" if self.value is None else f" = {self.value}"
        return f"{self.where}: {self.key}{value}: {self.message}"


def load_config(path: Path, overrides: Sequence[str] = ()) -> RunConfig:
    """The configuration in a file, with paths resolved against the file's folder.

    Raises ConfigError with one line for each problem.
    """
    config, problems = examine_config(path, overrides)
    if config is None or problems:
        raise ConfigError("\n".join(map(str, problems)))
    return config


def examine_config(
    path: Path, overrides: Sequence[str] = ()
) -> tuple[RunConfig | None, list[Problem]]:
    """What `load_config` would give, and every problem of the file and its overrides.

    Raises ConfigError where the file cannot be read or is not TOML.
    """
    text = _read(path)
    document = _parse(text, path)
    overridden = apply_overrides(document, overrides)
    places = _Places(str(path), key_lines(text), overridden)
    try:
        config = RunConfig.model_validate(document)
    except ValidationError as error:
        entries = one_each(error.errors(include_url=False))
        return None, [_explain(entry, places) for entry in entries]
    config = _resolved(config, path.absolute().parent)
    return config, [
        Problem(".".join(key), value, places.of(key), message)
        for key, value, message in cross_checks(config)
    ]


def apply_overrides(document: dict[str, Any], overrides: Iterable[str]) -> dict[KeyPath, str]:
    """Write `key=value` overrides into a parsed document; gives each key's override as typed.

    A value is read as TOML where it is TOML, and else as a plain string. Raises UsageError.
    """
    written: dict[KeyPath, str] = {}
    for override in overrides:
        key, sign, value = override.partition("=")
        try:
            path = key_path(key.strip())
        except tomllib.TOMLDecodeError:
            path = ()
        if not sign or not path:
            raise UsageError(f"--set {override!r}: write key=value, such as harden.generations=2")
        _assign(document, path, _value(value.strip()), override)
        written[path] = override
    return written


def config_schema() -> dict[str, Any]:
    """The JSON Schema of a configuration, for editors."""
    return RunConfig.model_json_schema() | {
        "$schema": "https://json-schema.org/draft/2020-12/schema"
    }


@dataclass(frozen=True, slots=True)
class _Places:
    """Where keys stand: a line of the file, or the override that set them."""

    file: str
    lines: Mapping[KeyPath, int]
    overrides: Mapping[KeyPath, str]

    def of(self, key: KeyPath) -> str:
        for length in range(len(key), 0, -1):
            if key[:length] in self.overrides:
                return f"--set {'.'.join(key[:length])}"
        line = line_of(self.lines, key)
        return f"{self.file}:{line}" if line else self.file


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such file; `evoscope init harden` writes a commented one"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); give a UTF-8 text file") from error


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}", parse_float=Decimal)["value"]
    except tomllib.TOMLDecodeError:
        return text


def _assign(document: dict[str, Any], path: KeyPath, value: Any, override: str) -> None:
    table = document
    for name in path[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"--set {override!r}: {name} is a value, not a table")
    table[path[-1]] = value


def _explain(entry: Mapping[str, Any], places: _Places) -> Problem:
    path = tuple(str(part) for part in entry["loc"])
    value: str | None = _shown(entry["input"])
    if entry["type"] == "extra_forbidden":
        message, value = f"unknown key{_suggestion(path)}", None  # it may hold a secret
    elif entry["type"] == "missing":
        message, value = "missing; this key is required", None
    else:
        message = asked_for(entry)
    return Problem(".".join(path), value, places.of(path), message)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    text = repr(value) if isinstance(value, str | list) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _suggestion(path: KeyPath) -> str:
    model = _model_at(path[:-1])
    close = get_close_matches(path[-1], model.model_fields) if model else []
    return f"; did you mean {close[0]}?" if close else ""


def _model_at(path: KeyPath) -> type[BaseModel] | None:
    """The model that validates the table at `path`, as far as the schema's models say."""
    annotation: Any = RunConfig
    for name in path:
        if _is_model(annotation):
            field = annotation.model_fields.get(name)
            annotation = field.annotation if field else None
        else:
            annotation = get_args(annotation)[-1] if get_args(annotation) else None
        if get_origin(annotation) is UnionType:
            annotation = next(arg for arg in get_args(annotation) if arg is not NoneType)
    return annotation if _is_model(annotation) else None


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _resolved(model: Model, base: Path) -> Model:
    """A copy with each path of the model and its tables resolved against `base`."""
    updates: dict[str, Any] = {}
    for name, value in model:
        updates[name] = _resolved_value(value, base)
    return model.model_copy(update=updates)


def _resolved_value(value: Any, base: Path) -> Any:
    if isinstance(value, Path):
        return base / value.expanduser()
    if isinstance(value, tuple):
        return tuple(_resolved_value(part, base) for part in value)
    return _resolved(value, base) if isinstance(value, BaseModel) else value
