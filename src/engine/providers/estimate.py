"""How many input tokens a request may have, without asking anyone."""

import json
from math import ceil

from ..model.llm import Request

BYTES_PER_TOKEN = 2.5
TOKENS_PER_MESSAGE = 8


def input_tokens(request: Request) -> int:
    """A rough upper estimate: one token per 2.5 bytes of UTF-8, and some for each message.

    English prose has four bytes to a token, tables of numbers come close to two and a half.
    """
    texts = [request.system or "", *(message.text for message in request.messages)]
    objects = [message.raw for message in request.messages if message.raw is not None]
    objects += [
        {"name": tool.name, "description": tool.description, "schema": dict(tool.schema)}
        for tool in request.tools
    ]
    if request.params.schema is not None:
        objects.append(dict(request.params.schema[1]))
    texts += [json.dumps(each, ensure_ascii=False) for each in objects]
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return ceil(size / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE * (len(request.messages) + 1)
