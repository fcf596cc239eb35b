"""What a harden run will ask of each role, as expected and at most: for the cost forecast."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean

from ...benchmarks.base import Case
from ...canonical import canonical_json
from ...model.llm import RolePlan
from ...prompts import load_template
from .corpus import corpus
from .search import sampled_cases
from .setup import HardenSetup

FUTILE = Fraction(3, 20)
VALID = Fraction(19, 20)
CORRECT = Fraction(13, 20)
REALISTIC = Fraction(17, 20)
NEW_PARENT = Fraction(3, 4)
AGREEING = Fraction(9, 10)
RACED = Fraction(17, 20)
HARDENED = Fraction(11, 20)
"""Shares that an expected run goes by (a guess within the paper's figures): cases too hard to
search, entries that are valid, candidates that pass correctness and realism, generations with a
new parent, first votes that agree, rollouts that racing leaves, cases that are promoted."""

CHARACTERS_PER_TOKEN = 4
ANALYSIS_OUTPUT, RUBRIC_OUTPUT, THINKING = 12_000, 8_000, 4_000
EXTRACTION_OUTPUT, AUDIT_OUTPUT, REALISM_OUTPUT, TASK_OUTPUT = 3_000, 2_000, 800, 600
"""Output tokens of a call, reasoning included; the mutation model also writes its candidates."""
MEASURED = 50
"""Prompt sizes are means over at most so many cases."""


def call_plan(setup: HardenSetup, seed: int) -> list[RolePlan]:
    """One plan per role, in the order in which a run meets them. Raises DataError, as the search
    would."""
    cases = sampled_cases(seed, setup)
    settings, n = setup.settings, len(cases)
    generations, offspring, votes, total = (
        settings.generations, settings.offspring, settings.votes, settings.rollouts,
    )  # fmt: skip
    own_axes, own_rubric = setup.axes_text is not None, setup.rubric_text is not None
    asks = settings.repair_attempts + 1
    searched = n * (1 - (FUTILE if settings.futility else 0))
    valid = searched * generations * offspring * VALID
    approved = valid * CORRECT * REALISTIC
    cast = expected_votes(votes, stopping=settings.vote_stopping)
    ended = n * HARDENED * votes if settings.final_audit else 0
    rolled = approved * total * (RACED if settings.racing else 1)
    at_most = n * generations * offspring
    size = _Sizes(setup, cases[:MEASURED], cases)
    finals = n * settings.survivors * votes if settings.final_audit else 0
    return [
        _plan("analysis", "analysis", 0 if own_axes else 1, 0 if own_axes else asks,
              size.analysis, ANALYSIS_OUTPUT),
        _plan("rubric", "analysis", 0 if own_rubric else 1, 0 if own_rubric else asks,
              size.rubric, RUBRIC_OUTPUT),
        _plan("mutation", "mutation", searched * generations, 2 * n * generations,
              size.mutation, THINKING + offspring * size.fields),
        _plan("extraction", "gates", searched * generations * NEW_PARENT,
              2 * n * (generations + 1), size.extraction, EXTRACTION_OUTPUT),
        _plan("audit", "gates", valid * cast + ended, at_most * votes + finals,
              size.audit, AUDIT_OUTPUT),
        _plan("realism", "gates", valid * CORRECT * cast, at_most * votes,
              size.realism, REALISM_OUTPUT),
        _plan("task", "task", n * (2 * total + 1) + rolled + n * HARDENED * (total + 1),
              n * (3 * total + 2) + at_most * total, size.task, TASK_OUTPUT),
    ]  # fmt: skip


def expected_votes(votes: int, *, stopping: bool) -> Fraction:
    """Votes cast per gate: all, or the least that decide, and the rest where those disagree."""
    if not stopping:
        return Fraction(votes)
    least = votes // 2 + 1
    return least * AGREEING + votes * (1 - AGREEING)


class _Sizes:
    """Mean tokens of each role's rendered prompt over `some` cases, and of a case's fields."""

    def __init__(self, setup: HardenSetup, some: Sequence[Case], cases: Sequence[Case]) -> None:
        benchmark = setup.benchmark
        fields = fmean(len(canonical_json(dict(case.fields))) for case in some)
        base, task = len(benchmark.instructions()), len(canonical_json(dict(benchmark.describe())))
        gold = fmean(len(canonical_json(dict(benchmark.gold_summary(case)))) for case in some)
        entries, _ = corpus(cases, setup.settings.corpus_limit)
        rubric, found, context = 6_000, 5_000, 14_000
        self.fields = _tokens(fields)
        self.task = _tokens(fmean(len(benchmark.prompt(case)) for case in some))
        self.analysis = _tokens(_fixed("axes") + task + len(canonical_json(entries)))
        self.rubric = _tokens(_fixed("rubric") + task + len(setup.sources_text or ""))
        self.mutation = _tokens(_fixed("mutation") + context + fields + gold)
        self.extraction = _tokens(_fixed("extraction") + base + fields + gold)
        self.audit = _tokens(_fixed("audit") + base + found + fields)
        self.realism = _tokens(_fixed("realism") + rubric + fields)


def _fixed(name: str) -> int:
    template = load_template(f"harden/{name}")
    return len(template.system or "") + len(template.user)


def _tokens(characters: float) -> int:
    return round(characters / CHARACTERS_PER_TOKEN)


def _plan(
    role: str, model_role: str, expected: Fraction | int, most: int, read: int, written: int
) -> RolePlan:
    return RolePlan(role, model_role, round(expected), most, read, written)
