"""Reading a model's JSON reply: strictly for gates, with repair for proposals only."""

import json
import re
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel, StringConstraints, ValidationError

from ..errors import MalformedReply
from ..model.llm import Completion, Finish, Json
from .structured import read_repaired, strip_fences

HALF_PAIR = re.compile("[\ud800-\udfff]")
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A string that says something."""
M = TypeVar("M", bound="Reply")


class Reply(BaseModel):
    """The shape of a reply: types are not converted, unknown keys are passed over."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class AnyObject(RootModel[dict[str, Any]]):
    """Any JSON object; what must stand in it is checked part by part."""


def json_object(text: str) -> dict[str, Json]:
    """The one JSON object that a reply is, code fences around it stripped.

    Raises MalformedReply for anything else: prose around it, a key given twice, NaN, half a
    surrogate pair.
    """
    try:
        value = json.loads(
            strip_fences(text), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise MalformedReply(f"the reply is no JSON object: {error}") from None
    if not isinstance(value, dict):
        raise MalformedReply(f"the reply is a JSON {type(value).__name__}, not an object")
    if HALF_PAIR.search(json.dumps(value, ensure_ascii=False)):
        raise MalformedReply("the reply holds half a surrogate pair, which is no text")
    return value


def proposal(completion: Completion) -> tuple[dict[str, Json], bool]:
    """The JSON object of a proposal, and whether it had to be repaired.

    A reply that was cut off is never repaired: its last text would be silently shorter. Raises
    MalformedReply where there is no object to be had.
    """
    try:
        return json_object(completion.text), False
    except MalformedReply:
        if completion.finish is Finish.LENGTH:
            raise
        read = read_repaired(completion.text, AnyObject, "reply")
        return read.value.root, read.repaired


def shaped(model: type[M], value: Json) -> M:
    """The value as the role's reply; raises MalformedReply with the first thing that is wrong."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise MalformedReply(problems(error)[0]) from None


def problems(error: ValidationError) -> list[str]:
    """Each problem of a refused value in one line: where it is, and what it is."""
    return [
        f"{'.'.join(map(str, entry['loc'])) or 'reply'}: {entry['msg']}"
        for entry in error.errors(include_url=False)
    ]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
