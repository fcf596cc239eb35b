"""A run's configuration: one TOML file, validated whole, all errors reported at once."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .searches.cegar.settings import CegarSettings
from .searches.chase.settings import ChaseSettings
from .searches.harden.settings import HardenSettings

CORPUS_ETA = "0.075"
"""The default of `chase.eta` on corpus QA (CHASE, section 5)."""


class Section(BaseModel):
    """A table of the configuration; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(Section):
    """What the account allows; unset means unknown, and the engine adapts."""

    concurrency: Annotated[int, Field(ge=1, le=4096)] = 64
    adaptive: bool = True
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None


class Faults(Section):
    """Latency and faults of the offline provider, for rehearsals and tests."""

    latency_s: Annotated[float, Field(ge=0)] = 0.0
    jitter_s: Annotated[float, Field(ge=0)] = 0.0
    rate: Annotated[float, Field(ge=0, le=1)] = 0.0


class ProviderSettings(Section):
    """One account at one provider. Keys come from the environment variable `key_env` only."""

    kind: Literal["offline", "anthropic", "chat_completions"]
    base_url: str | None = None
    key_env: str | None = None
    dialect: Literal["openrouter", "openai", "vllm", "llama.cpp", "ollama"] = "openrouter"
    limits: Limits = Limits()
    call_deadline_s: Annotated[float, Field(gt=0)] = 900.0
    attempt_timeout_s: Annotated[float, Field(gt=0)] = 300.0
    pause_after_failures: Annotated[int, Field(ge=1)] = 20
    careless: Annotated[float, Field(ge=0, le=1)] = 0.15
    faults: Faults = Faults()


class Price(Section):
    """US dollars per million tokens, where the price table has none or another one."""

    input: Decimal
    cached_input: Decimal | None = None
    cache_write: Decimal | None = None
    output: Decimal


class RouteSettings(Section):
    """A pinned route; a reply from elsewhere is a failed call."""

    providers: tuple[str, ...] = ()
    quantizations: tuple[str, ...] = ()


class ModelSettings(Section):
    """The model behind one role, with its sampling profile."""

    provider: str
    model: str
    temperature: Annotated[float, Field(ge=0)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None
    presence_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning: Literal["off", "adaptive"] | None = None
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    route: RouteSettings | None = None
    price: Price | None = None


class BenchmarkSettings(Section):
    """Which cases. `path` is a file of the benchmark's own format; unset takes our samples.

    Syn-Ledger is generated instead, by `seed`; it has no path and no sample. Code tasks
    come from `cegar.sources`, or are our own suite. Corpus QA takes its questions from `path` and
    their texts from `documents`, a folder or JSON lines; `seed` draws its splits.
    """

    kind: Literal["finqa", "pubmedqa", "contractnli", "bundle", "syn_ledger", "corpus_qa", "code"]
    path: Path | None = None
    sample: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    documents: Path | None = None
    splits: Literal["component", "question"] = "component"
    """`question` ignores which questions share documents; every report says so."""
    scorer: Literal["fuzzy", "strict"] = "fuzzy"
    tolerance: Annotated[Fraction, Field(ge=0, le=1)] = Fraction(0)
    """Relative difference at which a number still counts as the answer."""
    release: Path | None = None
    """Questions of a separate release, scored once when D_cert is; no gain is claimed there."""
    release_documents: Path | None = None
    """Their texts; unset takes `documents`."""


class RunConfig(Section):
    """One run. `harden`, `chase` and `cegar` hold the settings of those searches."""

    search: Literal["harden", "chase", "cegar"]
    name: str | None = None
    seed: int = 42
    parallel_cases: Annotated[int, Field(ge=1)] = 8
    budget: Annotated[Decimal, Field(gt=0)] | None = None
    on_event: str | None = None
    benchmark: BenchmarkSettings
    providers: dict[str, ProviderSettings]
    models: dict[str, ModelSettings]
    harden: HardenSettings = HardenSettings()
    chase: ChaseSettings = ChaseSettings()
    cegar: CegarSettings = CegarSettings()

    @model_validator(mode="before")
    @classmethod
    def _eta_of_the_benchmark(cls, value: Any) -> Any:
        """Corpus QA's threshold where none is stated: written down for every reader."""
        if not isinstance(value, dict):
            return value
        benchmark, chase = value.get("benchmark"), value.get("chase", {})
        corpus = isinstance(benchmark, dict) and benchmark.get("kind") == "corpus_qa"
        if corpus and isinstance(chase, dict) and "eta" not in chase:
            return {**value, "chase": {**chase, "eta": CORPUS_ETA}}
        return value
