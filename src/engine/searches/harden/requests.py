"""From a profile and a prompt to a request, for each role of the search (HARDEN, A.5.1)."""

import json
from collections.abc import Mapping
from dataclasses import replace

from ...model.llm import Json, Message, Params, Request
from ...prompts import load_template, render
from .setup import Profile

MAX_OUTPUT_TOKENS = 16_384
TOP_ALTERNATIVES = 5


def document(data: Mapping[str, Json]) -> str:
    """The one JSON document of a structured role's prompt; `<` is escaped, so that no text in it
    can end the block that quotes it."""
    text = json.dumps(dict(data), ensure_ascii=False, sort_keys=True, indent=1)
    return text.replace("<", "\\u003c")


def structured_request(
    profile: Profile,
    template: str,
    data: Mapping[str, Json],
    *,
    sample: int = 0,
    params: Params | None = None,
) -> Request:
    """The request of a role that answers with a JSON object, from `prompts/TEMPLATE.md`."""
    system, user = render(template, document=document(data))
    return Request(
        role=load_template(template).role,
        provider=profile.provider,
        model=profile.model,
        messages=(Message("user", user),),
        system=system,
        params=replace(params or profile.params, json_object=True),
        route=profile.route,
        sample=sample,
    )


def gate_params(params: Params) -> Params:
    """Parameters of gate calls: temperature 0, 16,384 output tokens and high effort, where the
    profile says nothing else."""
    return replace(
        params,
        temperature=0.0 if params.temperature is None else params.temperature,
        max_tokens=MAX_OUTPUT_TOKENS if params.max_tokens is None else params.max_tokens,
        effort="high" if params.effort is None else params.effort,
    )


def research_params(params: Params, *, web: bool, blocked: tuple[str, ...]) -> Params:
    """Parameters of axis and rubric research: a web search only where it is switched on."""
    return replace(params, web_search=True, blocked_terms=blocked) if web else params


def gate_request(
    profile: Profile, template: str, data: Mapping[str, Json], *, vote: int = 0
) -> Request:
    """One vote of a gate; a profile's seed moves on with the vote, so that votes are separate."""
    params = gate_params(profile.params)
    return structured_request(
        profile, template, data, sample=vote, params=replace(params, seed=_seed(params, vote))
    )


def task_request(profile: Profile, prompt: str, sample: int, *, top_logprobs: bool) -> Request:
    """A sampled response of the task model: one user message, reasoning off, log-probabilities.

    A profile's seed moves on with the sample: the same seed would give the same response T times.
    """
    params = profile.params
    sampled = replace(
        params,
        max_tokens=MAX_OUTPUT_TOKENS if params.max_tokens is None else params.max_tokens,
        reasoning="off" if params.reasoning is None else params.reasoning,
        seed=_seed(params, sample),
        logprobs=True,
        top_logprobs=TOP_ALTERNATIVES if top_logprobs else None,
    )
    return Request(
        role="task",
        provider=profile.provider,
        model=profile.model,
        messages=(Message("user", prompt),),
        params=sampled,
        route=profile.route,
        sample=sample,
    )


def greedy_request(profile: Profile, prompt: str) -> Request:
    """The greedy response: temperature 0, with the top alternatives."""
    request = task_request(profile, prompt, 0, top_logprobs=True)
    return replace(request, params=replace(request.params, temperature=0.0))


def _seed(params: Params, number: int) -> int | None:
    return None if params.seed is None else params.seed + number
