"""The realism rubric: its shape, its deterministic validation, and its freezing by hash
(HARDEN, A.1 and A.5.2)."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from pydantic import Field, ValidationError

from ...canonical import canonical_json
from ...errors import DataError
from ...gates.reply import Reply, Text, json_object, problems
from ...model.harden import Dimension, RedFlag, Rubric
from ...model.llm import Json
from .registry import Source, evidenced

Step = Annotated[int, Field(ge=1, le=5)]


class DimensionReply(Reply):
    """One dimension as a model or a file writes it."""

    id: Text
    name: Text
    description: Text
    high_anchor: Text
    low_anchor: Text
    met_threshold: Step
    sources: list[Text] = Field(default_factory=list)


class FlagReply(Reply):
    """One red flag as a model or a file writes it."""

    id: Text
    description: Text
    blocking: bool
    evidence: list[Text] = Field(default_factory=list)


class RubricReply(Reply):
    """A whole rubric; its reference profile travels beside it in a model's reply."""

    dimensions: Annotated[list[DimensionReply], Field(min_length=3, max_length=5)]
    red_flags: list[FlagReply]
    minimum_mean_score: Annotated[float, Field(ge=1, le=5)]


@dataclass(frozen=True, slots=True)
class FrozenRubric:
    """A rubric and its reference profile as texts with the hashes they were frozen with."""

    text: str
    sha256: str
    profile_text: str
    profile_sha256: str
    calibrated: bool

    def verified(self) -> tuple[Rubric, Json, Json]:
        """The rubric as rules, the rubric and the profile as JSON, after checking both hashes.

        Called at every use. Raises DataError where a text is no longer the one that was frozen.
        """
        for name, text, known in (
            ("rubric", self.text, self.sha256),
            ("reference profile", self.profile_text, self.profile_sha256),
        ):
            now = text_hash(text)
            if now != known:
                raise DataError(
                    f"{name}: its SHA-256 is {now[:12]}, it was frozen as {known[:12]}; a frozen "
                    "text never changes: start a new run"
                )
        return _read_rules(self.text), json_object(self.text), json_object(self.profile_text)


def text_hash(text: str) -> str:
    """SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def freeze(rubric: RubricReply, profile: Mapping[str, Json], *, calibrated: bool) -> FrozenRubric:
    """Fix a validated rubric and profile: canonical JSON and its SHA-256."""
    text, profile_text = canonical_json(rubric.model_dump()), canonical_json(dict(profile))
    hashes = text_hash(text), text_hash(profile_text)
    return FrozenRubric(text, hashes[0], profile_text, hashes[1], calibrated)


def read_rubric(value: Json, sources: Sequence[Source]) -> tuple[RubricReply | None, list[str]]:
    """A rubric, and all that is wrong with it.

    Wrong is: a missing or empty part, not 3 to 5 dimensions, thresholds off the scale 1 to 5, an
    id given twice, equal anchors; and with sources: a dimension that cites none, an unknown source
    id, a blocking flag without enough evidence. Without sources nothing can be evidenced, so those
    rules rest and the rubric counts as uncalibrated.
    """
    try:
        rubric = RubricReply.model_validate(value)
    except ValidationError as error:
        return None, problems(error)
    found = _id_problems(rubric)
    for dimension in rubric.dimensions:
        if dimension.high_anchor == dimension.low_anchor:
            found.append(f"dimension {dimension.id}: both anchors are the same")
    if sources:
        found += _citation_problems(rubric, sources)
    return rubric, found


def read_profile(value: Json, sources: Sequence[Source]) -> tuple[Mapping[str, Json], list[str]]:
    """A reference profile, and what is wrong with it: empty, or with sources but citing none."""
    if not isinstance(value, dict) or not value:
        return {}, ["reference_profile: must be a JSON object that says something"]
    text = canonical_json(value)
    if sources and not any(canonical_json(source.id) in text for source in sources):
        return value, ["reference_profile: cites no source id"]
    return value, []


def criteria_summary(rubric: Rubric) -> list[Json]:
    """What a mutation model is told of the rubric: names and descriptions, no thresholds."""
    return [{"name": d.name, "description": d.description} for d in rubric.dimensions]


@lru_cache(maxsize=8)
def _read_rules(text: str) -> Rubric:
    reply = RubricReply.model_validate(json_object(text))
    return Rubric(
        tuple(
            Dimension(**{**d.model_dump(), "sources": tuple(d.sources)}) for d in reply.dimensions
        ),
        tuple(RedFlag(f.id, f.description, f.blocking, tuple(f.evidence)) for f in reply.red_flags),
        Fraction(str(reply.minimum_mean_score)),
    )


def _id_problems(rubric: RubricReply) -> list[str]:
    ids = Counter([d.id for d in rubric.dimensions] + [f.id for f in rubric.red_flags])
    return [f"id {name} is given {n} times" for name, n in ids.items() if n > 1]


def _citation_problems(rubric: RubricReply, sources: Sequence[Source]) -> list[str]:
    known = {source.id for source in sources}
    cited = [(f"dimension {d.id}", d.sources) for d in rubric.dimensions]
    cited += [(f"red flag {f.id}", f.evidence) for f in rubric.red_flags]
    found = [
        f"{what}: cites the unknown source {name}"
        for what, names in cited
        for name in names
        if name not in known
    ]
    found += [f"dimension {d.id}: cites no source" for d in rubric.dimensions if not d.sources]
    for flag in rubric.red_flags:
        if flag.blocking and not evidenced(sources, flag.evidence):
            found.append(
                f"red flag {flag.id}: a blocking flag needs two independent families, or one "
                "benchmark family and one primary source"
            )
    return found
