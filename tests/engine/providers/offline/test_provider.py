"""The offline provider: determinism, dials, and its own wire form."""

import json
import random

import pytest

from evoscope.engine.errors import ErrorClass, ProviderError
from evoscope.engine.model.llm import Finish, Message, Params, RawReply, Request
from tests.engine.providers.offline.ask import (
    CONTRACT,
    FINQA,
    PUBMEDQA,
    complete,
    provider,
    structured,
    task,
)
from tests.virtual_time import VirtualTimeLoop

PROMPTS = (
    FINQA.format(question="what was the average net sales?"),
    PUBMEDQA.format(finding="Stay was significantly shorter (p<0.01)."),
    CONTRACT.format(clause="2. Recipient shall not reverse engineer samples."),
    "Pick one.\nA) red\nB) blue\nThe sky is blue.",
)
MUTATE = {
    "degradable_files": ["text"],
    "candidates_per_generation": 4,
    "candidate_axes": [{"axis_name": "distractor_sentences", "subtypes": ["x"]}],
    "files": {"case": {"text": "The trial showed a large effect. It was not repeated. It ended."}},
    "gold_output_summary": {"label": "yes"},
}


async def test_answers_depend_on_content_and_sample_and_not_on_order_or_provider():
    requests = [task(prompt, sample) for prompt in PROMPTS for sample in range(6)]
    requests.append(structured("mutation", MUTATE))
    first = {request: (await provider().send(request, 60.0)).body for request in requests}
    one = provider()
    random.Random(7).shuffle(requests)
    for request in requests:
        assert (await one.send(request, 60.0)).body == first[request]


async def test_a_dialled_fault_rate_strikes_that_often_and_a_retry_gets_the_same_answer():
    faulty, sound = provider(rate=0.4), provider()
    failures = 0
    for sample in range(200):
        request = task(PROMPTS[1], sample)
        while True:
            try:
                reply = await faulty.send(request, 60.0)
            except ProviderError as error:
                assert error.kind is ErrorClass.TRANSIENT
                failures += 1
            else:
                break
        assert reply.body == (await sound.send(request, 60.0)).body
    assert 0.3 < failures / (200 + failures) < 0.5


async def test_faults_strike_the_same_requests_whatever_the_order():
    async def struck(samples: list[int]) -> set[int]:
        faulty, hit = provider(rate=0.3), set()
        for sample in samples:
            try:
                await faulty.send(task(PROMPTS[0], sample), 60.0)
            except ProviderError:
                hit.add(sample)
        return hit

    assert await struck(list(range(40))) == await struck(list(reversed(range(40))))


def test_latency_and_jitter_pass_on_the_loops_clock():
    loop = VirtualTimeLoop()
    try:
        model = provider(latency_s=5.0, jitter_s=2.0)
        waits = []
        for sample in range(20):
            started = loop.time()
            loop.run_until_complete(model.send(task(PROMPTS[0], sample), 60.0))
            waits.append(loop.time() - started)
    finally:
        loop.close()
    assert all(5.0 <= wait <= 7.0 for wait in waits)
    assert len(set(waits)) > 15


def test_a_latency_above_the_time_limit_is_a_transient_failure_at_the_limit():
    loop = VirtualTimeLoop()
    try:
        with pytest.raises(ProviderError) as caught:
            loop.run_until_complete(provider(latency_s=90.0).send(task(PROMPTS[0]), 30.0))
        assert loop.time() == pytest.approx(30.0)
    finally:
        loop.close()
    assert caught.value.kind is ErrorClass.TRANSIENT


async def test_a_role_that_nobody_plays_is_refused_for_good_with_a_way_out():
    with pytest.raises(ProviderError, match="give it another provider") as caught:
        await complete(Request("juggler", "offline", "m", (Message("user", "hello"),)))
    assert caught.value.kind is ErrorClass.PERMANENT


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"text": 1}', b"\xff", b'"text"'])
def test_a_stored_body_that_is_none_of_ours_is_a_permanent_failure(body):
    with pytest.raises(ProviderError, match="not an offline answer"):
        provider().parse(RawReply(body), task(PROMPTS[0]))


async def test_a_token_limit_cuts_the_text_and_says_so():
    completion = await complete(task(PROMPTS[0], params=Params(max_tokens=5, logprobs=True)))
    assert completion.finish is Finish.LENGTH
    assert completion.usage.output == 5
    assert completion.logprobs is not None and completion.logprobs.count == 5


async def test_logprobs_and_alternatives_come_only_where_they_are_asked_for():
    assert (await complete(task(PROMPTS[0], params=Params()))).logprobs is None
    plain = await provider().send(task(PROMPTS[0], params=Params(logprobs=True)), 60.0)
    assert json.loads(plain.body)["top_logprobs"] is None
    asked = task(PROMPTS[0], params=Params(logprobs=True, top_logprobs=5))
    top = json.loads((await provider().send(asked, 60.0)).body)["top_logprobs"]
    assert any(len(alternatives) > 1 for alternatives in top)
    assert all(1 <= len(alternatives) <= 5 for alternatives in top)


async def test_parameters_without_an_effect_are_reported_as_not_supported():
    params = Params(temperature=0.5, presence_penalty=1.5, reasoning="off")
    completion = await complete(task(PROMPTS[0], params=params))
    assert completion.params.sent == ("temperature",)
    assert completion.params.not_supported == ("presence_penalty", "reasoning")


async def test_the_estimate_is_never_below_the_reported_input():
    for prompt in PROMPTS:
        request = task(prompt)
        usage = (await complete(request)).usage
        assert usage.input is not None
        assert provider().estimate_input_tokens(request) >= usage.input
