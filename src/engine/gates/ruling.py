"""What a gate says about one candidate."""

from dataclasses import dataclass
from typing import Literal

from ..model.llm import Json


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verdict before it is written down: by a rule, or by one vote of a model.

    `abstain` is a refusal, `error` a vote that could not be had: neither is a pass.
    """

    outcome: Literal["pass", "fail", "abstain", "error"]
    reason: str = ""
    detail: Json = None

    @property
    def passed(self) -> bool:
        """Whether the candidate gets past this verdict."""
        return self.outcome == "pass"
