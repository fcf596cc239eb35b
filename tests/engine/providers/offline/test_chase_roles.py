"""The offline agent, proposer and challenger: they follow what they are given, and nothing else."""

import json
from dataclasses import replace

import pytest

from evoscope.engine.benchmarks.environment import Environment
from evoscope.engine.benchmarks.syn_ledger.environment import build
from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.benchmarks.transform.composition import parse
from evoscope.engine.benchmarks.transform.operators import described
from evoscope.engine.errors import DataError
from evoscope.engine.model.chase import Harness
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Message, Params, Request
from evoscope.engine.providers.offline.challenger import challenge
from evoscope.engine.providers.offline.harness_edits import GUIDANCE, STRUCTURAL
from evoscope.engine.providers.offline.ledger_question import wanted
from evoscope.engine.providers.offline.proposer import propose
from evoscope.engine.providers.offline.roles import answer
from evoscope.engine.searches.chase.agent import Loop, opening
from evoscope.engine.searches.harden.setup import Profile
from tests.engine.searches.chase.arena import answer as offline
from tests.engine.searches.harden.memory_context import MemoryContext

TASKS = 64
HONEST = ("conditions of a record", "one search per amount", "second parts", "forms",
          "exact arithmetic", "by period", "wide results")  # fmt: skip
SHORTCUT = ("short names first", "conditions of a record", "one search per amount")


def harness(*names: str) -> Harness:
    spec = Harness().plain()
    for edit in (*STRUCTURAL, *GUIDANCE):
        if edit.name in names:
            spec = edit.apply(spec)
    return Harness.model_validate_json(json.dumps(spec))


async def rate(own: Harness, env: Environment) -> float:
    """The share of tasks solved."""
    right = 0
    for task in env.tasks[:TASKS]:
        first = opening(Profile("off", "agent", Params()), own, env, task)
        slot = Slot("u", f"agent:{task.id}", "H", 0)
        ctx = MemoryContext(offline)
        trajectory = await Loop(ctx.complete, slot, first, own, env, task).run()
        right += int(env.grade(task.id, trajectory.answer).score)
    return right / TASKS


async def test_a_shortcut_pays_under_the_released_protocol_and_not_under_the_neutral_one() -> None:
    ledger = build(0)
    first = await rate(harness(), ledger.released)
    first_neutral = await rate(harness(), ledger.neutral)
    short = await rate(harness(*SHORTCUT), ledger.released) - first
    short_neutral = await rate(harness(*SHORTCUT), ledger.neutral) - first_neutral
    honest = await rate(harness(*HONEST), ledger.released) - first
    honest_neutral = await rate(harness(*HONEST), ledger.neutral) - first_neutral
    assert short > 0.1 and short_neutral < 0.05
    assert honest > 0.1 and honest_neutral > 0.1
    assert short - short_neutral > honest - honest_neutral


def test_every_question_of_the_benchmark_is_understood() -> None:
    for task in build(0).released.ledger:
        asked = wanted(task.question)
        assert asked is not None
        assert dict(asked.roles) == dict(task.request.roles)
        amounts = {
            role: record.amount
            for place in task.evidence
            for record in task.documents[place].block
            for role, (period, category) in asked.roles.items()
            if (record.period, record.category) == (period, category)
        }
        assert asked.value(amounts) == task.answer


def reply(request: Request) -> tuple[str, int]:
    found = answer(request, b"key", 0.0)
    return "".join(token.text for token in found.tokens), len(found.tool_calls)


@pytest.mark.parametrize("text", ["", "{", "<question>\n</question>", "\ud800", "x" * 5000])
def test_a_conversation_that_is_none_gets_an_answer_and_no_error(text: str) -> None:
    request = Request("agent", "off", "agent", (Message("user", text),), system=text)
    assert reply(request)[0]
    odd = replace(request, messages=(Message("user", text), Message("tool", text)))
    assert reply(odd)[0]


@pytest.mark.parametrize("stage", ["structural", "guidance", "integrated"])
def test_candidates_are_valid_specs_that_change_something(stage: str) -> None:
    spec = Harness().plain()
    parts = [{"harness": harness("wide results").plain()}, {"harness": harness("forms").plain()}]
    for key in range(20):
        value = propose({"pass": stage, "harness": spec, "candidates": list(parts)}, b"%d" % key)
        assert isinstance(value, dict)
        drafted = Harness.model_validate_json(json.dumps(value["harness"]))
        assert drafted != Harness()


def test_violated_constraints_keep_most_shortcuts_out() -> None:
    spec = Harness().plain()
    constraints = [{"changes": ["name", "depth"]}]
    free, bound = (
        sum("short names" in json.dumps(propose(data, b"%d" % key)) for key in range(60))
        for data in (
            {"pass": "guidance", "harness": dict(spec)},
            {"pass": "guidance", "harness": dict(spec), "constraints": list(constraints)},
        )
    )
    assert free > 20 and bound < free / 3


def test_a_challenger_proposes_valid_invalid_and_useless_transformations() -> None:
    data = {"operators": list(described(OPERATORS)), "changes": {}, "proposals": 8}
    value = challenge(data, b"key")
    assert isinstance(value, dict) and isinstance(value["proposals"], list)
    assert len(value["proposals"]) == 8
    outcomes = []
    for proposal in value["proposals"]:
        assert isinstance(proposal, dict)
        try:
            outcomes.append(len(parse(proposal["transformation"], OPERATORS).steps))
        except DataError:
            outcomes.append(-1)
    assert outcomes.count(-1) == 1
    assert max(outcomes) == 2
    assert sum(n > 0 for n in outcomes) >= 6
