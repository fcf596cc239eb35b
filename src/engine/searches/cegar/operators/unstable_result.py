"""Flag a candidate that answers the known inputs and fails on many changed ones."""

from typing import Any


def op(task: dict[str, Any], code: str, ctx: Any) -> str:
    """Rule: it answers every unperturbed input and fails on at least half of the perturbed ones,
    where its peers on average fail on less than a quarter.
    """
    known, changed = ctx.inputs[: ctx.unperturbed], ctx.inputs[ctx.unperturbed :][:12]
    if len(changed) < 4 or len(ctx.peers) < 3:
        return "abstain"
    if not all(seen.ok for seen in ctx.run_many(ctx.own, known)):
        return "pass"
    failures = sum(not seen.ok for seen in ctx.run_many(ctx.own, changed))
    if 2 * failures < len(changed):
        return "pass"
    others = sum(not seen.ok for peer in ctx.peers for seen in ctx.run_many(peer, changed))
    return "flag" if 4 * others < len(changed) * len(ctx.peers) else "pass"
