"""Flag a candidate that fails on an input that most of its peers answer."""

from typing import Any


def op(task: dict[str, Any], code: str, ctx: Any) -> str:
    """Rule: an exception on some input on which at least three quarters of the peers return."""
    inputs = ctx.inputs[:12]
    if not inputs or len(ctx.peers) < 3:
        return "abstain"
    own = ctx.run_many(ctx.own, inputs)
    failing = [place for place, seen in enumerate(own) if not seen.ok]
    if not failing:
        return "pass"
    asked = [inputs[place] for place in failing]
    answers = [ctx.run_many(peer, asked) for peer in ctx.peers]
    for place in range(len(asked)):
        returned = sum(answer[place].ok for answer in answers)
        if 4 * returned >= 3 * len(answers):
            return "flag"
    return "pass"
