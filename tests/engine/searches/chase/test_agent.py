"""The agent loop and the policies around its tools, on real Syn-Ledger tasks."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evoscope.engine.benchmarks.environment import AgentTask, Limits
from evoscope.engine.benchmarks.syn_ledger.environment import SynLedger
from evoscope.engine.errors import CallFailed
from evoscope.engine.model.chase import (
    ACTIONS,
    CONDITIONS,
    Guidance,
    Harness,
    Retrieval,
    Rule,
    ToolPolicy,
    changed_fields,
)
from evoscope.engine.model.core import Slot
from evoscope.engine.model.llm import Completion, Finish, Message, Params, Request, ToolCall
from evoscope.engine.searches.chase.agent import Loop, Trajectory, opening
from evoscope.engine.searches.chase.toolbox import Toolbox
from evoscope.engine.searches.harden.setup import Profile
from tests.engine.searches.chase.arena import small
from tests.engine.searches.harden.memory_context import MemoryContext

PROFILE = Profile("off", "scripted", Params(temperature=0.5))
Script = Callable[[Request, int], Completion]


def environment() -> SynLedger:
    return small()[0]


def task() -> AgentTask:
    return environment().tasks[0]


def calls(*made: tuple[str, dict[str, object]], latency: float = 0.0) -> Completion:
    """A turn of tool calls."""
    found = tuple(ToolCall(f"c{k}", name, args) for k, (name, args) in enumerate(made))  # type: ignore[arg-type]
    raw = [{"id": c.id, "name": c.name, "arguments": dict(c.arguments or {})} for c in found]
    return Completion("", Finish.TOOL_CALLS, tool_calls=found, raw_turn=raw, latency_s=latency)  # type: ignore[arg-type]


async def play(
    script: Script, harness: Harness | None = None, limits: Limits | None = None
) -> tuple[Trajectory, MemoryContext]:
    """One rollout of a scripted model: script(request, turn) gives each turn."""
    env = environment() if limits is None else replace(environment(), limits=limits)
    own = harness or Harness()
    ctx = MemoryContext(lambda slot, request: script(request, slot.step))
    first = opening(PROFILE, own, env, task())
    trajectory = await Loop(ctx.complete, Slot("u", "agent", "H", 0), first, own, env, task()).run()
    return trajectory, ctx


def stop(text: str = "7") -> Completion:
    return Completion(text, Finish.STOP)


def last_messages(ctx: MemoryContext) -> tuple[Message, ...]:
    return max((request.messages for request, _ in ctx.store.calls.values()), key=len)


async def test_a_rollout_keeps_every_turn_in_its_last_request() -> None:
    trajectory, ctx = await play(
        lambda r, turn: (
            calls(("list_files", {}), ("search", {"query": "FY2030"})) if turn == 0 else stop("12")
        )
    )
    assert (trajectory.answer, trajectory.end, trajectory.turns) == ("12", "answered", 2)
    assert [call.kind for call in trajectory.calls] == ["list_files", "search"]
    roles = [message.role for message in last_messages(ctx)]
    assert roles == ["user", "assistant", "tool", "tool"]
    assert [m.tool_call_id for m in last_messages(ctx)[2:]] == ["c0", "c1"]


async def test_the_step_limit_ends_a_rollout_without_an_answer() -> None:
    limits = Limits((("search", 9), ("open", 9), ("calculator", 9)), steps=3, seconds=60)
    trajectory, ctx = await play(lambda r, turn: calls(("list_files", {})), limits=limits)
    assert (trajectory.end, trajectory.answer, len(ctx.store.calls)) == ("step limit", "", 3)


async def test_the_time_limit_counts_recorded_seconds_and_asks_no_clock() -> None:
    limits = Limits((("search", 9), ("open", 9), ("calculator", 9)), steps=9, seconds=10)
    trajectory, _ = await play(
        lambda r, turn: calls(("list_files", {}), latency=4.0), limits=limits
    )
    assert (trajectory.end, trajectory.turns) == ("time limit", 3)


async def test_a_used_up_budget_answers_with_an_error_and_goes_on() -> None:
    trajectory, ctx = await play(
        lambda r, turn: calls(("calculator", {"expression": "1+1"})) if turn < 3 else stop()
    )
    assert trajectory.end == "answered"
    assert "no calculator calls are left" in last_messages(ctx)[-1].text


@pytest.mark.parametrize("finish", [Finish.REFUSAL, Finish.CONTENT_FILTER])
@pytest.mark.parametrize("turn", [0, 1])
async def test_a_refused_turn_is_a_rollout_that_cannot_be_had(finish: Finish, turn: int) -> None:
    def script(request: Request, now: int) -> Completion:
        return Completion("no", finish) if now == turn else calls(("list_files", {}))

    with pytest.raises(CallFailed, match=finish.value) as failed:
        await play(script)
    assert failed.value.slot == Slot("u", "agent", "H", 0, step=turn).key


async def test_a_cut_off_reply_is_no_answer_and_no_missing_rollout() -> None:
    trajectory, _ = await play(lambda r, turn: Completion("7", Finish.LENGTH))
    assert trajectory.end == "no answer"


async def test_rules_before_the_answer_ask_once_each() -> None:
    rules = [Rule(when="not_calculated", do="calculate"), Rule(when="answering", do="review")]
    trajectory, ctx = await play(lambda r, turn: stop(str(turn)), Harness(control=rules))
    assert (trajectory.answer, trajectory.turns) == ("2", 3)
    asked = [m.text for m in last_messages(ctx) if m.role == "user"][1:]
    assert "calculator" in asked[0] and "condition" in asked[1]


async def test_turn_rules_speak_where_their_condition_holds() -> None:
    rules = [Rule(when="searches_left_below", n=3, do="remind_budget")]
    _, ctx = await play(
        lambda r, turn: calls(("list_files", {})) if turn < 2 else stop(), Harness(control=rules)
    )
    notes = [m.text for m in last_messages(ctx) if m.role == "user"][1:]
    assert len(notes) == 1 and "search 2" in notes[0]


async def test_advice_reaches_the_agent_and_policies_do_not() -> None:
    advice = Guidance(name="forms", applies_when="no table", instruction="read by names")
    harness = Harness(
        memory=["totals may be restated"],
        guidance=[advice],
        retrieval=Retrieval(stop_words=["zebra"]),
    )
    _, ctx = await play(lambda r, turn: stop(), harness)
    (request, _), *_ = ctx.store.calls.values()
    system = request.system or ""
    assert "totals may be restated" in system and "no table: read by names" in system
    assert "zebra" not in system
    assert request.messages[0].text.count(task().question) == 1


def toolbox(**surfaces: object) -> Toolbox:
    return Toolbox(Harness(**surfaces), environment(), task().id)  # type: ignore[arg-type]


def test_the_first_harness_requires_all_terms_and_rewrites_nothing() -> None:
    box = toolbox()
    box.call("search", {"query": "the of FY2030", "mode": "any"})
    assert dict(box.calls[0].arguments) == {"query": "the of FY2030", "mode": "all"}


def test_rewriting_drops_words_only_while_enough_calls_are_left() -> None:
    policy = Retrieval(stop_words=["the"], shortest_term=3, most_terms=2, rewrite_while=4)
    box = toolbox(retrieval=policy)
    for _ in range(2):
        box.call("search", {"query": "the ab Fy2030 board council"})
    assert [call.arguments["query"] for call in box.calls] == [
        "Fy2030 board", "the ab Fy2030 board council",
    ]  # fmt: skip


def test_a_query_of_two_periods_becomes_two_searches_joined_in_turn() -> None:
    box = toolbox(retrieval=Retrieval(by_period=True, merge="in_turn", term_mode="any", top_k=2))
    reply = json.loads(box.call("search", {"query": "appropriation FY2028 FY2029"}))
    queries = [call.arguments["query"] for call in box.calls]
    assert queries == ["appropriation FY2028", "appropriation FY2029"]
    paths = [result["path"] for result in reply["results"]]
    assert len(paths) == len(set(paths)) and box.left["search"] == 2


def test_few_results_are_widened_once_at_the_cost_of_a_call() -> None:
    box = toolbox(retrieval=Retrieval(any_below=1))
    reply = json.loads(box.call("search", {"query": "appropriation nonsense"}))
    assert [call.arguments["mode"] for call in box.calls] == ["all", "any"]
    assert reply["results"] and box.left["search"] == 2


def test_reserved_reads_are_refused_for_new_documents_only() -> None:
    paths = [p.path for p in environment().task(task().id)[1]]
    box = toolbox(tools=ToolPolicy(reserved_reads=5))
    assert "text" in json.loads(box.call("open_file", {"path": paths[0]}))
    assert "kept" in box.call("open_file", {"path": paths[1]})
    assert "text" in json.loads(box.call("open_file", {"path": paths[0], "start": 4}))
    assert box.left["open"] == 4


def test_reading_on_shows_both_parts_for_two_reads() -> None:
    box = toolbox(control=[Rule(when="half_read", do="read_on")])
    path = environment().task(task().id)[1][0].path
    parts = json.loads(box.call("open_file", {"path": path}))["parts"]
    assert [part["continues_at"] for part in parts] == [4, None]
    assert box.left["open"] == 4


@pytest.mark.parametrize(
    "rule",
    [
        {"when": "results_below", "do": "search_any"},
        {"when": "always", "n": 3, "do": "remind_budget"},
        {"when": "always", "do": "read_on"},
        {"when": "sometimes", "do": "review"},
    ],
)
def test_rules_outside_the_vocabulary_are_refused(rule: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Rule.model_validate(rule)


def test_conditions_and_actions_are_explained() -> None:
    schema = json.dumps(Harness.model_json_schema())
    assert all(f'"{word}"' in schema for word in (*CONDITIONS, *ACTIONS))


@given(st.lists(st.sampled_from(["memory", "top_k", "retries", "prompt"]), unique=True))
def test_a_diff_names_exactly_the_changed_fields(changed: list[str]) -> None:
    new = Harness(
        memory=["note"] if "memory" in changed else [],
        retrieval=Retrieval(top_k=5 if "top_k" in changed else None),
        tools=ToolPolicy(retries=3 if "retries" in changed else 1),
        system_prompt="Other." if "prompt" in changed else Harness().system_prompt,
    )
    names = {"memory": "memory", "top_k": "retrieval.top_k", "retries": "tools.retries",
             "prompt": "system_prompt"}  # fmt: skip
    assert set(changed_fields(Harness(), new)) == {names[name] for name in changed}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["search", "open_file", "list_files", "calculator", "nothing"]),
            st.dictionaries(
                st.sampled_from(["query", "path", "start", "mode", "limit", "expression"]),
                st.none() | st.integers(-2, 9) | st.text(max_size=20),
            ),
        ),
        max_size=14,
    )
)
def test_no_call_breaks_a_rollout_or_its_budget(made: list[tuple[str, dict[str, object]]]) -> None:
    box = toolbox(
        retrieval=Retrieval(by_period=True, any_below=3, spread=True, rewrite_while=1),
        control=[Rule(when="half_read", do="read_on")],
    )
    for name, arguments in made:
        json.loads(box.call(name, arguments))  # type: ignore[arg-type]
    assert all(left >= 0 for left in box.left.values())
    assert len(box.calls) <= sum(n for _, n in environment().limits.groups) + len(made)
