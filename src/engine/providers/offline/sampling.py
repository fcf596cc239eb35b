"""Drawing one answer from a reader's scores, with log-probabilities that add up.

An answer's tokens carry the chain rule over all answers a reader weighs: a token's probability is
the mass of the answers that share the text up to and with it, over the mass of those that share
the text before it. So an answer's tokens sum to the logarithm of its probability exactly.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...model.llm import Params

PIECE = re.compile(r"\s*[A-Za-z_]+|\s*\d+|\s*[^\sA-Za-z_\d]|\s+")


@dataclass(frozen=True, slots=True)
class Answer:
    """A last line that a reader may write, and its score (natural logarithm, unnormalised)."""

    line: str
    score: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a prompt: one rationale, and its answers, best first."""

    rationale: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """One token with its log-probability and alternatives (token, log-probability), best first."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


def pieces(text: str) -> list[str]:
    """The tokens of a text; joined they are the text."""
    return PIECE.findall(text)


def probabilities(answers: Sequence[Answer], params: Params) -> list[float]:
    """The drawing probability of each answer: softmax at the temperature, then top-k and top-p.

    At temperature 0, where the best answer is drawn for sure, the probabilities are those at
    temperature 1, as servers report them.
    """
    temperature = 1.0 if params.temperature is None else params.temperature
    scale = max(temperature, 1e-3) if temperature > 0 else 1.0
    best = max(answer.score for answer in answers)
    weights = [math.exp((answer.score - best) / scale) for answer in answers]
    if temperature > 0:
        weights = _truncated(weights, params)
    total = sum(weights)
    return [weight / total for weight in weights]


def _truncated(weights: list[float], params: Params) -> list[float]:
    order = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
    keep = order[: params.top_k] if params.top_k else order
    if params.top_p is not None and params.top_p < 1:
        limit = params.top_p * sum(weights[i] for i in keep)
        mass, count = 0.0, 0
        for i in keep:
            count += 1
            mass += weights[i]
            if mass >= limit:
                break
        keep = keep[:count]
    kept = set(keep)
    return [weight if i in kept else 0.0 for i, weight in enumerate(weights)]


def draw(answers: Sequence[Answer], weights: Sequence[float], params: Params, u: float) -> int:
    """The index of the drawn answer for a uniform number; the best one at temperature 0."""
    if params.temperature == 0:
        return max(range(len(answers)), key=lambda i: (answers[i].score, -i))
    total = 0.0
    for i, weight in enumerate(weights):
        total += weight
        if u < total:
            return i
    return max(range(len(weights)), key=lambda i: (weights[i], -i))


def tokens(reading: Reading, weights: Sequence[float], chosen: int, top: int | None) -> list[Token]:
    """The whole answer as tokens; the rationale's are certain, the last line's are drawn."""
    certain = [Token(piece, 0.0, ((piece, 0.0),) if top else ()) for piece in
               pieces(reading.rationale + "\n")]  # fmt: skip
    return certain + _chain(reading.answers, weights, chosen, top)


def _chain(
    answers: Sequence[Answer], weights: Sequence[float], chosen: int, top: int | None
) -> list[Token]:
    split = [[*pieces(answer.line), ""] for answer in answers]
    alive = [i for i, weight in enumerate(weights) if weight > 0 or i == chosen]
    made: list[Token] = []
    for place, piece in enumerate(split[chosen]):
        mass: dict[str, float] = {}
        for i in alive:
            mass[split[i][place]] = mass.get(split[i][place], 0.0) + weights[i]
        total = sum(mass.values())
        alive = [i for i in alive if split[i][place] == piece]
        best = sorted(mass.items(), key=lambda pair: (-pair[1], pair[0]))[: top or 0]
        alternatives = tuple((text, _log(m / total)) for text, m in best)
        made.append(Token(piece, _log(mass[piece] / total), alternatives))
    return made


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -100.0
