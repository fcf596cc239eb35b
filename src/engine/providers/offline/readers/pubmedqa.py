"""The PubMedQA reader: weighs cue phrases of the sentences that are about the question."""

import math

from ..prompts import tagged
from ..sampling import Answer, Reading
from ..words import SENTENCE, TOKEN
from . import pubmedqa_cues as cues
from .pubmedqa_cues import CUES, Cue, Weights

LABELS = ("yes", "no", "maybe")
SHARPNESS = 6.0
PREFIX = 6
COMMON = frozenset(
    TOKEN.findall(
        "a an the of in on at to for from by with and or as is are was were be does do did can it "
        "its this that"
    )
)


def read(prompt: str) -> Reading | None:
    """Verdicts on the question of a PubMedQA prompt; None where it is none."""
    question, contexts = tagged(prompt, "question"), tagged(prompt, "contexts")
    if question is None or contexts is None:
        return None
    parts = [part for part in SENTENCE.split(contexts) if part.strip()]
    scores = weigh(question, parts)
    sharpness = SHARPNESS / (1 + math.log1p(len(parts)) / 2)
    answers = (
        Answer(f"Answer: {label}", sharpness * score)
        for label, score in zip(LABELS, scores, strict=True)
    )
    ranked = tuple(sorted(answers, key=lambda answer: -answer.score))
    return Reading(f"I weighed {len(parts)} sentences by how near they are to it.", ranked)


def weigh(question: str, parts: list[str]) -> list[float]:
    """Scores for yes, no and maybe."""
    asked = question.lower()
    lower = [part.lower() for part in parts]
    weights = _relevance(asked, lower)
    scores = list(cues.BIAS)
    for cue in CUES:
        _add(scores, cue.weights, _strength(cue, asked, lower, weights))
    negated = [cues.NEGATION.search(part) is not None for part in lower]
    positive = [
        not no and cues.POSITIVE.search(part) is not None
        for no, part in zip(negated, lower, strict=True)
    ]
    end = " ".join(lower[-2:])
    end_negated = cues.NEGATION.search(end) is not None
    _add(scores, cues.NEGATED_SHARE, 2 * _share(negated, weights))
    _add(scores, cues.POSITIVE_SHARE, 2 * _share(positive, weights))
    _add(scores, cues.END_NEGATED, float(end_negated))
    _add(scores, cues.END_POSITIVE, float(not end_negated and bool(cues.POSITIVE.search(end))))
    _add(scores, cues.LENGTH, min(len(parts), 30) / 10)
    _add(scores, cues.QUESTION_LENGTH, min(len(question), 400) / 100)
    return scores


def _relevance(question: str, parts: list[str]) -> list[float]:
    """Weight of each sentence: later ones count more, and those that share the question's words."""
    wanted = _prefixes(question)
    size = max(1, len(wanted))
    return [
        (i + 1) / len(parts) * (0.15 + len(wanted & _prefixes(part)) / size) ** 1.5
        for i, part in enumerate(parts)
    ]


def _prefixes(text: str) -> set[str]:
    words = (word for word in TOKEN.findall(text) if word.isalpha())
    return {word[:PREFIX] for word in words if word not in COMMON}


def _strength(cue: Cue, question: str, parts: list[str], weights: list[float]) -> float:
    if cue.place == "question":
        return float(cue.pattern.search(question) is not None)
    return min(2.0, 4 * _share([cue.pattern.search(p) is not None for p in parts], weights))


def _share(hits: list[bool], weights: list[float]) -> float:
    total = sum(weights)
    hit = sum(weight for weight, found in zip(weights, hits, strict=True) if found)
    return hit / total if total else 0.0


def _add(scores: list[float], weights: Weights, strength: float) -> None:
    for i, weight in enumerate(weights):
        scores[i] += weight * strength
