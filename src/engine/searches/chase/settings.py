"""Settings of the chase search; the defaults are the paper's where it has one."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[Fraction, Field(ge=0, le=2)]
Probability = Annotated[float, Field(gt=0, lt=1)]
Method = Literal["chase", "compass", "b0"]


class ChaseSettings(BaseModel):
    """Table `[chase]` of a configuration (design: chase.md, sections 2, 6 and 7).

    `eta` is a threshold, or "theory": epsilon + gamma + the confirmation's width. The remaining
    numbers are stated assumptions of the guarantees: `rho` for compositions, `complexity` the
    searches' Rademacher complexity, `k` where B_0 is not known, `packing` (C, d) of theorem 2.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rounds: Annotated[int, Field(ge=1, le=3)] = 3
    methods: tuple[Method, ...] = ("chase", "compass", "b0")
    proposals: Annotated[int, Field(ge=1, le=32)] = 8
    rollouts_evo: Annotated[int, Field(ge=1)] = 2
    rollouts_disc: Annotated[int, Field(ge=1)] = 2
    rollouts_conf: Annotated[int, Field(ge=1)] = 5
    rollouts_cert: Annotated[int, Field(ge=1)] = 3
    epsilon: Share = Fraction("0.05")
    eta: Share | Literal["theory"] = Fraction("0.05")
    gamma: Share = Fraction("0.1")
    alpha: Probability = 0.05
    rho: Annotated[float, Field(ge=0)] = 0.0
    complexity: Annotated[float, Field(ge=0)] | None = None
    k: Annotated[int, Field(ge=1)] | None = None
    packing: tuple[float, float] | None = None
    harness: Path | None = None
    """A spec file that is H_0 instead of the generic one."""
    history_reads: Annotated[int, Field(ge=0, le=100)] = 12
