"""Flag a candidate whose result has another type than the results of most peers."""

from collections import Counter
from typing import Any


def op(task: dict[str, Any], code: str, ctx: Any) -> str:
    """Rule: on some input, over half of the peers return one type and the candidate another."""
    inputs = ctx.inputs[:6]
    if not inputs or len(ctx.peers) < 3:
        return "abstain"
    own = ctx.run_many(ctx.own, inputs)
    answers = [ctx.run_many(peer, inputs) for peer in ctx.peers]
    for place, seen in enumerate(own):
        kinds = Counter(type(answer[place].value) for answer in answers if answer[place].ok)
        if not seen.ok or not kinds:
            continue
        kind, count = kinds.most_common(1)[0]
        if 2 * count > len(answers) and type(seen.value) is not kind:
            return "flag"
    return "pass"
