"""How fast every subset is composed, and that each is what a direct loop says.

35 operators over 428 held-out tasks and 2,592 samples (58 tasks decidable), training counts over 75
tasks and 1,425 samples; random flags, so that no two operators behave alike. Prints seconds, peak
memory and their share of the targets (3 s, 1 GB); ends with 1 if one is missed.
"""

import os
import random
import resource
import sys
import time
from fractions import Fraction

import numpy as np

from evoscope.engine.searches.cegar.chunks import TaskFlags
from evoscope.engine.searches.cegar.composition import Landscape, compose
from evoscope.engine.searches.cegar.criteria import Criteria, percentile, safety, spearman_by_size
from evoscope.engine.searches.cegar.metric import Vote, score
from evoscope.engine.stats.shuffle import FlagCount, shuffle_test

OPERATORS, SECONDS, MEMORY_MB, NULL_SECONDS = 35, 3.0, 1000, 0.2


def tasks(rng: np.random.Generator, sizes: list[int], decidable: int) -> list[TaskFlags]:
    """Tasks whose first `decidable` hold both classes; wrong samples are flagged more often."""
    made = []
    for place, size in enumerate(sizes):
        correct = rng.random(size) < 0.7
        if place < decidable:
            correct[0], correct[-1] = True, False
        else:
            correct[:] = rng.random() < 0.75
        rate = np.where(correct, 0.04, 0.18)
        made.append(TaskFlags(correct, rng.random((OPERATORS, size)) < rate))
    return made


def wrong_subsets(land: Landscape, held: list[TaskFlags], count: int) -> int:
    """How many of `count` random subsets have another Delta in a direct loop."""
    wrong = 0
    for index in random.Random(1).sample(range(len(land)), count):
        members = list(land.members(index))
        votes = [
            Vote(tuple(t.correct.tolist()), tuple((t.flags[members].sum(axis=0) >= 2).tolist()))
            for t in held
        ]
        wrong += score(votes).delta != land.delta("held out", index)
    return wrong


def main() -> int:
    """Measure, print, judge."""
    rng = np.random.default_rng(7)
    training = tasks(rng, [19] * 75, 10)
    held = tasks(rng, [7] * 24 + [6] * 404, 58)
    assert sum(len(task.correct) for task in held) == 2592
    start = time.perf_counter()
    land = compose(training, {"held out": held}, workers=min(2, os.cpu_count() or 1))
    scored = time.perf_counter() - start
    criteria = Criteria(land)
    chosen = criteria.choose()
    ranks = [percentile(land, "held out", choice.index) for choice in chosen]
    ranked = time.perf_counter() - start
    criteria.sweep()
    spearman_by_size(land, "held out")
    whole = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"subsets               {len(land):>12,}   vacuous {int(land.vacuous.sum())}")
    print(f"scored                {scored:>10.2f} s   {scored / SECONDS:.2f} of the target")
    print(f"  with C1-C8 ranked   {ranked:>10.2f} s   {ranked / SECONDS:.2f} of the target")
    print(f"  with sweep, Spearman{whole:>10.2f} s")
    print(f"peak memory           {memory:>9.0f} MB   {memory / MEMORY_MB:.2f} of the target")
    for choice, rank in zip(chosen, ranks, strict=True):
        print(f"  {choice.criterion}  k {len(choice.members)}  percentile {float(100 * rank):6.2f}")
    print(f"harmful               {safety(land, 'held out').harmful:>12,}")
    wrong = wrong_subsets(land, held, 1000)
    print(f"against a direct loop {wrong:>12,} of 1,000 differ")
    null = null_seconds(held)
    print(f"null, b = 1000        {null:>10.3f} s   {null / NULL_SECONDS:.2f} of the target")
    late = ranked > SECONDS or memory > MEMORY_MB or null > NULL_SECONDS
    return 1 if late or wrong else 0


def null_seconds(held: list[TaskFlags]) -> float:
    """One shuffle test of the first operator."""
    counts = [
        FlagCount(
            len(t.correct),
            int(t.correct.sum()),
            int(t.flags[0].sum()),
            int((t.flags[0] & t.correct).sum()),
        )
        for t in held
    ]
    start = time.perf_counter()
    test = shuffle_test(counts, seed=1)
    assert test is not None and test.p >= Fraction(1, 1001)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
