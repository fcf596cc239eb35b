"""What is asked of a model and what comes back, in one form for every provider."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Finish(StrEnum):
    """Why a completion ended, in our words; the provider's own word is kept beside it."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    CONTEXT_EXCEEDED = "context_exceeded"
    PAUSE = "pause"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `raw` is a provider's own content blocks, returned to it unchanged (tool turns)."""

    role: Literal["user", "assistant", "tool"]
    text: str
    raw: Json = None
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A parsed call of a tool; `arguments` is None where the model's JSON did not parse."""

    id: str
    name: str
    arguments: Mapping[str, Json] | None


@dataclass(frozen=True, slots=True)
class Route:
    """A pinned route: only these upstream providers, no fallbacks, parameters required.

    A reply served by another provider or model is a failed call, never a result.
    """

    providers: tuple[str, ...] = ()
    quantizations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Params:
    """Sampling and output parameters; None leaves the provider's default.

    `logprobs` asks for the chosen tokens' log-probabilities, `top_logprobs` for that many
    alternatives besides. `reasoning` is "off", "adaptive" or None; `effort` low to max.
    `schema` is (name, JSON Schema) for structured output; `json_object` asks for any JSON object.
    `web_search` switches the provider's server-side search on; `blocked_terms` names what the
    queries may not mention.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    logprobs: bool = False
    top_logprobs: int | None = None
    reasoning: Literal["off", "adaptive"] | None = None
    effort: str | None = None
    json_object: bool = False
    schema: tuple[str, Mapping[str, Json]] | None = None
    web_search: bool = False
    blocked_terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    `role` is who asks (analysis, rubric, mutation, extraction, audit, realism, task, ...);
    `provider` the name of a provider in the configuration. `sample` is the vote or sample number,
    sent to no model: offline models draw from it, so that votes and samples differ.
    """

    role: str
    provider: str
    model: str
    messages: tuple[Message, ...]
    system: str | None = None
    params: Params = Params()
    tools: tuple[Tool, ...] = ()
    route: Route | None = None
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one completion. The three input counts are disjoint; `output` includes reasoning.

    None is unknown.
    """

    input: int | None = None
    cached_input: int | None = None
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    output: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """Log-probabilities of the chosen tokens: packed float32, natural logarithm."""

    values: "array[float]"

    @property
    def count(self) -> int:
        """How many tokens."""
        return len(self.values)

    @property
    def total(self) -> float:
        """Sum over the tokens: the sequence's log-probability."""
        return float(sum(self.values))


@dataclass(frozen=True, slots=True)
class ParamsReport:
    """What became of the request's parameters, by name."""

    sent: tuple[str, ...] = ()
    not_supported: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One whole answer. `cost` is in US dollars, None where unknown; `cost_source` says whence."""

    text: str
    finish: Finish
    native_finish: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    raw_turn: Json = None
    logprobs: TokenLogprobs | None = None
    usage: Usage = Usage()
    cost: Decimal | None = None
    cost_source: Literal["provider", "price table", "unknown"] = "unknown"
    served_model: str | None = None
    served_provider: str | None = None
    params: ParamsReport = ParamsReport()
    latency_s: float = 0.0
    """As recorded with the call: an agent's time limit counts these, never a clock."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """The unparsed answer to one attempt: what the store keeps and replay parses again.

    `headers` holds only those that the engine uses (rate limits, request id), lower case.
    `parsed` is the completion where the provider has parsed the body already, to look for errors in
    it; it is never stored, and a replayed reply has none.
    """

    body: bytes
    latency_s: float = 0.0
    request_id: str | None = None
    params: ParamsReport = ParamsReport()
    headers: Mapping[str, str] = field(default_factory=dict)
    parsed: Completion | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RolePlan:
    """What a search expects to ask of one role: the ground of a cost forecast.

    `role` is the finer word of `Request.role`, `model_role` the key in a configuration's models.
    `expected` and `max` count calls; tokens are means of one call (`input_tokens` of the rendered
    prompt, `output_tokens` with reasoning).
    """

    role: str
    model_role: str
    expected: int
    max: int
    input_tokens: int
    output_tokens: int
