"""The ContractNLI reader: finds the clauses a hypothesis is about and weighs what they say."""

import math
import re
from functools import lru_cache

from ..prompts import tagged
from ..sampling import Answer, Reading
from ..words import overlap, stems
from .contractnli_topics import TOPICS, Topic

LABELS = ("Entailment", "Contradiction", "NotMentioned")
CLAUSE = re.compile(r"(?<=[.;:])\s+|\n+")
NEGATION = re.compile(r"\b(?:not|no|neither|nor|without|never)\b")
SHARPNESS = 3.6
Evidence = tuple[float, float, float, float]


def read(prompt: str) -> Reading | None:
    """Labels for the hypothesis of a ContractNLI prompt; None where it is none."""
    contract, hypothesis = tagged(prompt, "contract"), tagged(prompt, "hypothesis")
    if contract is None or hypothesis is None:
        return None
    clauses = [clause for clause in CLAUSE.split(contract.lower()) if len(clause) >= 15]
    topic = topic_of(hypothesis)
    if topic is None:
        scores, touched = _by_overlap(clauses, hypothesis)
    else:
        evidence = weigh(clauses, topic)
        scores = [_dot(topic.entailed, evidence), _dot(topic.contradicted, evidence), 0.0]
        touched = int(evidence[1])
    sharpness = SHARPNESS / (1 + math.log1p(len(clauses)) / 5)
    answers = (
        Answer(f"Label: {label}", sharpness * score)
        for label, score in zip(LABELS, scores, strict=True)
    )
    ranked = tuple(sorted(answers, key=lambda answer: -answer.score))
    found = "Some clauses touch" if touched else "No clause touches"
    return Reading(f"I went through {len(clauses)} clauses. {found} the hypothesis.", ranked)


@lru_cache(maxsize=256)
def topic_of(hypothesis: str) -> Topic | None:
    """The topic a hypothesis asks about, by its own words."""
    lower = hypothesis.lower()
    return next((topic for topic in TOPICS if topic.asks.search(lower)), None)


def weigh(clauses: list[str], topic: Topic) -> Evidence:
    """(1, topic found, root of supporting clauses, root of denying clauses), three at most."""
    scope = [clause for clause in clauses if topic.scope.search(clause)]
    supporting = sum(topic.supports.search(clause) is not None for clause in scope)
    denying = sum(topic.denies.search(clause) is not None for clause in scope)
    return 1.0, float(bool(scope)), min(supporting, 3) ** 0.5, min(denying, 3) ** 0.5


def _dot(weights: Evidence, evidence: Evidence) -> float:
    return sum(w * e for w, e in zip(weights, evidence, strict=True))


def _by_overlap(clauses: list[str], hypothesis: str) -> tuple[list[float], int]:
    """Scores for a hypothesis of no known topic: shared words, and whether negations agree."""
    wanted = frozenset(stems(hypothesis))
    best, clause = max(
        ((overlap(wanted, frozenset(stems(text))), text) for text in clauses), default=(0.0, "")
    )
    agree = bool(NEGATION.search(clause)) == bool(NEGATION.search(hypothesis.lower()))
    link = 4.0 * best - 2.0
    return [link if agree else link - 1.5, link if not agree else link - 2.0, 0.0], int(link > 0)
