"""Which small program answers which role, and its answer as tokens."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from ...errors import ErrorClass, ProviderError
from ...model.llm import Json, Request
from . import (
    agent,
    analyst,
    auditor,
    author,
    challenger,
    extractor,
    judge,
    proposer,
    realism,
    rubric,
)
from .chance import uniform
from .mutator import manifest
from .prompts import document
from .readers import read
from .sampling import Token, draw, pieces, probabilities, tokens

Document = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer as tokens, or the tool calls that it consists of."""

    tokens: list[Token]
    tool_calls: tuple[dict[str, Json], ...] = ()


STRUCTURED: dict[str, Callable[[Document, bytes], Json]] = {
    "analysis": lambda data, key: analyst.axes(data),
    "rubric": lambda data, key: rubric.rubric(data),
    "extraction": lambda data, key: extractor.extract(data),
    "audit": auditor.audit,
    "author": author.author,
    "realism": realism.judge,
    "proposer": proposer.propose,
    "challenger": challenger.challenge,
}


def answer(request: Request, key: bytes, careless: float) -> Reply:
    """The answer of the program that plays the request's role.

    `key` identifies the request's content and sample; `careless` is the mutator's share of
    mutations that break the evidence. A structured role whose prompt holds no readable JSON
    document answers with an empty object. Raises ProviderError for a role that nobody plays.
    """
    prompt = "\n".join(message.text for message in request.messages)
    if request.role == "task":
        return Reply(_sample(prompt, request, key))
    if request.role == "agent":
        turn = agent.act(request)
        return Reply(_pieces(turn.text), turn.calls)
    if request.role == "judge":
        return Reply(_pieces(judge.judge(document(prompt) or {}, request.system or "", key)))
    if request.role != "mutation" and request.role not in STRUCTURED:
        raise ProviderError(
            ErrorClass.PERMANENT,
            f"offline: no offline model plays the role {request.role!r}; give it another provider",
            reason="bad_request",
        )
    data = document(prompt)
    if data is None:
        value: Json = {}
    elif request.role == "mutation":
        value = manifest(data, key, careless)
    else:
        value = STRUCTURED[request.role](data, key)
    return Reply(_pieces(json.dumps(value, ensure_ascii=False, indent=1)))


def _pieces(text: str) -> list[Token]:
    return [Token(piece, 0.0) for piece in pieces(text)]


def _sample(prompt: str, request: Request, key: bytes) -> list[Token]:
    reading = read(prompt)
    weights = probabilities(reading.answers, request.params)
    chosen = draw(reading.answers, weights, request.params, uniform(key, "answer"))
    return tokens(reading, weights, chosen, request.params.top_logprobs)
