"""Arms of a run: the loop itself, and the same loop with one thing changed (the ablations).

Sources: EvalCEGAR, Table 3 and Appendix D (recall floor, level 1 only), Appendix C (target-only
acceptance, undirected), Section 6 and Appendix H (novelty, flag overlap).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .attempts import Limits

Ablation: TypeAlias = Literal[
    "recall_floor", "level_1_only", "target_only", "undirected", "novelty", "flag_overlap"
]
BASELINE = "baseline"
"""The kind of the units that the search is compared with."""
CHANGES: Mapping[Ablation, str] = {
    "recall_floor": "the gate asks for recall of missed faults",
    "level_1_only": "no escalation",
    "target_only": "the target is asked for and no longer tested",
    "undirected": "the request shows no target",
    "novelty": "an operator that repeats one of the pool is refused",
    "flag_overlap": "an operator whose flags the pool has already is refused",
}
"""What each ablation changes, as the report says it."""


@dataclass(frozen=True, slots=True)
class Arm:
    """How one loop searches; the defaults are the search itself.

    `directed`: the request shows the target's kind of fault. `targeted`: an operator has to split
    its target. `recall`: the recall floor stands in for the decision gate. `novel`, `apart`:
    the novelty term and the flag-overlap veto follow the gate.
    """

    limits: Limits
    name: Ablation | None = None
    directed: bool = True
    targeted: bool = True
    recall: bool = False
    novel: bool = False
    apart: bool = False

    @property
    def reads_all(self) -> bool:
        """Whether the gate reads more than decidable tasks, where all of Delta comes from."""
        return self.recall or self.novel or self.apart


def ablated(name: Ablation, limits: Limits) -> Arm:
    """The arm of an ablation; without escalation all attempts on a target are at level 1."""
    arm = Arm(limits, name)
    match name:
        case "recall_floor":
            return replace(arm, recall=True)
        case "level_1_only":
            return replace(arm, limits=replace(limits, level1=limits.attempts, level2=0))
        case "target_only":
            return replace(arm, targeted=False)
        case "undirected":
            return replace(arm, directed=False)
        case "novelty":
            return replace(arm, novel=True)
        case "flag_overlap":
            return replace(arm, apart=True)
