"""From settings to the splits, the setup, and what a run will ask of the author."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...benchmarks.code_tasks.sources import (
    Files,
    Split,
    bundle_splits,
    evalplus_splits,
    own_splits,
)
from ...errors import DataError
from ...model.llm import RolePlan
from ...prompts import load_template
from ..harden.setup import Profile
from .authoring import ASKS
from .from_run import FromRun
from .inputs import key
from .judging import Form, Judge, judges_of
from .settings import CegarSettings
from .setup import CegarSetup
from .training import electorate_of

CHARACTERS_PER_TOKEN = 4
OUTPUT = 2_500
"""Output tokens of an authoring call, reasoning included."""
JUDGE_OUTPUT: Mapping[Form, int] = {"word": 5, "reason": 300}


def splits_of(settings: CegarSettings, seed: int) -> tuple[Split, Split]:
    """Training and held-out split, drawn by `split_seed`, else by the run's seed.

    Raises DataError where a file cannot be read, a split is empty, or a task stands in two sources:
    it could be on both sides.
    """
    training, held = _drawn(settings, seed if settings.split_seed is None else settings.split_seed)
    seen = Counter(task.id for task in (*training.tasks, *held.tasks))
    twice = next((name for name, count in seen.items() if count > 1), None)
    if twice is not None:
        raise DataError(f"cegar.sources: task {twice!r} is there twice; name each task file once")
    return replace(training, everything=settings.signatures == "raw"), held


def _drawn(settings: CegarSettings, seed: int) -> tuple[Split, Split]:
    if settings.bundle and settings.sources:
        raise DataError("cegar.bundle: there are cegar.sources too; keep one of them")
    if settings.bundle:
        return bundle_splits(settings.bundle.path, settings.bundle.training, seed)
    if not settings.sources:
        return own_splits(settings.candidates, seed)
    files = [Files(s.tasks, s.samples, s.checks, s.training, s.name) for s in settings.sources]
    return evalplus_splits(files, seed)


def setup_of(
    training: Split,
    settings: CegarSettings,
    profiles: Mapping[str, Profile],
    runs: tuple[FromRun, ...] = (),
) -> CegarSetup:
    """The search's setup. Raises DataError where a run to be merged had other training tasks."""
    electorate = electorate_of(training)
    for run in runs:
        if run.electorate != electorate:
            raise DataError(
                f"cegar.pool_from: {run.name} was searched on other training candidates; give "
                "it and this configuration the same tasks, samples and split_seed"
            )
    return CegarSetup(training, settings, profiles, runs)


def suites_hash(split: Split) -> str:
    """What labels rest on besides the electorate: references, hidden suites, a bundle's checker."""
    told = [
        [t.id, t.reference, key([t.base, t.plus]), repr(t.atol), dict(t.fields)]
        for t in split.tasks
    ]  # fmt: skip
    checker = "" if split.checker is None else split.checker.checker
    return hashlib.sha256(json.dumps([told, checker], sort_keys=True).encode()).hexdigest()


def author_calls(setup: CegarSetup) -> list[RolePlan]:
    """The author's calls, as expected and at most, with the tokens of one call.

    Expected are rounds that end halfway through their attempts. Every ablation is a loop of its
    own; a check of induction is one call, two where its reply is malformed.
    """
    if not setup.authors:
        return []
    limits, settings = setup.limits, setup.settings
    loops = len(settings.ablations) + (not setup.runs)
    checks = settings.induction_level1 + settings.induction_level2
    most = loops * min(limits.calls, 2 * limits.rounds * limits.attempts) + ASKS * checks
    expected = loops * min(limits.calls, limits.rounds * (limits.attempts + 1) // 2) + checks
    template = load_template("cegar/author")
    fixed = len(template.system or "") + len(template.user)
    sources = sum(len(code) for codes in setup.training.samples.values() for code in codes)
    prompts = sum(len(task.prompt) for task in setup.training.tasks)
    read = fixed + min(sources, settings.prompt_characters) + prompts
    return [RolePlan("author", "author", expected, most, read // CHARACTERS_PER_TOKEN, OUTPUT)]


def judge_calls(setup: CegarSetup, held: Split) -> list[RolePlan]:
    """The judge's calls by configuration: every distinct candidate, as if all passed their visible
    checks. Those on held-out candidates, which `evoscope score` asks, have rows of their own."""
    if not setup.settings.judge:
        return []
    judges = judges_of(setup.profiles)
    return [
        *_judged("judge", judges, setup.training),
        *_judged("judge on held-out tasks", judges, held),
    ]


def _judged(role: str, judges: Sequence[Judge], split: Split) -> list[RolePlan]:
    pairs = {(task.id, code) for task in split.tasks for code in split.samples[task.id]}
    prompts = {task.id: len(task.prompt) for task in split.tasks}
    read = sum(prompts[task] + len(code) for task, code in pairs) // max(1, len(pairs))
    plans = []
    for judge in judges:
        template = load_template(f"cegar/judge_{judge.form}")
        tokens = (len(template.system or "") + read) // CHARACTERS_PER_TOKEN
        said = JUDGE_OUTPUT[judge.form]
        plans.append(RolePlan(role, judge.role, len(pairs), len(pairs), tokens, said))
    return plans
