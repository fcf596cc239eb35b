"""Operators that run the candidate beside its peers: agreement, in many measures of it."""

import random
from collections.abc import Sequence

Made = tuple[str, str, str]
HEAD = '''"""{rationale}"""

from collections import Counter


def told(seen):
    """One observation as text."""
    return {told}

'''
VIEWS = (
    ("values", 'repr(seen.value) if seen.ok else "! " + str(seen.error)'),
    ("values_or_failure", 'repr(seen.value) if seen.ok else "!"'),
    ("types", 'type(seen.value).__name__ if seen.ok else "!"'),
    ("failures", '"" if seen.ok else "!"'),
    ("sizes", 'str(len(repr(seen.value))) if seen.ok else "!"'),
)
EACH = '''
def op(task, code, ctx):
    """Per input, whether most peers agree with each other and not with the candidate."""
    inputs = ctx.inputs[{start}:{stop}]
    if not inputs or len(ctx.peers) < 3:
        return "abstain"
    own = [told(seen) for seen in ctx.run_many(ctx.own, inputs)]
    others = [[told(seen) for seen in ctx.run_many(peer, inputs)] for peer in ctx.peers]
    strange = 0
    for place, mine in enumerate(own):
        answers = Counter(other[place] for other in others)
        best, count = answers.most_common(1)[0]
        if {share_num} * len(others) < {share_den} * count and mine != best:
            strange += 1
    return "flag" if strange >= {least} else "pass"
'''
WHOLE = '''
def op(task, code, ctx):
    """Whether a larger group of peers behaves alike on all inputs, and otherwise."""
    inputs = ctx.inputs[{start}:{stop}]
    if not inputs or len(ctx.peers) < 3:
        return "abstain"
    own = tuple(told(seen) for seen in ctx.run_many(ctx.own, inputs))
    groups = Counter(
        tuple(told(seen) for seen in ctx.run_many(peer, inputs)) for peer in ctx.peers
    )
    mine = groups[own] + 1
    best = max(groups.values())
    return "flag" if best >= {factor} * mine else "pass"
'''
AGAIN = '''
def op(task, code, ctx):
    """Whether a second run of the same inputs tells something else."""
    inputs = ctx.inputs[{start}:{stop}]
    if not inputs:
        return "abstain"
    first = [told(seen) for seen in ctx.run_many(ctx.own, inputs)]
    again = [told(seen) for seen in ctx.run_many(ctx.own, inputs)]
    return "flag" if first != again else "pass"
'''


def level2(rng: random.Random, names: Sequence[str]) -> Made:
    """One operator of the wide interface: its name, why, and its source."""
    view, told = rng.choices(VIEWS, weights=(4, 2, 1, 1, 1))[0]
    start, stop = rng.choice(((0, 4), (0, 12), (0, 32), (4, 32), (0, 24)))
    kind = rng.choice(("each", "each", "each", "each", "whole", "whole", "whole", "again"))
    if kind == "each":
        num, den = rng.choice(((1, 2), (2, 3), (3, 4), (1, 3)))
        body = EACH.format(
            start=start, stop=stop, share_num=num, share_den=den, least=rng.choice((1, 1, 2, 3))
        )
        name, why = (
            f"minority_{view}",
            f"Wrong programs differ from most peers in {view} somewhere.",
        )
    elif kind == "whole":
        body = WHOLE.format(start=start, stop=stop, factor=rng.choice((1, 2, 2, 3)))
        name, why = f"small_group_{view}", f"Wrong programs share their {view} with few peers."
    else:
        body = AGAIN.format(start=start, stop=stop)
        name, why = f"unsteady_{view}", "Wrong programs keep state between runs."
    return name, why, HEAD.format(rationale=why, told=told) + body
