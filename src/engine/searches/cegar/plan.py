"""From settings to the splits, the setup, and what a run will ask of the author."""

from collections.abc import Mapping
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
from .from_run import FromRun
from .settings import CegarSettings
from .setup import CegarSetup
from .training import electorate_of

CHARACTERS_PER_TOKEN = 4
OUTPUT = 2_500
"""Output tokens of an authoring call, reasoning included."""


def splits_of(settings: CegarSettings, seed: int) -> tuple[Split, Split]:
    """Training and held-out split, drawn by `split_seed`, else by the run's seed.

    Raises DataError where a file cannot be read or a split is empty.
    """
    training, held = _drawn(settings, seed if settings.split_seed is None else settings.split_seed)
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


def author_calls(setup: CegarSetup) -> list[RolePlan]:
    """The author's calls, as expected and at most, with the tokens of one call.

    Expected are rounds that end halfway through their attempts.
    """
    if not setup.authors:
        return []
    limits = setup.limits
    most = min(limits.calls, 2 * limits.rounds * limits.attempts)
    expected = min(limits.calls, limits.rounds * (limits.attempts + 1) // 2)
    template = load_template("cegar/author")
    fixed = len(template.system or "") + len(template.user)
    sources = sum(len(code) for codes in setup.training.samples.values() for code in codes)
    prompts = sum(len(task.prompt) for task in setup.training.tasks)
    read = fixed + min(sources, setup.settings.prompt_characters) + prompts
    return [RolePlan("author", "author", expected, most, read // CHARACTERS_PER_TOKEN, OUTPUT)]
