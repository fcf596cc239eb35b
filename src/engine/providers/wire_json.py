"""Reading and writing JSON as it stands on the wire, however broken it is."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from ..model.llm import Json


def decode(body: bytes) -> Any:
    """The JSON value in `body`. Raises ValueError where it holds none.

    pydantic's reader is several times faster; the standard one reads lone surrogates, which some
    models write.
    """
    try:
        return from_json(body)
    except ValueError:
        return _decode_leniently(body)


def _decode_leniently(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def encode(value: Mapping[str, Json]) -> bytes:
    """Compact UTF-8 JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD.

    Such a text can be stored, hashed and sent; others raise UnicodeEncodeError much later.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean(value: Json) -> Json:
    """A JSON value with every text in it well formed."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [clean(each) for each in value]
    if isinstance(value, dict):
        return {well_formed(key): clean(each) for key, each in value.items()}
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """`value` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def count(value: Any) -> int | None:
    """`value` where it is a whole number of at least 0, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def text_or_none(value: Any) -> str | None:
    """`value` where it is a text, else None."""
    return well_formed(value) if isinstance(value, str) else None


def event_errors(body: bytes) -> Any:
    """The error in a body of server-sent events, None where there is none.

    A provider that fails after it has begun to answer may send one on a plain request.
    """
    for line in body.split(b"\n"):
        if line.startswith(b"data:"):
            try:
                event = mapping(decode(line[5:].strip()))
            except ValueError:
                continue  # `data: [DONE]` and cut lines
            if event.get("error"):
                return event["error"]
    return None
