"""Reading a model's JSON reply into the type that its role must give.

Gates take the reply as it stands, without code fences at most. Proposals may be mended by a repair
library, and then say so (design: engine.md, structured output).
"""

import json
import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import MalformedReply

M = TypeVar("M", bound=BaseModel)
LONGEST_REPAIRED = 400_000
SHOWN_PROBLEMS = 3
_FENCED = re.compile(r"\s*```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Structured(Generic[M]):
    """A reply as its role's type; `repaired` is true where its JSON had to be mended."""

    value: M
    repaired: bool = False


def strip_fences(text: str) -> str:
    """The text between code fences where the whole reply is one fenced block, else the text."""
    match = _FENCED.fullmatch(text)
    return match.group(1) if match else text.strip()


def read_strict(text: str, model: type[M], part: str) -> Structured[M]:
    """A gate's reply: JSON of exactly the right types, nothing mended.

    Raises MalformedReply naming `part` and the field.
    """
    try:
        return Structured(model.model_validate_json(strip_fences(text), strict=True))
    except ValidationError as error:
        raise MalformedReply(f"{part}: {_problems(error)}") from None


def read_repaired(text: str, model: type[M], part: str) -> Structured[M]:
    """A proposal: as it stands if possible, else with its JSON mended (never its content).

    Raises MalformedReply naming `part` and the field.
    """
    try:
        return read_strict(text, model, part)
    except MalformedReply as error:
        mended = _mended(text)
        if mended is None:
            raise error from None
    return Structured(read_strict(mended, model, f"{part} (after repair)").value, repaired=True)


def _mended(text: str) -> str | None:
    """Mended JSON; None where the text is JSON already, or beyond what is worth mending."""
    stripped = strip_fences(text)
    if len(stripped) > LONGEST_REPAIRED or _is_json(stripped):
        return None
    from json_repair import loads

    return json.dumps(loads(stripped, skip_json_loads=True))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [_problem(each["loc"], each["msg"]) for each in found[:SHOWN_PROBLEMS]]
    rest = len(found) - len(lines)
    return "; ".join(lines) + (f"; and {rest} more" if rest else "")


def _problem(path: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(step) for step in path)
    return f"{where}: {message}" if where else message
