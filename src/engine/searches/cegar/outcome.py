"""How a round on one target ended, as its unit's result."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...model.llm import Json
from .authoring import Tried
from .bench import Operator


@dataclass(frozen=True, slots=True)
class RoundResult:
    """One target: what it was, how many calls it took, and what came of it.

    `ended` is admitted, abandoned, separated, insufficient or incomplete; `attempts` counts those
    made on the last target; `spot` has the members of a class that was given up.
    """

    ended: str
    calls: int
    target: str | None = None
    fault: str = ""
    admitted: Operator | None = None
    failures: tuple[Tried, ...] = ()
    spot: Mapping[str, Json] | None = None

    def as_json(self) -> dict[str, Json]:
        """The result as a unit keeps it."""
        return {
            "ended": self.ended,
            "calls": self.calls,
            "target": self.target,
            "fault": self.fault,
            "admitted": None if self.admitted is None else asdict(self.admitted),
            "failures": [asdict(one) for one in self.failures],
            "spot": None if self.spot is None else dict(self.spot),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "RoundResult":
        """The result that `as_json` gave."""
        admitted = value["admitted"]
        return cls(
            value["ended"],
            value["calls"],
            value["target"],
            value["fault"],
            None if admitted is None else Operator(**admitted),
            tuple(Tried(**one) for one in value["failures"]),
            value["spot"],
        )
