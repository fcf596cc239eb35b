"""Settings of the harden search; the defaults are the paper's where it has one."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class HardenSettings(BaseModel):
    """Table `[harden]` of a configuration (design: harden.md, sections 1 to 4)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    generations: Annotated[int, Field(ge=1)] = 4
    offspring: Annotated[int, Field(ge=1)] = 11
    survivors: Annotated[int, Field(ge=1)] = 5
    votes: Annotated[int, Field(ge=1)] = 3
    rollouts: Annotated[int, Field(ge=1)] = 10
    waves: tuple[int, ...] | None = None
    shards: Annotated[int, Field(ge=1)] = 10
    feedback_scope: Literal["case", "shard"] = "case"
    evidence: Literal["reject", "warn", "off"] = "reject"
    realism_rule: Literal["majority", "unanimity"] = "majority"
    final_audit: bool = True
    top_logprobs: Literal["always", "greedy"] = "greedy"
    vote_stopping: bool = True
    racing: bool = True
    futility: bool = True
    repair_attempts: Annotated[int, Field(ge=0)] = 2
    corpus_limit: Annotated[int, Field(ge=1000)] = 500_000
    axes: Path | None = None
    rubric: Path | None = None
    reference_profile: Path | None = None
    sources: Path | None = None
    web_research: bool = False
    blocked_terms: tuple[str, ...] = ()
    bonus: dict[str, Fraction] = {}
