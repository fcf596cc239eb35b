"""How many votes a gate still needs, and what they decide (HARDEN, section 3 and A.5.1).

A vote is a pass or no pass: refusals, malformed replies and votes that could not be had are no
pass. Stopping early never changes the outcome: it only leaves out votes that cannot.
"""

from collections.abc import Sequence
from typing import Literal

VoteRule = Literal["majority", "unanimity"]


def passes_needed(votes: int, rule: VoteRule) -> int:
    """Passes that a candidate needs among `votes`: more than half of them, or all."""
    return votes if rule == "unanimity" else votes // 2 + 1


def decided(cast: Sequence[bool], votes: int, needed: int) -> bool:
    """Whether no further vote can change the outcome."""
    passes = sum(cast)
    return passes >= needed or passes + votes - len(cast) < needed


def next_votes(cast: Sequence[bool], votes: int, needed: int, *, stopping: bool) -> range:
    """The numbers of the votes to cast next, together; empty once the outcome stands.

    With `stopping`, as many as any decision takes at least: with three votes and a majority the
    first two, then the third only if they differ; under unanimity one by one.
    """
    done = len(cast)
    if not stopping:
        return range(done, votes)
    if decided(cast, votes, needed):
        return range(done, done)
    passes = sum(cast)
    to_pass = needed - passes
    to_fail = votes - needed + 1 - (done - passes)
    return range(done, done + min(to_pass, to_fail))


def passed(cast: Sequence[bool], needed: int) -> bool:
    """The gate's outcome over the votes that were cast."""
    return sum(cast) >= needed
