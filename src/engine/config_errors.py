"""What is wrong with a setting in one line, also where it may be one of several things."""

from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from .config import RunConfig

ASKED = {
    "fraction_parsing": "must be a decimal",
    "fraction_type": "must be a decimal",
    "decimal_parsing": "must be a decimal",
    "decimal_type": "must be a decimal",
    "tuple_type": "must be a list",
}
"""Words for what pydantic names by Python's types."""


def asked_for(entry: Mapping[str, Any]) -> str:
    """What an error asks of its value: `must be a decimal`."""
    if entry["type"] in ASKED:
        return ASKED[entry["type"]]
    message = str(entry["msg"]).removeprefix("Value error, ")
    return message.replace("Input should be", "must be")


def one_each(entries: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The errors, those of one setting that may be either of several things joined in one.

    Pydantic gives one error for each of these things, at a place that no file has:
    `chase.eta.fraction`.
    """
    found: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for entry in entries:
        place = _setting(entry["loc"])
        if place is None:
            found[(len(found),)] = entry
        elif place in found:
            more = asked_for(entry).removeprefix("must be ").replace("'", '"')
            found[place] = {**found[place], "msg": f"{found[place]['msg']} or {more}"}
        else:
            found[place] = {**entry, "loc": place, "type": "union", "msg": asked_for(entry)}
    return list(found.values())


def _setting(place: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The setting that a place lies in, where that may be one of several things."""
    annotation: Any = RunConfig
    for length, name in enumerate(place):
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        if get_origin(annotation) in (Union, UnionType) and len(kinds) > 1:
            return place[:length]
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return None
        field = annotation.model_fields.get(str(name))
        annotation = field.annotation if field else None
    return None
