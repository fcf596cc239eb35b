"""The validity firewall: seven executable checks, and whether anything changed (CHASE, B.3).

A transformation is valid where all seven hold. What a proposal claims about itself is never read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...errors import DataError
from ...model.llm import Json
from ..environment import Environment, Snapshot
from .composition import Transform

CHECKS = ("task", "information", "access", "scoring", "declared", "independence", "replay")
SHUFFLES = (1, 2)


@dataclass(frozen=True, slots=True)
class Ruling:
    """The seven verdicts, the activity flag, and the share of fixtures that changed.

    `after` holds the fixtures' outputs under the transformation, for the record.
    """

    task: bool
    information: bool
    access: bool
    scoring: bool
    declared: bool
    independence: bool
    replay: bool
    active: bool
    change: Fraction
    after: Mapping[str, Json]
    problem: str | None = None
    """What the transformation, or reading what it left, raised."""

    @property
    def valid(self) -> bool:
        """All seven checks hold; the identity does, too."""
        return not self.failed

    @property
    def admissible(self) -> bool:
        """Valid, and it changes at least one fixture."""
        return self.valid and self.active

    @property
    def failed(self) -> tuple[str, ...]:
        """The checks that do not hold, in order."""
        return tuple(name for name in CHECKS if not getattr(self, name))


def examine(transform: Transform, env: Environment) -> Ruling:
    """Judge a transformation on the released environment; no model is asked.

    A transformation that raises fails every check.
    """
    try:
        return _examined(transform, env)
    except (DataError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        problem = f"{type(error).__name__}: {error}"
        nothing: Mapping[str, Json] = {}
        return Ruling(
            *(False,) * 7, active=False, change=Fraction(0), after=nothing, problem=problem
        )


def _examined(transform: Transform, env: Environment) -> Ruling:
    changed = transform.apply(env)
    before, after = env.snapshot(), changed.snapshot()
    different = [name for name in before.outputs if before.outputs[name] != after.outputs.get(name)]
    return Ruling(
        task=after.tasks == before.tasks,
        information=_same_information(before, after),
        access=after.access == before.access,
        scoring=after.scoring == before.scoring,
        declared=_declared(transform, env, changed),
        independence=_independent(transform, env, changed),
        replay=_replays(transform, env, changed),
        active=bool(different),
        change=Fraction(len(different), len(before.outputs) or 1),
        after=after.outputs,
    )


def _same_information(before: Snapshot, after: Snapshot) -> bool:
    return after.information == before.information and after.restored == before.restored


def _declared(transform: Transform, env: Environment, changed: Environment) -> bool:
    """Allow-listed, nothing but the protocol differs, and of it only what is declared."""
    inside = env.changed_features(changed.protocol) <= transform.declared
    return transform.listed and inside and changed.rest() == env.rest()


def _independent(transform: Transform, env: Environment, changed: Environment) -> bool:
    """Blank and shuffled questions, answers and splits give the same protocol."""
    return all(
        transform.apply(env.without_tasks(seed)).protocol == changed.protocol
        for seed in (None, *SHUFFLES)
    )


def _replays(transform: Transform, env: Environment, changed: Environment) -> bool:
    """Applied again it gives the same, and undone it leaves the original.

    Undoing starts from the transformed environment, so whatever that lost outside its protocol
    stays lost; what agents see is undone output by output, under `restored`.
    """
    again = transform.apply(env)
    undone = changed.with_protocol(env.protocol)
    return _same(again, changed) and _same(undone, env)


def _same(a: Environment, b: Environment) -> bool:
    return type(a) is type(b) and a.protocol == b.protocol and a.rest() == b.rest()
