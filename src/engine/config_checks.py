"""What one key of a configuration says about another: checks that no single field can make."""

import re
from collections.abc import Iterator
from pathlib import Path

from .config import BenchmarkSettings, ModelSettings, ProviderSettings, RunConfig

ROLES = {
    "harden": ("task", "analysis", "mutation", "gates"),
    "chase": ("agent", "proposer", "challenger"),
    "cegar": ("author",),
}
"""The roles that `[models]` must define, by search."""

OPTIONAL_ROLES = {"cegar": ("judge",)}
"""Roles that a setting asks for, by search."""

AGENT_BENCHMARKS = frozenset({"corpus_qa", "syn_ledger"})
"""Benchmarks that an agent works in: chase's, and no other search's."""

CORPUS_KEYS = ("documents", "splits", "scorer", "tolerance", "release", "release_documents")
"""Keys of `[benchmark]` that corpus QA alone has."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Finding = tuple[tuple[str, ...], str | None, str]
"""Key path, value as text (None: not shown), message."""


def cross_checks(config: RunConfig) -> Iterator[Finding]:
    """Everything wrong with a configuration whose single fields are all valid."""
    if config.name is not None and not is_run_name(config.name):
        yield ("name",), repr(config.name), "use letters, digits, '.', '_' and '-', at most 100"
    yield from _check_models(config)
    for name, provider in config.providers.items():
        yield from _check_provider(name, provider)
    yield from _check_files(config)
    yield from _check_benchmark(config)
    yield from _check_harden(config)
    if config.cegar.bundle and config.cegar.sources:
        yield ("cegar", "bundle"), None, "there are cegar.sources too; keep one of them"
    if not config.cegar.level1_attempts + config.cegar.level2_attempts:
        told = "no attempt at either level; allow some at one of them"
        yield ("cegar", "level1_attempts"), "0", told


def is_run_name(name: str) -> bool:
    """Whether a run may be called so: its file's name is made of it."""
    return _NAME.fullmatch(name) is not None


def _check_models(config: RunConfig) -> Iterator[Finding]:
    roles, optional = ROLES[config.search], OPTIONAL_ROLES.get(config.search, ())
    own = config.cegar
    compared = own.ablations or own.induction_level1 or own.induction_level2
    merging = config.search == "cegar" and bool(own.pool_from) and not compared
    for role in (*roles, *optional):
        wanted = not merging if role in roles else config.cegar.judge
        if role not in config.models and wanted:
            yield ("models", role), None, f"missing; say which model plays the role {role}"
    for role, settings in config.models.items():
        if role not in (*roles, *optional):
            known = ", ".join((*roles, *optional))
            yield ("models", role), None, f"unknown role; the roles are {known}"
        yield from _check_model(("models", role), settings, config)


def _check_model(
    at: tuple[str, ...], settings: ModelSettings, config: RunConfig
) -> Iterator[Finding]:
    provider = config.providers.get(settings.provider)
    if provider is None:
        known = ", ".join(config.providers) or "none"
        message = f"no such provider; [providers] defines {known}"
        yield (*at, "provider"), repr(settings.provider), message
    elif settings.route is not None and provider.dialect != "openrouter":
        yield (*at, "route"), None, "a route can be pinned with the dialect openrouter only"


def _check_provider(name: str, provider: ProviderSettings) -> Iterator[Finding]:
    at = ("providers", name)
    if provider.key_env is not None and not _VARIABLE.fullmatch(provider.key_env):
        yield (
            (*at, "key_env"),
            None,
            "must be the name of an environment variable, never a key itself",
        )
    if provider.base_url is None:
        return
    scheme, _, rest = provider.base_url.partition("://")
    if scheme not in ("http", "https") or not rest:
        yield (*at, "base_url"), None, "must start with http:// or https://"
    elif "@" in rest.partition("/")[0]:
        yield (*at, "base_url"), None, "must not hold a password; use key_env"


def _check_files(config: RunConfig) -> Iterator[Finding]:
    harden = config.harden
    paths: dict[tuple[str, ...], Path | None] = {
        ("benchmark", "path"): config.benchmark.path,
        ("benchmark", "documents"): config.benchmark.documents,
        ("benchmark", "release"): config.benchmark.release,
        ("benchmark", "release_documents"): config.benchmark.release_documents,
        ("harden", "axes"): harden.axes,
        ("harden", "rubric"): harden.rubric,
        ("harden", "reference_profile"): harden.reference_profile,
        ("harden", "sources"): harden.sources,
        ("chase", "harness"): config.chase.harness,
    }
    for number, source in enumerate(config.cegar.sources):
        at = f"sources[{number}]"
        paths |= {("cegar", at, "tasks"): source.tasks, ("cegar", at, "checks"): source.checks}
        paths |= {("cegar", at, f"samples[{k}]"): path for k, path in enumerate(source.samples)}
    if config.cegar.bundle is not None:
        paths[("cegar", "bundle", "path")] = config.cegar.bundle.path
    paths |= {("cegar", f"pool_from[{n}]"): p for n, p in enumerate(config.cegar.pool_from)}
    for key, path in paths.items():
        if path is not None and not path.exists():
            yield key, repr(str(path)), "no such file"


def _check_benchmark(config: RunConfig) -> Iterator[Finding]:
    own = config.benchmark
    kind, agents = own.kind, own.kind in AGENT_BENCHMARKS
    if (kind == "code") != (config.search == "cegar"):
        fitting = (
            "code"
            if config.search == "cegar"
            else f"cases, {' or '.join(sorted(AGENT_BENCHMARKS))}"
        )
        yield ("benchmark", "kind"), repr(kind), f"{config.search} needs another kind: {fitting}"
    elif agents != (config.search == "chase"):
        fitting = ", ".join(sorted(AGENT_BENCHMARKS)) if config.search == "chase" else "cases"
        yield ("benchmark", "kind"), repr(kind), f"{config.search} needs another kind: {fitting}"
    elif kind in ("syn_ledger", "code") and (own.path or own.sample):
        yield ("benchmark", "path"), None, f"{kind} takes neither path nor sample"
    yield from _check_corpus(config)


def _check_corpus(config: RunConfig) -> Iterator[Finding]:
    own = config.benchmark
    if own.kind != "corpus_qa":
        for name in CORPUS_KEYS:
            if getattr(own, name) != BenchmarkSettings.model_fields[name].default:
                yield ("benchmark", name), None, f"only corpus_qa has it, {own.kind} has not"
        return
    if (own.path is None) != (own.documents is None):
        missing = "path" if own.path is None else "documents"
        message = "corpus_qa needs a question file and documents; give both, or neither"
        yield ("benchmark", missing), None, message
    if own.release is None and own.release_documents is not None:
        yield ("benchmark", "release"), None, "missing; release_documents are of its questions"
    if own.sample is not None:
        yield ("benchmark", "sample"), str(own.sample), "corpus_qa takes all its questions"
    if "b0" in config.chase.methods:
        message = 'no B_0 is known of corpus_qa; write methods = ["chase", "compass"]'
        yield ("chase", "methods"), None, message


def _check_harden(config: RunConfig) -> Iterator[Finding]:
    waves = config.harden.waves
    if waves is None:
        return
    if min(waves, default=0) < 1 or sum(waves) != config.harden.rollouts:
        message = f"must be positive and add up to harden.rollouts ({config.harden.rollouts})"
        yield ("harden", "waves"), str(list(waves)), message
