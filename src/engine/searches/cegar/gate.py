"""The admission gates: on the deployed decision, and the ones it is compared with.

Sources: EvalCEGAR, Algorithm 1 line 11; Appendix D (recall floor); Appendix H (novelty, flag
overlap); Appendix I (induction).
"""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction

from ...stats.sets import jaccard
from .metric import Score
from .verdicts import Member

MIN_HELPED = 3
RECALL_FLOOR = Fraction(30, 100)
ALARM_CEILING = Fraction(2, 100)
INDUCTION_FLOOR = 3
INDUCTION_PRECISION = Fraction(1, 2)
DUPLICATE = Fraction(8, 10)
"""Jaccard's index of two flag sets from which on they are one behaviour (Figure 5)."""
SHARED_CEILING = Fraction(1, 2)
"""Ours: the paper does not print the share of flags that its veto tolerates."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether an operator is admitted, and why or why not in one line."""

    admitted: bool
    reason: str


def decision_gate(alone: Score) -> Ruling:
    """Delta > 0, at least three tasks helped, more helped than hurt; training split.

    `alone` scores the operator by itself against flagging nothing.
    """
    facts = f"helped {alone.helped}, hurt {alone.hurt}, Delta {_signed(alone.delta)}"
    if alone.helped < MIN_HELPED:
        return Ruling(False, f"{facts}: fewer than {MIN_HELPED} tasks helped")
    if alone.helped <= alone.hurt:
        return Ruling(False, f"{facts}: no more tasks helped than hurt")
    if alone.delta <= 0:
        return Ruling(False, f"{facts}: Delta is not above 0")
    return Ruling(True, facts)


def recall_gate(missed: Collection[str], covered: Collection[str], alone: Score) -> Ruling:
    """The ablation: at least 30% of the fault classes the pool misses, at most 2% false alarms.

    `missed` are the fault classes no operator of the pool flags, `covered` those this one does.
    """
    found = len(set(missed) & set(covered))
    alarms = alone.false_alarms or Fraction(0)
    facts = f"{found} of {len(missed)} missed fault classes, false alarms {float(alarms):.3f}"
    if not missed or Fraction(found, len(missed)) < RECALL_FLOOR:
        return Ruling(False, f"{facts}: recall below {float(RECALL_FLOOR)}")
    if alarms > ALARM_CEILING:
        return Ruling(False, f"{facts}: false alarms above {float(ALARM_CEILING)}")
    return Ruling(True, facts)


def novelty_gate(flagged: AbstractSet[Member], pool: Mapping[str, AbstractSet[Member]]) -> Ruling:
    """The ablation: no operator of the pool, by name, flags nearly the same samples."""
    for name, other in pool.items():
        index = jaccard(flagged, other)
        if index is not None and index >= DUPLICATE:
            return Ruling(False, f"flags what {name} flags (Jaccard {float(index):.2f})")
    return Ruling(True, f"another behaviour than {len(pool)} operators of the pool")


def overlap_gate(flagged: AbstractSet[Member], taken: AbstractSet[Member]) -> Ruling:
    """The ablation: at most half of the flags are flagged by admitted operators already."""
    shared = len(flagged & taken)
    facts = f"{shared} of {len(flagged)} flags are the pool's already"
    if flagged and Fraction(shared, len(flagged)) > SHARED_CEILING:
        return Ruling(False, f"{facts}: above {float(SHARED_CEILING)}")
    return Ruling(True, facts)


def induction_gate(alone: Score) -> Ruling:
    """The baseline's gate: at least three true positives at a precision of at least one half."""
    facts = f"{alone.caught} true positives of {alone.flags} flags"
    if alone.caught < INDUCTION_FLOOR:
        return Ruling(False, f"{facts}: fewer than {INDUCTION_FLOOR} true positives")
    if Fraction(alone.caught, alone.flags) < INDUCTION_PRECISION:
        return Ruling(False, f"{facts}: precision below {float(INDUCTION_PRECISION)}")
    return Ruling(True, facts)


def _signed(value: Fraction) -> str:
    return f"{float(value):+.4f}"
