"""Which parameters a model takes: one table by dialect and model family.

What a model refuses is left out of the request and reported as not supported, so that a vote or a
rollout says under which settings it was drawn. A prefix such as `anthropic/` names the maker of a
model behind OpenRouter. Sources: api-facts.md; the thinking types and effort levels of the
Messages API; the makers' pages on sampling parameters.
"""

import re
from dataclasses import dataclass, fields
from functools import lru_cache

from ..model.llm import Params, ParamsReport

SAMPLING = frozenset(
    {"temperature", "top_p", "top_k", "presence_penalty", "repetition_penalty", "seed"}
    | {"logprobs", "top_logprobs"}
)
OUTPUT = frozenset({"max_tokens", "json_object", "schema"})
LOW_TO_HIGH = frozenset({"low", "medium", "high"})
LOW_TO_XHIGH = LOW_TO_HIGH | {"xhigh"}
ALL_EFFORTS = LOW_TO_XHIGH | {"max"}
BOTH = frozenset({"off", "adaptive"})
NAMES = tuple(each.name for each in fields(Params))


@dataclass(frozen=True, slots=True)
class Accepts:
    """What a model takes. `names` are fields of `Params`; reasoning and effort go by value.

    `sampling_without_reasoning`: sampling parameters only where reasoning is not adaptive.
    `one_of_temperature_top_p`: the two together are refused, and the temperature is kept.
    """

    names: frozenset[str]
    reasoning: frozenset[str] = frozenset()
    efforts: frozenset[str] = frozenset()
    sampling_without_reasoning: bool = False
    one_of_temperature_top_p: bool = False
    effort_with_reasoning_off: bool = False

    def takes(self, name: str, params: Params) -> bool:
        """Whether the parameter may be sent with the value that it has in `params`."""
        if name == "reasoning":
            return params.reasoning in self.reasoning
        if name == "effort":
            off = params.reasoning == "off" and not self.effort_with_reasoning_off
            return params.effort in self.efforts and not off
        if name in SAMPLING and self.sampling_without_reasoning and self._reasons(params):
            return False
        if name == "top_p" and self.one_of_temperature_top_p and params.temperature is not None:
            return False
        return name in self.names

    def _reasons(self, params: Params) -> bool:
        by_effort = params.effort is not None and not self.effort_with_reasoning_off
        return params.reasoning == "adaptive" or (params.reasoning is None and by_effort)


_CLAUDE_SAMPLING = frozenset({"temperature", "top_p", "top_k"})
_SEARCH = frozenset({"web_search", "blocked_terms"})
_CLAUDE_OUTPUT = frozenset({"max_tokens", "schema"}) | _SEARCH

# First match wins; the name is without its maker, with hyphens for dots.
CLAUDE: tuple[tuple[str, Accepts], ...] = (
    (
        r"claude-(fable|mythos)",  # always thinks: switching it off is refused
        Accepts(_CLAUDE_OUTPUT, frozenset({"adaptive"}), ALL_EFFORTS),
    ),
    (
        r"claude-(opus|sonnet)-4-6|claude-4-6",
        Accepts(
            _CLAUDE_OUTPUT | _CLAUDE_SAMPLING,
            BOTH,
            LOW_TO_HIGH | {"max"},
            sampling_without_reasoning=True,
            one_of_temperature_top_p=True,
            effort_with_reasoning_off=True,
        ),
    ),
    (
        r"claude-opus-4-5|claude-4-5-opus",
        Accepts(
            _CLAUDE_OUTPUT | _CLAUDE_SAMPLING,
            frozenset({"off"}),
            LOW_TO_HIGH,
            one_of_temperature_top_p=True,
            effort_with_reasoning_off=True,
        ),
    ),
    (
        r"claude-(opus-4-1|sonnet-4-5|haiku-4-5)|claude-4-(1|5)-",
        Accepts(
            _CLAUDE_OUTPUT | _CLAUDE_SAMPLING, frozenset({"off"}), one_of_temperature_top_p=True
        ),
    ),
    (
        r"claude-(2|3|instant)|claude-(opus|sonnet)-4(-0|-20\d+)?$",
        Accepts(frozenset({"max_tokens"}) | _SEARCH | _CLAUDE_SAMPLING, frozenset({"off"})),
    ),
    (
        r"claude",  # current models refuse every sampling parameter
        Accepts(_CLAUDE_OUTPUT, BOTH, ALL_EFFORTS, effort_with_reasoning_off=True),
    ),
)

_OPENAI_SAMPLING = frozenset(
    {"temperature", "top_p", "presence_penalty", "logprobs", "top_logprobs", "seed"}
)
OPENAI: tuple[tuple[str, Accepts], ...] = (
    (r"gpt-5-chat", Accepts(OUTPUT | _OPENAI_SAMPLING)),
    (
        r"gpt-5-[1-9](-|$)",
        Accepts(OUTPUT | _OPENAI_SAMPLING, BOTH, LOW_TO_XHIGH, sampling_without_reasoning=True),
    ),
    (r"gpt-5|o\d", Accepts(OUTPUT | {"seed"}, frozenset({"adaptive"}), LOW_TO_HIGH)),
    (r"gpt|chatgpt|ft", Accepts(OUTPUT | _OPENAI_SAMPLING)),
)

DIALECTS: dict[str, Accepts] = {
    "openrouter": Accepts(OUTPUT | SAMPLING, BOTH, LOW_TO_XHIGH),
    "openai": Accepts(OUTPUT | _OPENAI_SAMPLING, BOTH, LOW_TO_XHIGH),
    "vllm": Accepts(OUTPUT | SAMPLING, BOTH, LOW_TO_HIGH),
    "llama.cpp": Accepts(OUTPUT | SAMPLING, BOTH, LOW_TO_HIGH),
    "ollama": Accepts(
        OUTPUT | (SAMPLING - {"top_k", "repetition_penalty"}), frozenset({"off"}), LOW_TO_HIGH
    ),
    "anthropic": CLAUDE[-1][1],
}


@lru_cache(maxsize=256)
def accepts(dialect: str, model: str) -> Accepts:
    """What `model` takes when it is spoken to in `dialect` ("anthropic" for the Messages API)."""
    maker, _, bare = model.lower().rpartition("/")
    name = bare.replace(".", "-")
    if dialect == "anthropic" or maker == "anthropic":
        found = _first(CLAUDE, name) or DIALECTS["anthropic"]
        return found if dialect == "anthropic" else _without_search(found)
    if dialect == "openai" or maker == "openai":
        return _first(OPENAI, name) or DIALECTS[dialect]
    return DIALECTS[dialect]


def _first(table: tuple[tuple[str, Accepts], ...], name: str) -> Accepts | None:
    return next((found for pattern, found in table if re.match(pattern, name)), None)


def _without_search(found: Accepts) -> Accepts:
    """The same model behind a router: no search of the maker's, and reasoning off bars effort."""
    return Accepts(
        found.names - _SEARCH,
        found.reasoning,
        found.efforts,
        found.sampling_without_reasoning,
        found.one_of_temperature_top_p,
    )


def report(dialect: str, model: str, params: Params) -> ParamsReport:
    """The parameters asked for, split into those that are sent and those that are left out."""
    table = accepts(dialect, model)
    asked = [name for name in NAMES if _is_asked(getattr(params, name))]
    sent = tuple(name for name in asked if table.takes(name, params))
    return ParamsReport(sent, tuple(name for name in asked if name not in sent))


def _is_asked(value: object) -> bool:
    return value is not None and value is not False and value != ()
