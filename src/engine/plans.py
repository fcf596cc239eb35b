"""From a configuration to the search it names, with everything that a replay depends on."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ..resources import resource_dir
from .benchmarks.agents import AgentBenchmark, corpus_qa, syn_ledger
from .benchmarks.base import Benchmark
from .benchmarks.load import load, samples
from .canonical import canonical_json, sha256
from .config import ModelSettings, RunConfig
from .context import Context
from .errors import ConfigError, DataError
from .merging import pin_of, runs_to_merge
from .model.chase import Harness
from .model.llm import Params, RolePlan, Route
from .prompts import template_hash
from .searches.cegar.plan import author_calls, judge_calls, setup_of, splits_of, suites_hash
from .searches.cegar.search import CEGAR
from .searches.cegar.search import check as check_cegar
from .searches.cegar.setup import CegarSetup
from .searches.cegar.training import electorate_of
from .searches.chase.gate import Observed
from .searches.chase.plan import chase_calls
from .searches.chase.search import CHASE, check
from .searches.chase.setup import ChaseSetup
from .searches.harden.plan import call_plan as harden_calls
from .searches.harden.search import HARDEN, sampled_cases
from .searches.harden.setup import HardenSetup, Profile

PROFILE_FIELDS = (
    "temperature",
    "top_p",
    "top_k",
    "presence_penalty",
    "repetition_penalty",
    "seed",
    "max_tokens",
    "reasoning",
    "effort",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A search ready to run. `pins` are what must be equal at every resume, by name; `offline`
    says of merged runs whether models of ours stand behind one of them."""

    search: Callable[[Context], Awaitable[None]]
    total: int
    unit_kind: str
    pins: Mapping[str, str]
    offline: bool | None = None


def plan_run(config: RunConfig) -> Plan:
    """Load what the configuration names. Raises ConfigError or DataError."""
    plans = {"chase": _plan_chase, "cegar": _plan_cegar, "harden": _plan_harden}
    return plans[config.search](config)


def calls_of(config: RunConfig) -> list[RolePlan]:
    """What a run will ask of each role. Raises ConfigError or DataError."""
    if config.search == "chase":
        return chase_calls(chase_setup(config))
    if config.search == "cegar":
        setup = cegar_setup(config)
        _, held = splits_of(config.cegar, config.seed)
        return [*author_calls(setup), *judge_calls(setup, held)]
    benchmark = load(config.benchmark.kind, config.benchmark.path)
    return harden_calls(harden_setup(config, benchmark), config.seed)


def _plan_chase(config: RunConfig) -> Plan:
    benchmark = agent_benchmark(config)
    setup = _chase_setup(config, benchmark)
    check(setup)
    pins = {
        "prompts": prompts_hash(CHASE.name, config.benchmark.kind),
        "cases": benchmark.pin,
        "harness": sha256(canonical_json(setup.first.plain()).encode()),
        "replay": f"{CHASE.name} {CHASE.replay_version}",
    }
    rounds = config.chase.rounds * len(config.chase.methods)
    return Plan(lambda context: CHASE.run(context, setup), rounds, "round", pins)


def _plan_cegar(config: RunConfig) -> Plan:
    setup = cegar_setup(config)
    check_cegar(setup)
    pins = {
        "prompts": prompts_hash(CEGAR.name, config.benchmark.kind),
        "cases": electorate_of(setup.training),
        "suites": suites_hash(setup.training),
        "replay": f"{CEGAR.name} {CEGAR.replay_version}",
    }
    if setup.runs:
        pins["pool"] = pin_of(setup.runs)
    operators = sum(len(run.operators) for run in setup.runs)
    total = operators if setup.runs else config.cegar.rounds
    offline = any(run.offline for run in setup.runs) if setup.runs else None
    return Plan(lambda context: CEGAR.run(context, setup), total, "target", pins, offline)


def cegar_setup(config: RunConfig) -> CegarSetup:
    """The cegar search's setup; the held-out split is not in it. Raises DataError."""
    training, _ = splits_of(config.cegar, config.seed)
    return setup_of(training, config.cegar, profiles(config), runs_to_merge(config.cegar.pool_from))


def agent_benchmark(config: RunConfig) -> AgentBenchmark:
    """The benchmark that a chase configuration names. Raises DataError."""
    own = config.benchmark
    if own.kind == "syn_ledger":
        return syn_ledger(own.seed)
    return corpus_qa(
        own.path, own.documents, seed=own.seed, rounds=config.chase.rounds, splits=own.splits,
        scorer=own.scorer, tolerance=own.tolerance, release=own.release,
        release_documents=own.release_documents,
    )  # fmt: skip


def chase_setup(config: RunConfig) -> ChaseSetup:
    """The chase search's setup on the benchmark that the configuration names."""
    return _chase_setup(config, agent_benchmark(config))


def _chase_setup(config: RunConfig, benchmark: AgentBenchmark) -> ChaseSetup:
    return ChaseSetup(
        released=benchmark.released,
        operators=benchmark.operators,
        settings=config.chase,
        profiles=profiles(config),
        neutral=benchmark.neutral,
        release=benchmark.release,
        first=first_harness(config.chase.harness),
        observed=tuple(Observed(*one) for one in benchmark.observed),
    )


def first_harness(path: Path | None) -> Harness:
    """H_0: the spec in a file, else the generic one. Raises ConfigError that names the field."""
    text = _read(path, "chase.harness")
    if text is None:
        return Harness()
    try:
        return Harness.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigError(f"chase.harness = {path}: {where}: {first['msg']}") from None


def _plan_harden(config: RunConfig) -> Plan:
    benchmark = load(config.benchmark.kind, config.benchmark.path)
    setup = harden_setup(config, benchmark)
    cases = sampled_cases(config.seed, setup)
    pins = {
        "prompts": prompts_hash(HARDEN.name, config.benchmark.kind),
        "cases": files_hash(config.benchmark.path or samples(config.benchmark.kind)),
        "replay": f"{HARDEN.name} {HARDEN.replay_version}",
        **user_texts(setup),
    }
    return Plan(lambda context: HARDEN.run(context, setup), len(cases), "case", pins)


def prompts_hash(search: str, kind: str) -> str:
    """SHA-256 over the templates that a run uses: its search's, and its benchmark's task prompt.

    Prompts of other searches may come and go without an older run refusing to go on.
    """
    task = resource_dir("prompts").joinpath("task", f"{kind}.md")
    text = task.read_bytes().replace(b"\r\n", b"\n") if task.is_file() else b""
    return sha256(template_hash(search).encode() + text)


def harden_setup(config: RunConfig, benchmark: Benchmark) -> HardenSetup:
    """The harden search's setup; reads the user's own axis, rubric and source files."""
    settings = config.harden
    return HardenSetup(
        benchmark=benchmark,
        settings=settings,
        profiles=profiles(config),
        sample=config.benchmark.sample,
        axes_text=_read(settings.axes, "harden.axes"),
        rubric_text=_read(settings.rubric, "harden.rubric"),
        profile_text=_read(settings.reference_profile, "harden.reference_profile"),
        sources_text=_read(settings.sources, "harden.sources"),
    )


def profiles(config: RunConfig) -> dict[str, Profile]:
    """Each role's model with its sampling profile."""
    return {role: _profile(model) for role, model in config.models.items()}


def _profile(settings: ModelSettings) -> Profile:
    params = Params(**{name: getattr(settings, name) for name in PROFILE_FIELDS})
    pinned = settings.route
    route = None if pinned is None else Route(pinned.providers, pinned.quantizations)
    return Profile(settings.provider, settings.model, params, route)


def user_texts(setup: HardenSetup) -> dict[str, str]:
    """Hashes of the user's own files, by name."""
    texts = {
        "axes": setup.axes_text,
        "rubric": setup.rubric_text,
        "reference_profile": setup.profile_text,
        "sources": setup.sources_text,
    }
    return {name: sha256(text.encode()) for name, text in texts.items() if text is not None}


def files_hash(path: Path) -> str:
    """SHA-256 over a file, or over all files of a folder with their names."""
    total = hashlib.sha256()
    try:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(f"{file.relative_to(path)}\0".encode() + file.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror})") from None
    return total.hexdigest()


def _read(path: Path | None, key: str) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{key} = {path}: cannot be read ({error})") from None
