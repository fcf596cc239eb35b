"""A small harden run, made by hand so that every figure of its report can be checked by eye."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from evoscope.engine.report.harden import (
    Candidate,
    CaseFacts,
    HardenRun,
    Recipe,
    Sample,
    Scoring,
    Spend,
    Version,
)


def scoring(right: int, wrong: Sequence[str | None], logprob: float | None = -2.0) -> Scoring:
    """`right` correct samples of class "yes" and wrong ones of the given classes, 4 tokens each."""
    tokens = None if logprob is None else 4
    good = [Sample(Fraction(1), "yes", logprob, tokens)] * right
    return Scoring((*good, *(Sample(Fraction(0), cls, logprob, tokens) for cls in wrong)))


def version(node: str, chosen: Scoring, fresh: Scoring | None, nll: float | None) -> Version:
    """A version with its greedy completion of eight tokens."""
    greedy = Sample(Fraction(1), "yes", None if nll is None else -nll, 8)
    return Version(node, chosen, fresh, greedy)


EASY = version("a/0/0", scoring(10, []), scoring(9, ["no"]), 8.0)
HARD = version("a/2/1", scoring(4, ["no"] * 6), scoring(6, ["no"] * 4), 16.0)
LUCKY = version("b/1/0", scoring(7, ["no"] * 3), scoring(9, ["no"]), None)
MIDDLE = version("b/0/0", scoring(8, ["no"] * 2), scoring(8, ["no", None]), None)
SAME = version("c/0/0", scoring(9, ["no"]), scoring(10, []), 4.0)
HOPELESS = version("d/0/0", scoring(1, ["no"] * 9), scoring(0, ["no"] * 10), 12.0)

CASES = (
    CaseFacts("a", 0, "done", "hardened", "", EASY, HARD, ("noise", "units")),
    CaseFacts("b", 1, "done", "hardened", "", MIDDLE, LUCKY, ("units",)),
    CaseFacts("c", 2, "done", "kept", "", SAME, SAME),
    CaseFacts("d", 3, "done", "unimprovable", "", HOPELESS, HOPELESS),
    CaseFacts("e", 4, "done", "failed", "the original has no score: refusal"),
    CaseFacts("f", 5, "parked", "", "deadline of 900 s"),
    CaseFacts("g", 6, "open"),
)


def passing(votes: int = 2) -> dict[str, int]:
    """Votes of a candidate that both model gates passed."""
    return {"correctness": votes, "realism": votes}


ALL_PASS = {gate: "pass" for gate in ("validity", "evidence", "correctness", "realism")}
UNCLEAR = {"validity": "pass", "evidence": "pass", "correctness": "abstain"}
WRONG = {"validity": "pass", "evidence": "pass", "correctness": "fail"}

CANDIDATES = (
    Candidate("a/1/0", "a", "noise", "survivor", 1, ALL_PASS, passing(), {}, Fraction(7, 10),
              Fraction(1), 10, careless=False),
    Candidate("a/2/1", "a", "units", "promoted", 2, ALL_PASS, passing(3), {}, Fraction(4, 10),
              Fraction(7, 10), 10, greedy=True, careless=False),
    Candidate("b/1/0", "b", "units", "promoted", 1, ALL_PASS, passing(), {}, Fraction(7, 10),
              Fraction(8, 10), 10, greedy=True, careless=True),
    Candidate("b/1/1", "b", "units", "raced_out", 1, ALL_PASS, passing(), {}, Fraction(5, 10),
              Fraction(4, 10), 7, careless=False),
    Candidate("c/1/0", "c", "noise", "collapsed", 1, ALL_PASS, passing(), {}, Fraction(0),
              Fraction(9, 10), 10, careless=False),
    Candidate("c/1/1", "c", "noise", "rejected", 1, WRONG, {"correctness": 2}, {},
              careless=True),
    Candidate("c/1/2", "c", "noise", "abstained", 1, UNCLEAR, {"correctness": 3},
              {"correctness": 2}, careless=False),
    Candidate("c/1/3", "c", None, "rejected", 1, {"validity": "fail"}, {}, {}),
)  # fmt: skip

SPEND = (
    Spend("task", "reader", 100, 1, 5000, 1000, 700, Decimal("0.50"), 0),
    Spend("audit", "auditor", 20, 0, 900, None, 90, None, 20),
)


def small_run() -> HardenRun:
    """Seven cases, eight candidates, T 10, K 3, G 2, three classes."""
    return HardenRun(
        name="night",
        benchmark="pubmedqa",
        recipe=Recipe(rollouts=10, votes=3, generations=2, base=3),
        cases=CASES,
        candidates=CANDIDATES,
        spend=SPEND,
        purposes={"rollout": 80, "audit": 20, "fresh": 15, "final_audit": 5},
        searched={"a": 30, "b": 20, "c": 10},
    )


def empty_run() -> HardenRun:
    """A run that has only begun."""
    return HardenRun("dawn", "bundle", Recipe(10, 3, 4, 10), (CaseFacts("a", 0, "open"),), (), ())
