"""What a proposer reads of its own run: rollouts in full, made from the calls that are stored."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.errors import CallFailed
from evoscope.engine.model.core import Slot, Verdict
from evoscope.engine.model.llm import Completion, Finish, RawReply, Request, ToolCall
from evoscope.engine.searches.chase.agent import SHOWN, cut
from evoscope.engine.searches.chase.history import PAGE, History, whole_history
from evoscope.engine.searches.chase.search import run
from evoscope.engine.searches.chase.setup import Desk
from evoscope.engine.searches.chase.state import State, load_state
from tests.engine.searches.chase.arena import OFFLINE, Delayed, answer, setup
from tests.engine.searches.harden.memory_context import MemoryContext
from tests.replay_kit import Kit, Life

QUICK: dict[str, Any] = {"rounds": 1, "methods": ["chase", "compass"], "eta": "2"}
SPLITS = setup().released.splits
PATH = f"H0/rel/{SPLITS['evo'][0]}.json"
QUESTIONS = {task.id: task.question for task in setup().released.tasks}


def reads(request: Request) -> bool:
    """Whether a proposer has not looked into the history yet."""
    return request.role == "proposer" and request.messages[-1].role == "user"


def look(path: str = PATH) -> Completion:
    call = ToolCall("c0", "read_history", {"path": path})
    return Completion("", Finish.TOOL_CALLS, tool_calls=(call,), raw_turn=[{"id": "c0"}])


def looking(slot: Slot, request: Request) -> Completion | CallFailed:
    return look() if reads(request) else answer(slot, request)


def read_texts(ctx: MemoryContext) -> list[str]:
    """The pages that proposers were given."""
    asked = [r for r, _ in ctx.store.calls.values() if r.role == "proposer"]
    return [json.loads(m.text)["text"] for r in asked for m in r.messages if m.role == "tool"]


async def lived() -> tuple[MemoryContext, Desk, State]:
    ctx, own = MemoryContext(looking, seed=1), setup(1, **QUICK)
    await run(ctx, own)
    assert ctx.parked == {}
    state = load_state(ctx.store.texts["state/chase/r1"], OPERATORS)
    return ctx, Desk(ctx, own, {"rel": own.released}), state


async def made(history: History, path: str) -> dict[str, Any]:
    await history.fetch(path)
    found: dict[str, Any] = json.loads(history.texts[path])
    return found


async def test_a_rollout_s_file_holds_question_prompts_calls_results_and_budgets() -> None:
    ctx, desk, state = await lived()
    history, task = whole_history(desk, state), SPLITS["evo"][0]
    found = await made(history, PATH)
    assert found["question"] == QUESTIONS[task]
    (rollout,) = found["rollouts"]
    turns = [c for k, c in ctx.store.calls.items() if k.startswith(f"start|agent:rel:{task}|H0|0|")]
    last = max((request for request, _ in turns), key=lambda request: len(request.messages))
    seen = [cut(m.text) for m in last.messages if m.role == "tool"]
    steps = rollout["steps"]
    assert seen and [c["result"] for s in steps for c in s["calls"]] == seen
    assert [c["tool"] for s in steps for c in s["calls"]] and all(s["left"] for s in steps)
    ran = [call for step in steps for call in step["ran"]]
    assert ran == state.trajectories["H0"]["rel"][task][0]["calls"]
    assert rollout["turns"] == len(turns) and rollout["score"] in ("0", "1")
    assert history.texts["H0/prompt.txt"] == last.system


async def test_the_history_tells_of_d_evo_alone_and_of_no_time_cost_or_place() -> None:
    _, desk, state = await lived()
    history = whole_history(desk, state)
    for path in [*history.later]:
        await history.fetch(path)
    assert set(history.texts) == set(history.paths)
    text = "\n".join(history.texts.values())
    hidden = [t for name, ids in SPLITS.items() if name != "evo" for t in ids]
    assert not any(QUESTIONS[task] in text for task in hidden)
    words = {"latency", "cost", "usage", "seq", "unit", "slot", "id", "raw"}
    assert not words & set(keys(list(map(json.loads, map(history.texts.get, history.later)))))  # type: ignore[arg-type]


def keys(value: Any) -> list[str]:
    """All keys that a rollout's file has, but for those of a tool's own arguments."""
    if isinstance(value, list):
        return [key for inner in value for key in keys(inner)]
    if not isinstance(value, Mapping):
        return []
    inner = [keys(v) for k, v in value.items() if k not in ("arguments", "result")]
    return [*value, *(key for many in inner for key in many)]


async def test_reading_buys_nothing_and_the_state_keeps_no_texts() -> None:
    ctx, _, _ = await lived()
    blind = MemoryContext(answer, seed=1)
    await run(blind, setup(1, **QUICK))
    agents = [[k for k, (r, _) in c.store.calls.items() if r.role == "agent" and "|H0|" in k
               and k.startswith("start")] for c in (ctx, blind)]  # fmt: skip
    assert sorted(agents[0]) == sorted(agents[1])
    state = ctx.store.texts["state/start"]
    assert not any(question in state for question in QUESTIONS.values())
    pages = read_texts(ctx)
    assert pages and all(QUESTIONS[SPLITS["evo"][0]] in page for page in pages)
    assert all(len(page) <= PAGE for page in pages)


def test_long_texts_are_cut_and_say_by_how_much() -> None:
    assert cut("x" * SHOWN) == "x" * SHOWN
    assert cut("x" * (SHOWN + 7)) == "x" * SHOWN + " [7 more characters]"


async def test_the_gate_refuses_what_was_copied_out_of_a_question_that_was_read() -> None:
    def copying(slot: Slot, request: Request) -> Completion | CallFailed:
        said = looking(slot, request)
        if slot.purpose != "guidance" or reads(request) or isinstance(said, CallFailed):
            return said
        page = json.loads(request.messages[-1].text)["text"]
        copied = page.split('"question": "')[1].split('",\n')[0]
        value = json.loads(said.text)
        value["harness"]["memory"] = [copied]
        return replace(said, text=json.dumps(value))

    ctx = MemoryContext(copying, seed=1)
    await run(ctx, setup(1, **QUICK))
    verdicts = [v for v in ctx.store.all(Verdict) if v.gate == "generalization"]
    refused = [v for v in verdicts if "eight words of question" in v.reason]
    assert refused and all(v.outcome == "fail" and v.unit == "compass/r1" for v in refused)


class Looking(Delayed):
    """The offline models, whose proposer reads one file before it answers."""

    async def send(self, request: Request, timeout_s: float) -> RawReply:
        return RawReply(b"look") if reads(request) else await super().send(request, timeout_s)

    def parse(self, reply: RawReply, request: Request) -> Completion:
        return look() if reply.body == b"look" else OFFLINE.parse(reply, request)


def test_rollouts_of_ended_units_are_read_again_after_a_loss_of_power(tmp_path: Path) -> None:
    kit = Kit(
        lambda: lambda ctx: run(ctx, setup(1, **QUICK)), tmp_path,
        lambda seed: {"off": Looking(seed)}, concurrency=64,
    )  # fmt: skip
    whole, cut_off = kit.file("whole"), kit.file("cut")
    assert kit.finish(whole, 1).state == "finished"
    for life, commits in enumerate((60, 110)):
        kit.live(cut_off, life, Life(stop_after=commits))
    assert kit.finish(cut_off, 9).state == "finished"
    assert kit.digest(cut_off) == kit.digest(whole)
    found = kit.verify(whole)
    assert found.ok, found.mismatches[:3]
