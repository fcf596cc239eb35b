"""Settings of the cegar search; the defaults are the paper's where it has one."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from .arms import Ablation


class TaskSource(BaseModel):
    """Tasks with samples in EvalPlus's formats. `training` is how many of its tasks, drawn by the
    seed, are the training split; the others are held out. Sources of one `name` (the task file's
    own, where it is not given) are one row of the report's table per benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: Path
    samples: tuple[Path, ...]
    checks: Path | None = None
    training: Annotated[int, Field(ge=0)] = 0
    name: str | None = None


class BundleSource(BaseModel):
    """Another domain: a folder with tasks, samples and a checker (docs/cegar-bundle.md), of whose
    tasks `training`, drawn by the seed, are the training split."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    training: Annotated[int, Field(ge=1)]


class CegarSettings(BaseModel):
    """Table `[cegar]` of a configuration (design: cegar.md, sections 1 to 4).

    Without sources or a bundle the embedded suite is used, with `candidates` seeded mutants a task.
    `split_seed` draws the splits, the run's seed where it is not given: runs that differ in their
    seed alone share their tasks through it. `pool_from` are files of finished runs on the same
    tasks: their admitted operators are merged and nothing is authored. `signatures` says which
    training samples the classes partition: those that pass the visible checks, or all raw ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[TaskSource, ...] = ()
    bundle: BundleSource | None = None
    pool_from: tuple[Path, ...] = ()
    split_seed: int | None = None
    signatures: Literal["visible", "raw"] = "visible"
    candidates: Annotated[int, Field(ge=2)] = 16
    level1_attempts: Annotated[int, Field(ge=0)] = 3
    level2_attempts: Annotated[int, Field(ge=0)] = 3
    rounds: Annotated[int, Field(ge=1)] = 8
    calls: Annotated[int, Field(ge=1)] = 60
    starting_pool: bool = True
    prompt_characters: Annotated[int, Field(ge=1000)] = 60_000
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    judge: bool = False
    """Ask the judge in its four configurations; needs a model for the role `judge`."""
    induction_level1: Annotated[int, Field(ge=0)] = 0
    induction_level2: Annotated[int, Field(ge=0)] = 0
    """Checks that verifier induction commissions at each interface."""
    induction_sample: Annotated[int, Field(ge=2)] = 40
    """Labelled programs in one of its requests, half of them wrong."""
    ablations: tuple[Ablation, ...] = ()
    """Arms of the loop with one thing changed, each with rounds and calls of its own."""
