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
    text = json.dumps(dict(data), ensure_ascii=False, sort_keys=True)
    return text.replace("<", "\\u003c")


def structured_request(
    profile: Profile,
    template: str,
    data: Mapping[str, Json],
    *,
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


def gate_request(profile: Profile, template: str, data: Mapping[str, Json]) -> Request:
    """The first vote of a gate, or its only question; `numbered` makes the others of it."""
    return structured_request(profile, template, data, params=gate_params(profile.params))


def numbered(request: Request, number: int) -> Request:
    """The same request as vote, re-ask or sample `number`. A profile's seed moves on with it, so
    that votes and samples are separate draws: one seed would give one response again and again."""
    if number == 0:
        return request
    params = request.params
    if params.seed is not None:
        params = replace(params, seed=params.seed + number)
    return replace(request, params=params, sample=number)


def task_request(profile: Profile, prompt: str, *, top_logprobs: bool) -> Request:
    """The first sampled response of the task model: one user message, reasoning off,
    log-probabilities; `numbered` makes the other samples of it."""
    params = profile.params
    sampled = replace(
        params,
        max_tokens=MAX_OUTPUT_TOKENS if params.max_tokens is None else params.max_tokens,
        reasoning="off" if params.reasoning is None else params.reasoning,
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
    )


def greedy_request(profile: Profile, prompt: str) -> Request:
    """The greedy response: temperature 0, with the top alternatives."""
    request = task_request(profile, prompt, top_logprobs=True)
    return replace(request, params=replace(request.params, temperature=0.0))
