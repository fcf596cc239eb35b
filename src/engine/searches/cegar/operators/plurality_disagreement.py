"""Flag a candidate that behaves otherwise than the plurality of the task's samples."""

from collections import Counter
from typing import Any


def told(observation: Any) -> str:
    """One observation as text."""
    return repr(observation.value) if observation.ok else f"! {observation.error}"


def op(task: dict[str, Any], code: str, ctx: Any) -> str:
    """Rule: the results on all inputs together differ from the most frequent results of the peers.

    Abstains where no behaviour is shared by two peers, or where two tie.
    """
    inputs = ctx.inputs[:12]
    if not inputs or len(ctx.peers) < 3:
        return "abstain"
    groups = Counter(tuple(told(seen) for seen in ctx.run_many(peer, inputs)) for peer in ctx.peers)
    ranked = groups.most_common(2)
    if ranked[0][1] < 2 or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return "abstain"
    own = tuple(told(seen) for seen in ctx.run_many(ctx.own, inputs))
    return "pass" if own == ranked[0][0] else "flag"
