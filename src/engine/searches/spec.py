"""What the engine needs to know of a search."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..context import Context

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class SearchSpec(Generic[S]):
    """A search by name. `replay_version` is raised whenever old files no longer replay."""

    name: str
    replay_version: int
    run: Callable[[Context, S], Awaitable[None]]
