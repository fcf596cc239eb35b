"""Flag a candidate that answers the same whatever it is given, where its peers do not."""

from typing import Any


def op(task: dict[str, Any], code: str, ctx: Any) -> str:
    """Rule: one result on every input, while at least half of the peers give two or more."""
    inputs = ctx.inputs[:12]
    if len(inputs) < 4 or len(ctx.peers) < 3:
        return "abstain"
    own = [repr(seen.value) for seen in ctx.run_many(ctx.own, inputs) if seen.ok]
    if len(own) < 4 or len(set(own)) > 1:
        return "pass"
    varied = 0
    for peer in ctx.peers:
        results = {repr(seen.value) for seen in ctx.run_many(peer, inputs) if seen.ok}
        varied += len(results) > 1
    return "flag" if 2 * varied >= len(ctx.peers) else "pass"
