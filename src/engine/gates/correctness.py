"""Correctness: what the parent's answer rests on, and whether a candidate still says it
(HARDEN, A.5.5)."""

import json
import textwrap
from collections.abc import Iterator, Mapping

from pydantic import Field

from ..errors import MalformedReply
from ..model.llm import Json
from .reply import Reply, Text, json_object, shaped
from .ruling import Ruling

TASK_ITEM = "requested_task_semantics"
"""The item that every extraction must have: what is asked, and in which form."""
LINE_WIDTH = 120


class Necessary(Reply):
    """One piece of input that the expected output depends on. `value` is never null."""

    source: Text
    semantic_label: Text
    value: Text | int | float | bool | list[object] | dict[str, object]
    decision_criteria: Text
    description: Text
    reason: Text


class Relationship(Reply):
    """How several pieces together carry the expected output."""

    type: Text
    items: list[Text] = Field(min_length=1)
    description: Text


class Extraction(Reply):
    """What a parent's expected output needs from its input."""

    necessary_information: list[Necessary] = Field(min_length=1)
    relationships: list[Relationship]
    reasoning: str = ""

    def for_audit(self) -> dict[str, Json]:
        """The part that an audit reads: without `reason`, which quotes the expected output."""
        return {
            "necessary_information": [
                item.model_dump(exclude={"reason"}) for item in self.necessary_information
            ],
            "relationships": [link.model_dump() for link in self.relationships],
        }


class AuditReply(Reply):
    """One audit of a candidate; `pass` counts only where nothing is missing."""

    passes: bool = Field(alias="pass")
    missing_information: list[object]


def read_extraction(text: str) -> Extraction:
    """The extraction in a reply, taken strictly.

    Raises MalformedReply where a part is missing, null or empty, or where the item on the
    requested task is not there.
    """
    found = shaped(Extraction, json_object(text))
    labels = {item.semantic_label for item in found.necessary_information}
    if TASK_ITEM not in labels:
        raise MalformedReply(f"necessary_information: the item {TASK_ITEM} is missing")
    return found


def judge_audit(text: str) -> Ruling:
    """One member's verdict: a pass only with `pass` true and nothing missing; malformed fails."""
    try:
        value = json_object(text)
        reply = shaped(AuditReply, value)
    except MalformedReply as error:
        return Ruling("fail", f"malformed: {error}")
    if reply.missing_information:
        return Ruling("fail", f"missing: {_label(reply.missing_information[0])}", value)
    return Ruling("pass" if reply.passes else "fail", "" if reply.passes else "not passed", value)


def candidate_lines(fields: Mapping[str, Json], width: int = LINE_WIDTH) -> list[str]:
    """A complete rendering of a candidate's fields in lines of at most `width` characters.

    Fields stand in order of name; a table's row is one line with ` | ` between cells. Lines break
    at spaces only; a word longer than `width` keeps its line to itself, so that no number is cut.
    """
    lines: list[str] = []
    for name in sorted(fields):
        lines.append(f"{name}:")
        for line in _lines(fields[name]):
            lines += _wrapped(line, width)
    return lines


def _lines(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for part in value:
            yield from _entry(part)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield f"{key}:"
            yield from _lines(value[key])
    else:
        yield from _scalar(value).split("\n")


def _entry(part: Json) -> Iterator[str]:
    if isinstance(part, list) and not any(isinstance(cell, list | dict) for cell in part):
        yield " | ".join(_scalar(cell) for cell in part)
    else:
        yield from _lines(part)


def _scalar(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    return textwrap.wrap(
        line,
        width,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
        expand_tabs=False,
    ) or [line]


def _label(item: object) -> str:
    if isinstance(item, dict):
        return str(item.get("semantic_label", "an item"))
    return str(item)
