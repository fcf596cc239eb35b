"""Whether a transformation would change what a recorded rollout saw (CHASE, B.2, ranking)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..environment import Arguments, Environment

Calls = Sequence[tuple[str, Arguments]]
"""The tool calls of one recorded rollout, in the released benchmark's own names."""


def would_change(released: Environment, changed: Environment, task: str, calls: Calls) -> bool:
    """Whether some observation of the rollout would look different.

    Each call is made in both environments, its identifiers translated; calls that name nothing
    known see an error in both and tell nothing. Tools under other names change every rollout.
    """
    if released.tools() != changed.tools():
        return True
    before, after = released.session(task), changed.session(task)
    for name, arguments in calls:
        canonical = released.canonical_call(task, name, arguments)
        if canonical is None:
            continue
        old = before.call(name, arguments)
        new = after.call(*changed.presented_call(task, canonical))
        if old.text != new.text:
            return True
    return False


def activation(
    released: Environment, changed: Environment, trajectories: Mapping[str, Sequence[Calls]]
) -> Fraction:
    """The share of tasks with a recorded rollout whose observations would change."""
    if not trajectories:
        return Fraction(0)
    active = [
        task
        for task, rollouts in trajectories.items()
        if any(would_change(released, changed, task, calls) for calls in rollouts)
    ]
    return Fraction(len(active), len(trajectories))
