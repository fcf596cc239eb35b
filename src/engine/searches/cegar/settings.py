"""Settings of the cegar search; the defaults are the paper's where it has one."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class TaskSource(BaseModel):
    """Tasks with samples in EvalPlus's formats. `training` is how many of its tasks, drawn by the
    seed, are the training split; the others are held out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: Path
    samples: tuple[Path, ...]
    checks: Path | None = None
    training: Annotated[int, Field(ge=0)] = 0


class CegarSettings(BaseModel):
    """Table `[cegar]` of a configuration (design: cegar.md, sections 1 to 4).

    Without sources the embedded suite is used, with `candidates` seeded mutants a task.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[TaskSource, ...] = ()
    candidates: Annotated[int, Field(ge=2)] = 16
    level1_attempts: Annotated[int, Field(ge=0)] = 3
    level2_attempts: Annotated[int, Field(ge=0)] = 3
    rounds: Annotated[int, Field(ge=1)] = 8
    calls: Annotated[int, Field(ge=1)] = 60
    starting_pool: bool = True
    prompt_characters: Annotated[int, Field(ge=1000)] = 60_000
    workers: Annotated[int, Field(ge=1, le=64)] = 2
