"""Realism: each member's pass is recomputed from the frozen rubric (HARDEN, A.5.6)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..errors import MalformedReply
from ..model.harden import Rubric
from .reply import Reply, json_object, shaped
from .ruling import Ruling

SCALE = range(1, 6)


class RealismReply(Reply):
    """One realism audit. The model's own `pass` and the rationale are kept, never obeyed."""

    scores: dict[str, object]
    red_flags: list[str]


def judge_realism(text: str, rubric: Rubric) -> Ruling:
    """One member's verdict on a candidate, recomputed from its scores and flags.

    Passes where every dimension has an integer score of the scale, the mean reaches the rubric's
    minimum, each score its dimension's threshold, and no blocking flag is raised. Scores and flags
    that the rubric does not define count for nothing; malformed replies fail.
    """
    try:
        value = json_object(text)
        reply = shaped(RealismReply, value)
    except MalformedReply as error:
        return Ruling("fail", f"malformed: {error}")
    scores = integer_scores(rubric, reply.scores)
    if isinstance(scores, str):
        return Ruling("fail", scores, value)
    problem = score_problem(rubric, scores) or flag_problem(rubric, reply.red_flags)
    mean = f"mean {float(mean_score(scores)):.2f}"
    return Ruling("fail" if problem else "pass", problem or mean, value)


def integer_scores(rubric: Rubric, scores: Mapping[str, object]) -> list[int] | str:
    """The score of each dimension in the rubric's order, or what is wrong with one of them."""
    found: list[int] = []
    for dimension in rubric.dimensions:
        score = scores.get(dimension.id)
        if type(score) is not int or score not in SCALE:
            return f"{dimension.id}: no integer score from 1 to 5"
        found.append(score)
    return found


def mean_score(scores: Sequence[int]) -> Fraction:
    """The exact mean of a member's scores."""
    return Fraction(sum(scores), len(scores))


def score_problem(rubric: Rubric, scores: Sequence[int]) -> str | None:
    """Why these scores fail the rubric; None if they pass."""
    mean = mean_score(scores)
    if mean < rubric.minimum_mean_score:
        return f"mean {float(mean):.2f} is below {float(rubric.minimum_mean_score):.2f}"
    for dimension, score in zip(rubric.dimensions, scores, strict=True):
        if score < dimension.met_threshold:
            return f"{dimension.id}: {score} is below its threshold {dimension.met_threshold}"
    return None


def flag_problem(rubric: Rubric, raised: Sequence[str]) -> str | None:
    """The first blocking flag that was raised; None if there is none."""
    blocking = {flag.id for flag in rubric.red_flags if flag.blocking}
    return next((f"blocking flag {flag}" for flag in raised if flag in blocking), None)
