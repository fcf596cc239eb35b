"""Outcomes of running code as recorded facts: many cells in one row (table `matrix`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .llm import Json

UNSAFE = "unsafe_no_sandbox"
"""The key under which a run's file says 1 where a person has typed --unsafe-no-sandbox."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where outcomes belong; unique in the file. `node` is an operator or what labels are of,
    `electorate` the pinned order of candidates, `shard` the number of this part of it."""

    node: str
    electorate: str
    shard: int

    @property
    def key(self) -> str:
        """The place as one string."""
        return f"{self.node}|{self.electorate}|{self.shard}"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Two bits a cell as the search packs them, and what is said of single cells: why one
    abstained, which were near a limit."""

    planes: bytes
    reasons: Mapping[str, Json] = field(default_factory=dict)
