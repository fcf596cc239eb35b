"""Drawing from scores: probabilities, temperature, and log-probabilities that add up."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoscope.engine.model.llm import Params
from evoscope.engine.providers.offline.chance import uniform
from evoscope.engine.providers.offline.sampling import (
    Answer,
    Reading,
    draw,
    pieces,
    probabilities,
    tokens,
)
from tests.engine.providers.offline.ask import DRAWN, FINQA, complete, task

LINES = st.lists(
    st.text("abc012(), .", min_size=1, max_size=8), min_size=1, max_size=8, unique=True
)


@st.composite
def readings(draw_: st.DrawFn) -> Reading:
    lines = draw_(LINES)
    scores = [draw_(st.floats(-6, 6)) for _ in lines]
    return Reading("because", tuple(map(Answer, lines, scores)))


@given(readings(), st.sampled_from([0.3, 1.0, 2.0]), st.data())
def test_an_answers_token_logprobs_sum_to_the_log_of_its_drawing_probability(reading, temp, data):
    weights = probabilities(reading.answers, Params(temperature=temp))
    chosen = data.draw(st.sampled_from([i for i, w in enumerate(weights) if w > 1e-9]))
    made = tokens(reading, weights, chosen, None)
    assert sum(t.logprob for t in made) == pytest.approx(math.log(weights[chosen]), abs=1e-6)
    assert "".join(t.text for t in made) == f"because\n{reading.answers[chosen].line}"


@given(readings())
def test_the_top_alternatives_of_a_token_share_out_all_probability(reading):
    weights = probabilities(reading.answers, Params(temperature=1.0))
    for token in tokens(reading, weights, 0, 99):
        assert sum(math.exp(logprob) for _, logprob in token.top) == pytest.approx(1, abs=1e-6)
        assert (token.text, pytest.approx(token.logprob)) in token.top


@given(st.text(max_size=60))
def test_tokens_of_any_text_join_to_the_text(text):
    assert "".join(pieces(text)) == text


@given(readings())
def test_a_lower_temperature_never_makes_the_best_answer_less_likely(reading):
    best = max(range(len(reading.answers)), key=lambda i: reading.answers[i].score)
    chances = [
        probabilities(reading.answers, Params(temperature=t))[best] for t in (0.2, 0.7, 1.0, 3.0)
    ]
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(chances))


def test_top_k_and_top_p_leave_the_best_answers_only():
    answers = tuple(Answer(str(i), score) for i, score in enumerate((2.0, 1.0, 0.0, -1.0)))
    assert [w > 0 for w in probabilities(answers, Params(top_k=2))] == [True, True, False, False]
    assert [w > 0 for w in probabilities(answers, Params(top_p=0.5))] == [True, False, False, False]


def test_draws_come_as_often_as_their_probabilities_say():
    answers = (Answer("a", 1.0), Answer("b", 0.0), Answer("c", -1.0))
    weights = probabilities(answers, DRAWN)
    drawn = [draw(answers, weights, DRAWN, uniform("draw", i)) for i in range(4000)]
    for i, weight in enumerate(weights):
        assert drawn.count(i) / 4000 == pytest.approx(weight, abs=0.03)


async def test_greedy_takes_the_best_answer_and_reports_its_probability_at_temperature_one():
    prompt = FINQA.format(question="what was the percent change in net sales from 2018 to 2019?")
    greedy = [
        await complete(task(prompt, i, Params(temperature=0.0, logprobs=True))) for i in range(3)
    ]
    assert len({completion.text for completion in greedy}) == 1
    assert greedy[0].logprobs is not None
    assert -5 < greedy[0].logprobs.total < 0


async def test_samples_of_one_prompt_differ_and_carry_the_logprob_of_what_was_drawn():
    prompt = FINQA.format(question="what was the percent change in net sales from 2018 to 2019?")
    warm = Params(temperature=2.5, logprobs=True)
    drawn = [await complete(task(prompt, i, warm)) for i in range(40)]
    by_text: dict[str, set[float]] = {}
    for completion in drawn:
        assert completion.logprobs is not None
        by_text.setdefault(completion.text, set()).add(round(completion.logprobs.total, 4))
    assert len(by_text) > 1
    assert all(len(totals) == 1 for totals in by_text.values())
    assert sum(math.exp(next(iter(totals))) for totals in by_text.values()) <= 1.0001
